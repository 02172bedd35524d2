"""What players are shown, held against the twin of the deal at every decision; only with the JIT off.

``NUMBA_DISABLE_JIT=1 python -m tests.watching`` plays deals with the built-in players, looks over their shoulders and
prints a JSON object: what the views met, and by field of docs/players.md where it was not as said there.
"""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import mjsim
from mjsim.contract import Player, is_legal
from mjsim.engine import Plan
from mjsim.hands.hand import load
from mjsim.hands.tables import tables
from mjsim.players import BUILTIN, players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import simulate
from mjsim.state import SEAT, TABLE, new_record
from mjsim.transcript.events import Replay, Replayer
from mjsim.wall import dealt_seat
from tests.naive.actions import mask_of
from tests.naive.deal import Deal
from tests.naive.hands import effective_tiles, shanten
from tests.naive.table import Meld
from tests.naive.tiles import KINDS, counts_of, parse

SEATS = range(4)
PHASES = ("fish", "turn", "reaction")
MELD_KINDS = {"chow": 1, "pung": 2, "kong": 3, "kong+": 4, "kong-": 5}
FISH = 2
SEED = 31
SESSION = 3
MOST_SHOWN = 5

#: Rules, players, the first deal and how many; among them deals with locked seats and with kongs that could be robbed.
WATCHED = (
    ("liuzhou", "noisy,noisy,noisy,noisy", 27, 15),
    ("liuzhou", "random,noisy,noisy,random", 27, 3),
    ("liuzhou", "random,noisy,noisy,random", 132, 3),
    ("liuzhou", "fast,noisy,random,fast", 0, 9),
    ("nanning_folk", "noisy,noisy,noisy,noisy", 0, 15),
    ("nanning_laiyouxi", "noisy,random,noisy,noisy", 0, 15),
)
TABLES = tables()


class WatchedDeal(Deal):
    """The twin of a deal that remembers what its hands were worth when they came to rest."""

    def _begin(self) -> None:
        super()._begin()
        self.rest = [self._worth(seat) for seat in SEATS]
        # The dealer's fourteen tiles lack nothing that a single tile could bring.
        self.rest[self.dealer] = (self.rest[self.dealer][0], set())

    def _comes_to_rest(self, seat: int) -> None:
        super()._comes_to_rest(seat)
        if self.phase in ("turn", "reaction"):
            self.rest[seat] = self._worth(seat)

    def _worth(self, seat: int) -> tuple[int, set[int]]:
        """Shanten, and the kinds that complete the hand."""
        hand, melds = self.hands[seat], len(self.melds[seat])
        distance = shanten(hand, melds)
        at_rest = sum(hand) % 3 == 1
        return distance, effective_tiles(hand, melds) if distance == 0 and at_rest else set()


# ---- what the fields must hold -----------------------------------------------------------------------------------


def kinds_set(kinds: Any) -> int:
    """A set of kinds as a word."""
    return sum(1 << kind for kind in set(kinds))


def digits(counts: list[int], name: str) -> int:
    """One binary digit of all counts, as a set of kinds."""
    place = ("ones", "twos", "fours").index(name)
    return kinds_set(kind for kind in range(KINDS) if counts[kind] >> place & 1)


def keys_of(counts: list[int], melds: int) -> list[int]:
    """The evaluator's keys of a hand."""
    record = new_record(SEAT)
    load(record, TABLES, np.array(counts, np.uint8), melds)
    return [int(key) for key in record.keys]


def own_fields(deal: WatchedDeal, seat: int) -> dict[str, Any]:
    """What `view.own` must hold."""
    fish = deal.phase == "fish"
    counts = [0] * KINDS if fish else deal.hands[seat]
    melds: list[Meld] = [] if fish else deal.melds[seat]
    fields: dict[str, Any] = {
        "seat": seat,
        "counts": counts,
        **{name: digits(counts, name) for name in ("ones", "twos", "fours")},
        "keys": keys_of(counts, len(melds)),
        "meld_count": len(melds),
        "meld_kind": [MELD_KINDS[meld.kind] for meld in melds],
        "meld_tile": [min(meld.tiles) for meld in melds],
        "meld_from": [-1 if meld.giver is None else meld.giver for meld in melds],
        "exposed_count": sum(meld.kind != "kong-" for meld in melds),
        "pungs": kinds_set(meld.tiles[0] for meld in melds if meld.kind == "pung"),
        "concealed_kongs": kinds_set(meld.tiles[0] for meld in melds if meld.kind == "kong-"),
        "labels": mask_of(deal.labels[seat]),
        "locked": 0,
    }
    if not fish:
        distance, waits = deal.rest[seat]
        fields |= {"shanten": distance, "waits": kinds_set(waits), "locked": kinds_set(can_come(deal, seat))}
    return fields


def can_come(deal: Deal, seat: int) -> set[int]:
    """The seat's locks, but for kinds that lie in another's added kong: whether passing a robbery locks is all one."""
    grown = {meld.tiles[0] for melds in deal.melds for meld in melds if meld.kind == "kong+"}
    return deal.locked[seat] - grown


def open_copies(deal: Deal) -> list[int]:
    """Copies of each kind in everyone's view."""
    tiles = [tile for thrown in deal.discards for tile in thrown]
    tiles += [tile for melds in deal.melds for meld in melds if meld.kind != "kong-" for tile in meld.tiles]
    if deal.phase == "reaction" and deal.offer.robbing:
        tiles.append(deal.offer.tile)
    return counts_of(tiles)


def chain_fields(deal: Deal) -> dict[str, Any]:
    """The kongs without a discard between; one that could be robbed is no meld of that kind yet."""
    maker = deal.offer.giver if deal.phase == "reaction" else deal.turn
    kongs = [deal.kong(maker, tile) for tile in deal.chain]
    kinds = [MELD_KINDS[kong.kind] for kong in kongs]
    givers = [-1 if kong.giver is None else kong.giver for kong in kongs]
    if deal.phase == "reaction" and deal.offer.robbing:
        (pung,) = [meld for meld in deal.melds[maker] if meld.kind == "pung" and meld.tiles[0] == deal.offer.tile]
        kinds.append(MELD_KINDS["kong+"])
        givers.append(-1 if pung.giver is None else pung.giver)
    return {"chain_length": len(kinds), "chain_kind": kinds, "chain_from": givers}


def table_fields(deal: WatchedDeal, index: int, hand: int) -> dict[str, Any]:
    """What `view.table` must hold."""
    fish = deal.phase == "fish"
    offered = deal.phase == "reaction"
    thrown = [event for event in deal.events if event["event"] == "discard"]
    melds: list[list[Meld]] = [[], [], [], []] if fish else deal.melds
    drawn = None if fish else deal.drawn
    fields: dict[str, Any] = {
        "version": 1,
        "deal": index,
        "hand": hand,
        "dealer": deal.dealer,
        "dice": [0, 0] if fish else list(deal.dice),  # not thrown before the fish are named
        "phase": PHASES.index(deal.phase),
        "tile": deal.offer.tile if offered else -1 if drawn is None else drawn,
        "giver": deal.offer.giver if offered else -1,
        "robbing": int(offered and deal.offer.robbing),
        "discard_count": len(thrown),
        "discard_tile": [parse(event["tile"])[0] for event in thrown],
        "discard_seat": [event["seat"] for event in thrown],
        "meld_count": [len(each) for each in melds],
        "labels": [mask_of(labels) for labels in deal.labels],
        "fish_wanted": FISH,
    }
    for seat in SEATS:
        fields[f"meld_kind of {seat}"] = [MELD_KINDS[meld.kind] for meld in melds[seat]]
        fields[f"meld_tile of {seat}"] = [-1 if meld.kind == "kong-" else min(meld.tiles) for meld in melds[seat]]
        fields[f"meld_from of {seat}"] = [-1 if meld.giver is None else meld.giver for meld in melds[seat]]
    if not fish:
        fields |= {
            "turn": deal.turn,
            "drew": int(drawn is not None),
            "last_tile": int(deal.last_tile),
            "claimed": int(deal.claims_made > 0),
            "left": len(deal.live),
            **chain_fields(deal),
            **{name: digits(open_copies(deal), name) for name in ("ones", "twos", "fours")},
        }
    return fields


# ---- looking over the players' shoulders -------------------------------------------------------------------------


class Watcher:
    """Follows a run of deals with the twin, and compares what each seat is shown."""

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.deal: WatchedDeal | None = None
        self.index = -1
        self.answers: dict[int, int] = {}
        self.met: Counter[str] = Counter()
        self.problems: dict[str, list[str]] = {}

    def player(self, builtin: Player) -> Player:
        """A built-in player that is watched."""

        def decide(view: Any, legal: Any, rng: Any) -> int:
            self.look(view)
            chosen = int(builtin.function(view, legal, rng))
            self.answer(int(view.own.seat), chosen)
            return chosen

        return mjsim.player(decide)

    def look(self, view: Any) -> None:
        """Compare one view."""
        if view.table.deal != self.index:
            self.next_deal(int(view.table.deal))
        assert self.deal is not None
        seat, hand = int(view.own.seat), self.index % SESSION
        where = f"{self.rules} deal {self.index}, seat {seat}, {self.deal.phase}, event {len(self.deal.events)}"
        self.compare("own", where, view.own, own_fields(self.deal, seat))
        self.compare("table", where, view.table, table_fields(self.deal, self.index, hand))
        self.note_what_is_met(seat)

    def compare(self, part: str, where: str, record: Any, expected: dict[str, Any]) -> None:
        """Note every field of a record that is not as expected; of an array the members that are expected count."""
        for field, wanted in expected.items():
            name, _, seat = field.partition(" of ")
            shown = getattr(record, name)
            shown = shown[int(seat)] if seat else shown
            found = [int(each) for each in shown[: len(wanted)]] if isinstance(wanted, list) else int(shown)
            problems = self.problems.setdefault(f"{part}.{name}", [])
            if found != wanted:
                problems.append(f"{where}: {field} is {found}, should be {wanted}")

    def next_deal(self, index: int) -> None:
        """Begin the twin of the next deal."""
        begins = index % SESSION == 0
        before, self.index = self.deal, index
        assert begins or before is not None
        dealer = index // SESSION % 4 if begins or before is None else before.next_dealer()
        self.deal, self.answers = WatchedDeal(SEED, index, dealer, rules=self.rules), {}

    def answer(self, seat: int, chosen: int) -> None:
        """Let the twin go on once all who are asked have answered."""
        assert self.deal is not None
        self.answers[seat] = chosen
        if len(self.answers) == len(self.deal.asked()):
            self.deal.act(self.answers)
            self.answers = {}

    def note_what_is_met(self, seat: int) -> None:
        """Count what the comparison was about, so that a test can tell that it was about everything."""
        deal = self.deal
        assert deal is not None
        self.met["views"] += 1
        self.met[deal.phase] += 1
        if deal.phase == "fish":
            return
        kinds = Counter(meld.kind for melds in deal.melds for meld in melds)
        self.met.update(kinds.keys())
        self.met["robbing"] += deal.phase == "reaction" and deal.offer.robbing
        self.met["after robbing"] += "kong+" in kinds
        self.met["locked"] += bool(can_come(deal, seat))
        self.met["last tile"] += deal.last_tile
        self.met["own concealed kong"] += any(meld.kind == "kong-" for meld in deal.melds[seat])
        self.met["turn without a draw"] += deal.phase == "turn" and deal.drawn is None
        self.met["waiting"] += deal.rest[seat][0] == 0


def watch(rules: str, players: str, first: int, deals: int) -> Watcher:
    """Play deals and compare every view."""
    watcher = Watcher(rules)
    watched = [watcher.player(BUILTIN[name]) for name in players.split(",")]
    simulate(
        rules,
        deals=deals,
        seed=SEED,
        players=watched,
        threads=1,
        first=first,
        session=SESSION,
        fish=FISH,
        chunk=deals,
    )
    return watcher


# ---- hidden tiles ------------------------------------------------------------------------------------------------


class Followers:
    """Players that do again what they did before, and keep what one of them was shown at one decision."""

    def __init__(self, number: int) -> None:
        self.done: dict[tuple[Any, ...], int] = {}
        self.number = number
        self.where: tuple[Any, ...] | None = None
        self.seen: bytes | None = None

    def learning(self, decide: Callable[[Any, Any, Any], int]) -> Player:
        """Decide, and remember all of it."""

        def learn(view: Any, legal: Any, rng: Any) -> int:
            key = self.key(view)
            if len(self.done) == self.number:
                self.where, self.seen = key, view_bytes(view)
            self.done[key] = int(decide(view, legal, rng))
            return self.done[key]

        return mjsim.player(learn)

    def following(self) -> Player:
        """Do what was done, up to the decision; who may do more than before passes. What follows does not matter."""
        self.seen = None

        def follow(view: Any, legal: Any, rng: Any) -> int:
            key = self.key(view)
            if key == self.where:
                self.seen = view_bytes(view)
            if key in self.done and is_legal(view, legal, self.done[key]):
                return self.done[key]
            return 0 if legal.passing else mjsim.DISCARD * 256 + int(mjsim.lowest(legal.discard))

        return mjsim.player(follow)

    @staticmethod
    def key(view: Any) -> tuple[Any, ...]:
        """Which decision it is, by what everyone knows."""
        table = view.table
        melds = tuple(int(kind) for kind in table.meld_kind.ravel())
        return (int(view.own.seat), *(int(table[name]) for name in ("phase", "turn", "left", "discard_count")), melds)


def view_bytes(view: Any) -> bytes:
    """Every field of a seat's own record and of the table."""
    return b"".join(bytes(view.own[name].tobytes()) for name in SEAT.names or ()) + b"".join(
        bytes(view.table[name].tobytes()) for name in TABLE.names or ()
    )


def hidden_places(shown: Replay, number: int) -> list[int]:
    """Places in the wall whose tiles the seat of a decision has not seen by then.

    Those are the undrawn ones and what lies in the others' hands, but for tiles that they made concealed kongs of.
    """
    decision = shown.decisions[number]
    held: list[dict[int, int]] = [{}, {}, {}, {}]  # tile by place
    front, back = 53, 128 if shown.plan.rules.fishing.enabled else 136
    for place in range(front):
        held[dealt_seat(place, shown.events[0]["dealer"])][place] = shown.wall[place]
    for event in shown.events[1 : decision["event"]]:
        hand, tile = held[event.get("seat", 0)], parse(event["tile"])[0] if "tile" in event else -1
        if event["event"] == "draw":
            front, back = (front, back - 1) if event["from"] == "end" else (front + 1, back)
            hand[back if event["from"] == "end" else front - 1] = tile
        used = {"discard": 1, "kong+": 1, "pung": 2, "kong": 3, "kong-": 4}.get(event["event"], 0) * [tile]
        if event["event"] == "chow":
            used = [other for name in event["tiles"] for other in parse(name) if other != tile]
        for gone in used:
            del hand[next(place for place, kind in hand.items() if kind == gone)]
    others = [place for seat in SEATS if seat != decision["seat"] for place in held[seat]]
    return [*others, *range(front, back), *range(128 if shown.plan.rules.fishing.enabled else 136, 136)]


def seen_with_others_hidden(rules: str, deal: int, swaps: int) -> list[str]:
    """Deal the hidden tiles of one deal otherwise, several times, and tell whenever the view changes."""
    noisy = BUILTIN["noisy"]
    plan = Plan(load_rules(rules), (noisy,) * 4, SEED)
    shown = Replayer(plan).show(deal)
    problems = []
    source = np.random.default_rng(deal)
    turns = [number for number, each in enumerate(shown.decisions) if each["phase"] != "fish"]
    for _ in range(swaps):
        number = int(source.choice(turns))
        followers = Followers(number)
        Replayer(Plan(plan.rules, players_for_seats(followers.learning(noisy.function)), SEED)).show(deal)
        before = followers.seen
        places = hidden_places(shown, number)
        wall = np.array(shown.wall)
        wall[places] = wall[source.permutation(places)]
        Replayer(Plan(plan.rules, players_for_seats(followers.following()), SEED)).show(deal, wall.tolist())
        where = f"{rules} deal {deal}, decision {number}"
        if before is None or followers.seen != before:
            problems.append(f"{where}: the view is not the same")
        if (wall == shown.wall).all():
            problems.append(f"{where}: nothing was hidden")
    return problems


def main() -> None:
    """Watch deals of all rulesets, then hide tiles in some."""
    watchers = [watch(rules, players, first, deals) for rules, players, first, deals in WATCHED]
    hidden = [
        problem
        for rules in ("liuzhou", "nanning_folk")
        for deal in range(4)
        for problem in seen_with_others_hidden(rules, deal, swaps=3)
    ]
    met = sum((watcher.met for watcher in watchers), Counter[str]())
    problems: dict[str, list[str]] = {}
    for watcher in watchers:
        for field, wrong in watcher.problems.items():
            problems.setdefault(field, []).extend(wrong[:MOST_SHOWN])
    print(json.dumps({"met": met, "problems": problems, "hidden": hidden}))


if __name__ == "__main__":
    main()
