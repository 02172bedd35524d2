"""One deal of Liuzhou mahjong in plain Python, to be read beside ``rules.md``: the oracle of the engine's deals.

A `Deal` says who is asked what (`Deal.asked`), takes the answers (`Deal.act`) and writes the replay lines
(`Deal.events`). It never decides anything for a seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from .hands import is_complete, shanten, with_change
from .score import score
from .tiles import COPIES, KINDS, counts_of, is_honour, kinds_of, name, rank_of, text
from .wall import DEALT, deal_hands
from .wall import dice as throw_dice
from .wall import wall as shuffled_wall

# Kinds of action; an action is kind × 256 + tile.
PASS, WIN, DISCARD, CHOW_LOW, CHOW_MIDDLE, CHOW_HIGH, PUNG, KONG, KONG_ADDED, KONG_CONCEALED, FISH = range(11)

# The claimed tile stands so many places above the lowest tile of the chow.
ABOVE_LOWEST = {CHOW_LOW: 0, CHOW_MIDDLE: 1, CHOW_HIGH: 2}

FIRST_LABELLED = 128  # fish label 1 lies at this index of the wall

DEFAULT_OPTIONS: dict[str, Any] = {
    "chow": True,
    "fishing": True,
    "last_tile_discard": True,
    "max_labels": 2,
    "pass_lock": True,
    "reserve": "all",
    "rob_kong": True,
    "third_party": True,
}
# The options that a settlement depends on; a score case repeats them where they differ from the default.
SCORING_OPTIONS = ("rob_kong", "third_party")

Event = dict[str, Any]
Case = dict[str, Any]


def action(kind: int, tile: int = 0) -> int:
    """The number of an action."""
    return kind * 256 + tile


def kind_of(number: int) -> int:
    """The kind of an action."""
    return number // 256


def tile_of(number: int) -> int:
    """The tile of an action (the label mask of a fish action)."""
    return number % 256


def seats_after(seat: int) -> list[int]:
    """The three other seats in playing order."""
    return [(seat + offset) % 4 for offset in (1, 2, 3)]


def labels_in(mask: int) -> list[int]:
    """The labels of a bit mask, ascending: label i is bit i − 1."""
    return [label for label in range(1, 9) if mask >> (label - 1) & 1]


def mask_of(labels: Iterable[int]) -> int:
    """The bit mask of some distinct labels."""
    return sum(1 << (label - 1) for label in labels)


@dataclass
class Meld:
    """A meld on the table: ``chow``, ``pung``, ``kong`` (direct), ``kong+`` (added) or ``kong-`` (concealed)."""

    kind: str
    tiles: list[int]
    giver: int | None

    @property
    def is_kong(self) -> bool:
        """Whether it has four tiles."""
        return self.kind.startswith("kong")

    def text(self) -> str:
        """As score cases write it."""
        tiles = text(self.tiles) if self.kind == "chow" else name(self.tiles[0])
        return f"{self.kind} {tiles}" if self.giver is None else f"{self.kind} {tiles} <{self.giver}"


@dataclass
class Offer:
    """A tile that other seats may claim: a discard, or the tile of an added kong that may be robbed."""

    giver: int
    tile: int
    robbing: bool
    legal: dict[int, set[int]]  # by asked seat, in playing order after the giver


class Deal:
    """One deal of Liuzhou from the fish to the settlement.

    Parameters
    ----------
    seed, deal : int
        Which wall and dice; also what the `start` line says.
    dealer : int
        The dealer's seat.
    options : mapping, optional
        What differs from `DEFAULT_OPTIONS`.
    players : sequence of str
        Names for the `start` line.
    wall : sequence of int, optional
        136 kinds in drawing order, instead of the shuffled wall of (seed, deal).

    Attributes
    ----------
    phase : str
        ``fish``, ``turn``, ``reaction`` or ``over``.
    events : list of dict
        The replay lines written so far.
    hands : list of list of int
        Concealed tiles by seat, as counts of the 34 kinds.
    """

    def __init__(
        self,
        seed: int,
        deal: int,
        dealer: int,
        options: Mapping[str, Any] | None = None,
        *,
        players: Sequence[str] = ("fast",) * 4,
        wall: Sequence[int] | None = None,
    ) -> None:
        unknown = set(options or {}) - set(DEFAULT_OPTIONS)
        if unknown:
            raise ValueError(f"no such option: {sorted(unknown)}")
        self.options = {**DEFAULT_OPTIONS, **(options or {})}
        self.seed, self.deal, self.dealer = seed, deal, dealer
        self.players = list(players)
        self.wall = list(wall) if wall is not None else shuffled_wall(seed, deal)
        if Counter(self.wall) != Counter(dict.fromkeys(range(KINDS), COPIES)):
            raise ValueError("a wall has four tiles of each of 34 kinds")
        self.dice = throw_dice(seed, deal)
        self.labels: list[list[int]] = [[], [], [], []]
        self.fish_asked = 0
        self.events: list[Event] = []
        self.case: Case | None = None
        self.answer: dict[str, Any] | None = None
        if self.options["fishing"]:
            self.phase = "fish"
        else:
            self._begin()

    # ---- who is asked, and what is legal -------------------------------------------------------------------------

    def asked(self) -> list[tuple[int, list[int]]]:
        """The seats to be asked now, each with its legal actions in ascending order; nobody when the deal is over."""
        if self.phase == "fish":
            return [((self.dealer + self.fish_asked) % 4, sorted(self.fish_actions()))]
        if self.phase == "turn":
            return [(self.turn, sorted(self.turn_actions()))]
        if self.phase == "reaction":
            return [(seat, sorted(legal)) for seat, legal in self.offer.legal.items()]
        return []

    def fish_actions(self) -> set[int]:
        """Every set of free labels up to the limit, the empty one included."""
        taken = {label for labels in self.labels for label in labels}
        free = [label for label in range(1, 9) if label not in taken]
        return {
            action(FISH, mask_of(labels))
            for size in range(min(self.options["max_labels"], len(free)) + 1)
            for labels in combinations(free, size)
        }

    def turn_actions(self) -> set[int]:
        """What the seat whose turn it is may do with its 14 tiles (fewer beside melds)."""
        seat, hand = self.turn, self.hands[self.turn]
        legal: set[int] = set()
        if self.drawn is not None:  # a win or a kong needs a draw: not straight after a chow or pung
            if is_complete(hand, len(self.melds[seat])):
                legal.add(action(WIN, self.drawn))
            if self.live:  # a kong needs a replacement
                pungs = {meld.tiles[0] for meld in self.melds[seat] if meld.kind == "pung"}
                legal |= {action(KONG_ADDED, tile) for tile in pungs if hand[tile]}
                legal |= {action(KONG_CONCEALED, tile) for tile in range(KINDS) if hand[tile] == 4}
        if self._ends_undiscarded():
            legal.add(action(PASS))
        else:
            legal |= {action(DISCARD, tile) for tile in range(KINDS) if hand[tile]}
        return legal

    def reaction_actions(self, seat: int, giver: int, tile: int, robbing: bool) -> set[int]:
        """What a seat may do about another's discard or added kong; only passing when it has nothing to say."""
        legal = {action(PASS)}
        if self._completes(seat, tile) and tile not in self.locked[seat]:
            legal.add(action(WIN, tile))
        if robbing or not self.live:  # the last tile's discard may only be won
            return legal
        held = self.hands[seat][tile]
        if held >= 2:
            legal.add(action(PUNG, tile))
        if held >= 3:
            legal.add(action(KONG, tile))
        if self.options["chow"] and seat == (giver + 1) % 4 and not is_honour(tile):
            for kind, above in ABOVE_LOWEST.items():
                others = {tile - above, tile - above + 1, tile - above + 2} - {tile}
                if 1 <= rank_of(tile) - above <= 7 and all(self.hands[seat][other] for other in others):
                    legal.add(action(kind, tile))
        return legal

    def _completes(self, seat: int, tile: int) -> bool:
        """Whether the tile would complete the seat's hand."""
        return is_complete(with_change(self.hands[seat], tile, 1), len(self.melds[seat]))

    def _ends_undiscarded(self) -> bool:
        """Whether the deal ends with this turn because the last drawn tile is not to be played out."""
        return not self.live and self.drawn is not None and not self.options["last_tile_discard"]

    # ---- what happens --------------------------------------------------------------------------------------------

    def act(self, answers: Mapping[int, int]) -> None:
        """Let every asked seat do what it answered.

        Parameters
        ----------
        answers : mapping of int to int
            Action by seat, for exactly the seats that `asked` names.
        """
        asked = dict(self.asked())
        if set(answers) != set(asked):
            raise ValueError(f"asked were {sorted(asked)}, answered have {sorted(answers)}")
        for seat, number in answers.items():
            if number not in asked[seat]:
                raise ValueError(f"seat {seat}: illegal action {number}, legal {asked[seat]}")
        if self.phase == "fish":
            ((seat, number),) = answers.items()
            self.labels[seat] = labels_in(tile_of(number))
            self.fish_asked += 1
            if self.fish_asked == 4:
                self._begin()
        elif self.phase == "turn":
            self._take_turn(answers[self.turn])
        else:
            self._answered(answers)

    def _begin(self) -> None:
        """Deal the tiles, set the fish apart, and give the dealer the first turn."""
        dealt, self.last_dealt = deal_hands(self.wall, self.dealer)
        self.hands = [counts_of(hand) for hand in dealt]
        labelled = {label: self.wall[FIRST_LABELLED - 1 + label] for label in range(1, 9)}
        picked = {label for labels in self.labels for label in labels}
        self.live = self.wall[DEALT:FIRST_LABELLED]
        self.apart: dict[int, int] = {}  # tile by label
        for label, tile in labelled.items():
            if self.options["fishing"] and (self.options["reserve"] == "all" or label in picked):
                self.apart[label] = tile
            else:
                self.live.append(tile)
        self.fish_tiles = labelled if self.options["fishing"] else {}
        self.melds: list[list[Meld]] = [[], [], [], []]
        self.discards: list[list[int]] = [[], [], [], []]  # the unclaimed ones
        self.locked: list[set[int]] = [set(), set(), set(), set()]
        self.blocked = [0, 0, 0, 0]
        self.own_draws = [0, 0, 0, 0]
        self.discards_made = 0
        self.claims_made = 0  # chows, pungs and direct kongs
        self.chain: list[int] = []
        self.robbed = False
        self.turn = self.dealer
        self.drawn: int | None = self.last_dealt
        self._write(
            "start",
            deal=self.deal,
            rules="liuzhou",
            seed=self.seed,
            players=self.players,
            dealer=self.dealer,
            dice=list(self.dice),
            hands=[text(kinds_of(hand)) for hand in self.hands],
            last_dealt=name(self.last_dealt),
            fish_labels=[list(labels) for labels in self.labels],
        )
        self.start_shanten = [shanten(hand, 0) for hand in self.hands]
        self.ready_draw = [-1, -1, -1, -1]
        for seat in seats_after(self.dealer):
            self._comes_to_rest(seat)
        self.phase = "turn"

    def _comes_to_rest(self, seat: int) -> None:
        """Note the draw at which a resting hand is ready for the first time."""
        if self.ready_draw[seat] < 0 and shanten(self.hands[seat], len(self.melds[seat])) == 0:
            self.ready_draw[seat] = sum(self.own_draws)

    def _draw(self, seat: int, end: bool) -> None:
        """Draw normally, or a kong's replacement from the end; the drawer's turn begins."""
        tile = self.live.pop() if end else self.live.pop(0)
        self.hands[seat][tile] += 1
        self.own_draws[seat] += 1
        self.locked[seat].clear()
        self._write("draw", seat=seat, tile=name(tile), **{"from": "end" if end else "wall"}, left=len(self.live))
        self.turn, self.drawn, self.phase = seat, tile, "turn"
        if self._ends_undiscarded() and self.turn_actions() == {action(PASS)}:
            self._end_drawn()

    def _take_turn(self, number: int) -> None:
        """Do what the seat whose turn it is decided."""
        seat, kind, tile = self.turn, kind_of(number), tile_of(number)
        if kind == WIN:
            self._end_won("self_draw", [seat], tile, None)
        elif kind == PASS:
            self._end_drawn()
        elif kind == DISCARD:
            self.hands[seat][tile] -= 1
            self.discards[seat].append(tile)
            self.discards_made += 1
            self._write("discard", seat=seat, tile=name(tile))
            self._comes_to_rest(seat)
            self._offer(seat, tile, robbing=False)
        elif kind == KONG_CONCEALED:
            self.hands[seat][tile] -= 4
            self.melds[seat].append(Meld("kong-", [tile] * 4, None))
            self._write("kong-", seat=seat, tile=name(tile))
            self._replace(seat, tile)
        else:
            self.hands[seat][tile] -= 1
            self._write("kong+", seat=seat, tile=name(tile), **{"from": self._pung(seat, tile).giver})
            self._comes_to_rest(seat)
            self._offer(seat, tile, robbing=True)

    def _pung(self, seat: int, tile: int) -> Meld:
        """The seat's pung of a kind."""
        (pung,) = [meld for meld in self.melds[seat] if meld.kind == "pung" and meld.tiles[0] == tile]
        return pung

    def _replace(self, seat: int, tile: int) -> None:
        """Lengthen the chain by a kong just made, and draw its replacement."""
        self.chain.append(tile)
        self._comes_to_rest(seat)
        self._draw(seat, end=True)

    def _offer(self, giver: int, tile: int, *, robbing: bool) -> None:
        """Lay a tile open for the others to claim."""
        offer = Offer(giver, tile, robbing, {})
        for seat in seats_after(giver) if not robbing or self.options["rob_kong"] else []:
            if tile in self.locked[seat] and self._completes(seat, tile):
                self.blocked[seat] += 1
            legal = self.reaction_actions(seat, giver, tile, robbing)
            if legal != {action(PASS)}:
                offer.legal[seat] = legal
        self.offer, self.phase = offer, "reaction"
        if not offer.legal:
            self._answered({})

    def _answered(self, answers: Mapping[int, int]) -> None:
        """Settle a round of reactions: wins before a pung or kong, which go before a chow."""
        offer = self.offer
        for seat, legal in offer.legal.items():
            if action(WIN, offer.tile) in legal and kind_of(answers[seat]) != WIN:
                self._write("pass", seat=seat, tile=name(offer.tile))
                if self.options["pass_lock"]:
                    self.locked[seat].add(offer.tile)
        by_rank = [
            [seat for seat in offer.legal if kind_of(answers[seat]) in kinds]
            for kinds in ((WIN,), (PUNG, KONG), (CHOW_LOW, CHOW_MIDDLE, CHOW_HIGH))
        ]
        winners = by_rank[0]
        if winners:
            self._end_won("rob_kong" if offer.robbing else "discard", winners, offer.tile, offer.giver)
        elif offer.robbing:
            pung = self._pung(offer.giver, offer.tile)
            pung.kind, pung.tiles = "kong+", [offer.tile] * 4
            self._replace(offer.giver, offer.tile)
        elif by_rank[1] or by_rank[2]:
            (seat,) = by_rank[1] or by_rank[2]
            self._claim(seat, kind_of(answers[seat]))
        elif not self.live:
            self._end_drawn()
        else:
            self.chain = []
            self._draw((offer.giver + 1) % 4, end=False)

    def _claim(self, seat: int, kind: int) -> None:
        """Make a meld of the discard on the table."""
        giver, tile = self.offer.giver, self.offer.tile
        self.discards[giver].pop()
        self.claims_made += 1
        self.chain = []
        if kind in ABOVE_LOWEST:
            lowest = tile - ABOVE_LOWEST[kind]
            meld = Meld("chow", [lowest, lowest + 1, lowest + 2], giver)
        else:
            meld = Meld("pung", [tile] * 3, giver) if kind == PUNG else Meld("kong", [tile] * 4, giver)
        for used in meld.tiles:
            self.hands[seat][used] -= 1
        self.hands[seat][tile] += 1  # the claimed one came from the giver
        self.melds[seat].append(meld)
        shown = {"tiles": [name(used) for used in meld.tiles]} if meld.kind == "chow" else {}
        self._write(meld.kind, seat=seat, tile=name(tile), **{"from": giver}, **shown)
        self.turn, self.drawn, self.phase = seat, None, "turn"
        if kind == KONG:
            self._replace(seat, tile)

    # ---- the end -------------------------------------------------------------------------------------------------

    def _end_drawn(self) -> None:
        """Nobody won."""
        self._write("drawn")
        self._settle({"how": "drawn"})

    def _end_won(self, how: str, winners: list[int], tile: int, giver: int | None) -> None:
        """One or more seats win a tile."""
        chain = [*self.chain, tile] if how == "rob_kong" else self.chain
        hands = [list(hand) for hand in self.hands]
        if giver is None:
            hands[winners[0]][tile] -= 1
        case: Case = {"how": how, "winners": winners, "tile": name(tile)}
        if giver is not None:
            case["from"] = giver
        case["hands"] = [text(kinds_of(hand)) for hand in hands]
        if chain:
            case["chain"] = [name(kong) for kong in chain]
        if not self.live:
            case["last_tile"] = True
        moment = self._moment(how, winners[0])
        if moment:
            case["moment"] = moment
        self.robbed = how == "rob_kong"
        self._settle(case)

    def _moment(self, how: str, winner: int) -> str | None:
        """Which of the deal's first moments a win is, if any."""
        if how == "self_draw" and not self.claims_made:
            draws = self.own_draws[winner]
            if winner == self.dealer:
                return "dealt" if draws == 0 else None
            return "first_draw" if draws == 1 else None
        return "first_discard" if how == "discard" and self.discards_made == 1 else None

    def _settle(self, ending: Case) -> None:
        """Complete the score case, settle it, and write the last lines."""
        case: Case = {"id": f"seed {self.seed} deal {self.deal}", "rules": "liuzhou", "dealer": self.dealer, **ending}
        options = {key: self.options[key] for key in SCORING_OPTIONS if self.options[key] != DEFAULT_OPTIONS[key]}
        if options:
            case["options"] = options
        case["melds"] = [[meld.text() for meld in melds] for melds in self.melds]
        if self.options["fishing"]:
            case["fish"] = [[name(self.fish_tiles[label]) for label in labels] for labels in self.labels]
        answer = score(case)
        if "error" in answer:
            raise AssertionError(f"the twin played a deal that cannot be scored: {answer['error']}: {case}")
        case["expect"] = {key: list(answer[key]) for key in ("hand", "kongs", "fish", "net")}
        giver = {"from": case["from"]} if "from" in case else {}
        for won in answer["winners"]:
            types, points = sorted(won["types"]), won["points"]
            self._write(
                "win", seat=won["seat"], tile=case["tile"], how=case["how"], **giver, types=types, points=points
            )
        if len(answer["winners"]) == 1:
            case["expect"]["types"] = sorted(answer["winners"][0]["types"])
        self._write("settled", case=case)
        self.case, self.answer, self.phase = case, answer, "over"

    def next_dealer(self) -> int:
        """Who deals next: the winner; of several the giver of the tile; after a drawn deal the same."""
        assert self.case is not None, "the deal is not over"
        winners = self.case.get("winners", [])
        if len(winners) > 1:
            return int(self.case["from"])
        return int(winners[0]) if winners else self.dealer

    # ---- bookkeeping ---------------------------------------------------------------------------------------------

    def _write(self, event: str, **fields: Any) -> None:
        """Write a replay line."""
        self.events.append({"event": event, **fields})

    def seen_by(self, seat: int) -> list[int]:
        """Copies of each kind a seat sees: its own tiles, the others' exposed melds, all unclaimed discards."""
        seen = list(self.hands[seat])
        for owner in range(4):
            for meld in self.melds[owner]:
                if owner == seat or meld.kind != "kong-":
                    for tile in meld.tiles:
                        seen[tile] += 1
            for tile in self.discards[owner]:
                seen[tile] += 1
        return seen

    def whereabouts(self) -> Counter[int]:
        """Every tile of the deal, wherever it lies: four of each kind at any moment."""
        tiles = Counter(self.live) + Counter(self.apart.values())
        for seat in range(4):
            tiles.update(kinds_of(self.hands[seat]))
            tiles.update(self.discards[seat])
            tiles.update(tile for meld in self.melds[seat] for tile in meld.tiles)
        if self.robbed or (self.phase == "reaction" and self.offer.robbing):
            tiles[self.offer.tile] += 1  # laid down for a kong, not yet anyone's
        return tiles
