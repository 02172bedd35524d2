"""The slow twin of settlement for `liuzhou`: score cases answered in plain Python from the rule text.

Letters and section names in comments are those of the rules made exact (sections 0, A and D).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import tiles

SEATS = range(4)
HAND_TYPES = {"all_pungs", "full_flush", "seven_pairs", "melded_hand"}
HOWS = ("self_draw", "discard", "rob_kong", "drawn")
MOMENTS = ("dealt", "first_draw", "first_discard")
CASE_KEYS = {"id", "rules", "options", "dealer", "how", "winners", "from", "tile", "hands", "melds", "chain"}
FURTHER_KEYS = {"last_tile", "moment", "fish", "horses", "expect", "note", "source"}
DEFAULT_OPTIONS = {"third_party": True, "rob_kong": True, "last_tile_discard": True, "reserve": "all"}
MELD_SIZES = {"chow": 3, "pung": 3, "kong": 4, "kong+": 4, "kong-": 4}

RULE = {
    "ordinary": 1,  # an ordinary hand, on a discard or from each on a self-draw [S 1]
    "typed_discard": 3,  # a hand with one type, on a discard [S 3-5]
    "step": 2,  # every further type, and every type on a self-draw
    "last_tile_draw": 2,  # [S 8]
    "replacement_win": 2,  # [S 10]
    "replacement_ordinary": 3,  # an ordinary hand after a concealed kong, from each [S 10]
    "kong_discard": 2,  # [S 11]
    "shares": 3,  # what one seat owes that pays for all
    "exposed_kong": 1,  # [S 9]
    "concealed_kong": 1,  # from each [S 9]
    "liable_melds": 3,  # [S 7], and what the giver owes the maker beyond the usual:
    "liable_giver_to_maker": 1,
    "liable_giver_to_third": 1,
    "liable_third_to_maker": 1,
    "liable_self_draw": 2,
    "fish_each": 2,
}


class CaseError(Exception):
    """The case cannot be a finished deal under its rules."""


@dataclass(frozen=True)
class Meld:
    """One meld: what it is, its tiles, and the seat whose discard it was made from (none if concealed)."""

    word: str
    kinds: tuple[int, ...]
    source: int | None


@dataclass(frozen=True)
class Deal:
    """A score case with every key read, absent ones filled in."""

    options: dict[str, Any]
    dealer: int
    how: str
    winners: list[int]
    giver: int | None
    tile: int | None
    hands: list[list[int]]
    melds: list[list[Meld]]
    chain: list[int]
    last_tile: bool
    moment: str | None
    fish: list[list[int]]


@dataclass(frozen=True)
class Win:
    """The dearest reading of a winner's hand: its types and events, and points per share."""

    seat: int
    types: frozenset[str]
    points: int


@dataclass(frozen=True)
class Transfer:
    """Points that one seat pays another."""

    payer: int
    receiver: int
    points: int
    reason: str


def score(case: dict[str, Any], base_options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Answer one score case.

    Parameters
    ----------
    case : dict
        The case as the score-case format describes it.
    base_options : dict, optional
        Rules options that hold where the case sets none.

    Returns
    -------
    dict
        The answer with `net`, `hand`, `kongs`, `fish`, `liability`, `winners` and `transfers`, or `id` and `error`.
    """
    try:
        deal = read_deal(case, base_options or {})
        check_melds(deal)
        check_copies(deal)
        check_win(deal)
        check_chain(deal)
        check_moment(deal)
        wins = [dearest_win(deal, seat) for seat in deal.winners]
    except CaseError as problem:
        return {"id": case.get("id"), "error": str(problem)}
    transfers = settle(deal, wins)
    parts = {reason: balance(transfers, reason) for reason in ("hand", "liability", "kong", "fish")}
    hand = [parts["hand"][seat] + parts["liability"][seat] for seat in SEATS]
    return {
        "id": case["id"],
        "net": [hand[seat] + parts["kong"][seat] + parts["fish"][seat] for seat in SEATS],
        "hand": hand,
        "kongs": parts["kong"],
        "fish": parts["fish"],
        "liability": parts["liability"],
        "winners": [{"seat": win.seat, "types": sorted(win.types), "points": win.points} for win in wins],
        "transfers": [{"from": t.payer, "to": t.receiver, "points": t.points, "reason": t.reason} for t in transfers],
    }


# Reading a case


def require(true: bool, otherwise: str) -> None:
    """Refuse the case unless something holds."""
    if not true:
        raise CaseError(otherwise)


def read_deal(case: dict[str, Any], base_options: dict[str, Any]) -> Deal:
    """Read every key of a case, and refuse what the format does not allow."""
    for key in case:
        require(key in CASE_KEYS | FURTHER_KEYS, f"{key}: no such key")
    require(isinstance(case.get("id"), str) and case["id"] != "", "id: a name is needed")
    require(case.get("rules") == "liuzhou", f"rules: {case.get('rules')!r} is not liuzhou")
    require(not case.get("horses"), "horses: liuzhou has none")
    how = case.get("how")
    require(how in HOWS, f"how: {how!r} is none of {', '.join(HOWS)}")
    for key in ("winners", "tile", "from", "chain", "last_tile", "moment"):
        require(how != "drawn" or case.get(key) in (None, [], False), f"{key}: nobody wins a drawn deal")
    passed_on = how in ("discard", "rob_kong")
    require(passed_on or "from" not in case, f"from: {how} comes from no other seat")
    last_tile = case.get("last_tile", False)
    require(isinstance(last_tile, bool), f"last_tile: {last_tile!r} is neither true nor false")
    moment = case.get("moment")
    require(moment in (None, *MOMENTS), f"moment: {moment!r} is none of {', '.join(MOMENTS)}")
    no_hands = ["", "", "", ""] if how == "drawn" else None
    hands = four(case.get("hands", no_hands), str, "hands")
    melds = four(case.get("melds"), list, "melds")
    fish = four(case.get("fish", [[], [], [], []]), list, "fish")
    return Deal(
        options=read_options({**base_options, **read_table(case.get("options", {}))}),
        dealer=read_seat(case.get("dealer"), "dealer"),
        how=str(how),
        winners=[read_seat(seat, "winners") for seat in read_list(case.get("winners", []), "winners")],
        giver=read_seat(case.get("from"), "from") if passed_on else None,
        tile=None if how == "drawn" else read_tile(case.get("tile"), "tile"),
        hands=[read_tiles(hands[seat], f"hand of seat {seat}") for seat in SEATS],
        melds=[[read_meld(text, seat) for text in melds[seat]] for seat in SEATS],
        chain=[read_tile(text, "chain") for text in read_list(case.get("chain", []), "chain")],
        last_tile=last_tile,
        moment=moment,
        fish=[[read_tile(text, f"fish of seat {seat}") for text in fish[seat]] for seat in SEATS],
    )


def read_table(options: Any) -> dict[str, Any]:
    """Return the case's options if they are a table."""
    require(isinstance(options, dict), f"options: {options!r} is no table")
    return dict(options)


def read_options(given: dict[str, Any]) -> dict[str, Any]:
    """Fill in the options that are not given, and refuse unknown ones."""
    for key, value in given.items():
        require(key in DEFAULT_OPTIONS, f"options: liuzhou has no option {key}")
        fitting = value in ("all", "picked") if key == "reserve" else isinstance(value, bool)
        require(fitting, f"options: {key} cannot be {value!r}")
    return {**DEFAULT_OPTIONS, **given}


def read_list(value: Any, key: str) -> list[Any]:
    """Return a list, or refuse what is none."""
    require(isinstance(value, list), f"{key}: {value!r} is no list")
    return list(value)


def four(value: Any, kind: type, key: str) -> list[Any]:
    """Return a list of one entry for each seat."""
    entries = read_list(value, key)
    fitting = len(entries) == 4 and all(isinstance(entry, kind) for entry in entries)
    require(fitting, f"{key}: one entry for each seat is needed")
    return entries


def read_seat(value: Any, key: str) -> int:
    """Return a seat number."""
    if type(value) is not int or value not in SEATS:
        raise CaseError(f"{key}: {value!r} is no seat")
    return value


def read_tiles(value: Any, key: str) -> list[int]:
    """Return the kinds that a text names."""
    require(isinstance(value, str), f"{key}: {value!r} is no text")
    try:
        return tiles.parse(value)
    except ValueError as problem:
        raise CaseError(f"{key}: {problem}") from problem


def read_tile(value: Any, key: str) -> int:
    """Return the one kind that a text names."""
    kinds = read_tiles(value, key)
    require(len(kinds) == 1, f"{key}: {value!r} is not one tile")
    return kinds[0]


def read_meld(value: Any, seat: int) -> Meld:
    """Read one meld of a seat, such as `pung 5m <0`."""
    key = f"meld {value!r} of seat {seat}"
    require(isinstance(value, str), f"{key}: no text")
    words = value.split(" ")
    word = words[0]
    require(word in MELD_SIZES, f"{key}: {word!r} is no sort of meld")
    sourced = len(words) == 3 and words[2] in ("<0", "<1", "<2", "<3")
    if word == "kong-":
        require(len(words) == 2, f"{key}: a concealed kong comes from nobody")
    else:
        require(sourced, f"{key}: it needs the seat it came from, as in <0")
    source = int(words[2][1]) if sourced else None
    if word == "chow":
        return Meld(word, tuple(sorted(read_tiles(words[1], key))), source)
    return Meld(word, (read_tile(words[1], key),) * MELD_SIZES[word], source)


# What a finished deal can look like


def check_melds(deal: Deal) -> None:
    """Refuse melds that cannot be made, and hands that do not go with the number of melds."""
    for seat in SEATS:
        for meld in deal.melds[seat]:
            what = f"seat {seat}: {meld.word} {tiles.text(meld.kinds)}"
            require(meld.source != seat, f"{what} comes from the seat itself")
            if meld.word == "chow":
                require(meld.kinds in all_chows(), f"{what} is no sequence")
                require(meld.source == (seat - 1) % 4, f"{what} comes from seat {meld.source}, not the previous seat")
        wanted = 13 - 3 * len(deal.melds[seat])
        require(wanted > 0, f"seat {seat} has {len(deal.melds[seat])} melds")
        held = len(deal.hands[seat])
        if deal.how == "drawn":
            require(held == 0, f"seat {seat}: the hands of a drawn deal stay empty")
        elif held or seat in deal.winners:
            require(held == wanted, f"seat {seat} holds {held} tiles beside its melds, not {wanted}")
        require(len(deal.fish[seat]) <= RULE["fish_each"], f"seat {seat} has {len(deal.fish[seat])} fish")


def all_chows() -> set[tuple[int, ...]]:
    """Return every three tiles that make a chow."""
    return {(kind, kind + 1, kind + 2) for suit in "mps" for kind in list(tiles.kinds_in(suit))[:7]}


def check_copies(deal: Deal) -> None:
    """Refuse a fifth copy of a kind; the winning tile is one tile, however many win on it."""
    seen = Counter(kind for hand in deal.hands for kind in hand)
    seen.update(kind for melds in deal.melds for meld in melds for kind in meld.kinds)
    seen.update(kind for owned in deal.fish for kind in owned)
    seen.update([] if deal.tile is None else [deal.tile])
    for kind, count in seen.items():
        require(count <= tiles.COPIES, f"{tiles.name(kind)}: there are {count} of them")


def check_win(deal: Deal) -> None:
    """Refuse winners and ways to win that do not go together."""
    if deal.how == "drawn":
        return
    require(len(deal.winners) > 0, f"winners: {deal.how} needs a winner")
    if deal.how == "self_draw":
        require(len(deal.winners) == 1, f"winners: seats {deal.winners} cannot all draw the tile")
    if deal.giver is not None:
        require(deal.giver not in deal.winners, f"winners: seat {deal.giver} wins on its own tile")
        distances = [(seat - deal.giver) % 4 for seat in deal.winners]
        in_order = distances == sorted(set(distances))
        require(in_order, f"winners: {deal.winners} is not in playing order after seat {deal.giver}")
    if deal.how == "rob_kong":
        require(deal.options["rob_kong"], f"seat {deal.giver}: these rules let nobody rob a kong")
        require(not deal.last_tile, "last_tile: no kong can be added on the last tile, so none is robbed")
    if deal.how == "discard" and deal.last_tile:
        require(deal.options["last_tile_discard"], f"seat {deal.giver}: these rules do not play out the last tile")


def check_chain(deal: Deal) -> None:
    """Refuse a chain that the seat's melds contradict."""
    if deal.how == "drawn":
        return
    seat = deal.winners[0] if deal.giver is None else deal.giver
    made = {meld.kinds[0]: meld for meld in deal.melds[seat] if meld.word.startswith("kong")}
    kongs = list(deal.chain)
    if deal.how == "rob_kong":
        robbed = tiles.name(deal.tile or 0)
        require(kongs[-1:] == [deal.tile], f"chain: it must end with the robbed tile {robbed}")
        kongs.pop()
        pungs = [meld.kinds[0] for meld in deal.melds[seat] if meld.word == "pung"]
        require(deal.tile in pungs, f"seat {seat} has no pung of the robbed tile {robbed}")
    for place, kind in enumerate(kongs):
        require(kind in made, f"chain: seat {seat} has no kong of {tiles.name(kind)}")
        require(kind not in kongs[:place], f"chain: seat {seat} makes the kong of {tiles.name(kind)} only once")
        fitting = place == 0 or made[kind].word != "kong"
        require(fitting, f"chain: seat {seat}'s direct kong of {tiles.name(kind)} can only be the first")
    # Nothing is claimed within a chain, so its new melds are the last ones; an added kong stands at its pung's place.
    new = [made[kind] for kind in kongs if made[kind].word != "kong+"]
    latest = deal.melds[seat][len(deal.melds[seat]) - len(new) :]
    require(latest == new, f"chain: seat {seat} made another meld after {tiles.text(kongs)} began")


def check_moment(deal: Deal) -> None:
    """Refuse a first moment that the rest of the deal contradicts."""
    if deal.moment is None:
        return
    where = f"moment {deal.moment}"
    require(not deal.last_tile, f"{where}: the last tile comes much later")
    discarded = deal.moment == "first_discard"
    require(deal.how == ("discard" if discarded else "self_draw"), f"{where}: the win is a {deal.how}")
    acting = deal.giver if discarded else deal.winners[0]
    by_dealer = deal.moment != "first_draw"
    require((acting == deal.dealer) == by_dealer, f"{where}: seat {acting} acts, the dealer is seat {deal.dealer}")
    for seat in SEATS:
        for meld in deal.melds[seat]:
            what = f"{where}: seat {seat} already has {meld.word} {tiles.name(meld.kinds[0])}"
            require(meld.word == "kong-", what)
            # Only a seat whose first turn has come can hold a concealed kong; a winner's own would spoil his moment.
            if discarded:
                require(seat == deal.dealer, what)
            else:
                require((seat - deal.dealer) % 4 < (deal.winners[0] - deal.dealer) % 4, what)
    if discarded:
        made = [meld.kinds[0] for meld in deal.melds[deal.dealer]]
        require(deal.chain == made, f"{where}: all kongs of seat {deal.dealer} precede the discard, and make its chain")


# What a hand is worth


def splits(kinds: list[int]) -> Iterator[list[str]]:
    """Yield every way to split sorted tiles into chows and pungs, as lists of these words."""
    if not kinds:
        yield []
        return
    first = kinds[0]
    for word, wanted in (("pung", (first, first, first)), ("chow", (first, first + 1, first + 2))):
        if word == "chow" and wanted not in all_chows():
            continue
        rest = without(kinds, wanted)
        if rest is not None:
            for others in splits(rest):
                yield [word, *others]


def without(kinds: list[int], taken: tuple[int, ...]) -> list[int] | None:
    """Return the tiles that are left when some are taken, none if they are not there."""
    rest = list(kinds)
    for kind in taken:
        if kind not in rest:
            return None
        rest.remove(kind)
    return rest


def readings(held: list[int], melds: list[Meld]) -> Iterator[frozenset[str]]:
    """Yield the hand types of every reading of the concealed tiles, the winning one among them."""
    always = set()
    everything = held + [kind for meld in melds for kind in meld.kinds]
    suits = {tiles.suit_of(kind) for kind in everything}
    if len(suits) == 1 and suits != {"z"}:
        always.add("full_flush")
    if all(meld.word == "kong-" for meld in melds):
        always.add("concealed_hand")
    if len(held) == 2 and all(meld.word != "kong-" for meld in melds):
        always.add("melded_hand")
    for kind in sorted(set(held)):
        rest = without(sorted(held), (kind, kind))
        for sets in [] if rest is None else splits(rest):
            pungs = "chow" not in sets + [meld.word for meld in melds]
            yield frozenset(always | ({"all_pungs"} if pungs else set()))
    counts = Counter(held).values()
    if not melds and all(count in (2, 4) for count in counts):
        quads = list(counts).count(4)
        yield frozenset(always | {"seven_pairs"} | ({f"quads_{quads}"} if quads else set()))


def events_of(deal: Deal) -> set[str]:
    """Return the events of the win, the same for every winner."""
    events = set()
    if deal.how == "rob_kong":
        events.add("robbing_kong")
    elif deal.chain:
        events.add("replacement_win" if deal.how == "self_draw" else "kong_discard")
    if deal.last_tile:
        events.add("last_tile_draw" if deal.how == "self_draw" else "last_tile_claim")
    return events


def last_kong(deal: Deal, seat: int) -> Meld:
    """Return the kong that a self-drawing winner's chain ends with: it decides who pays."""
    return next(m for m in deal.melds[seat] if m.word.startswith("kong") and m.kinds[0] == deal.chain[-1])


def points_of(deal: Deal, seat: int, types: frozenset[str]) -> int:
    """Return the points of one share: S or D with its events."""
    special = len(types & HAND_TYPES)
    if deal.how != "self_draw":
        points = RULE["typed_discard"] * RULE["step"] ** (special - 1) if special else RULE["ordinary"]
        return points * (RULE["kong_discard"] if "kong_discard" in types else 1)
    points = RULE["ordinary"] * RULE["step"] ** len(types & (HAND_TYPES | {"concealed_hand"}))
    if "replacement_win" in types:
        if special == 0 and last_kong(deal, seat).word == "kong-":
            points = RULE["replacement_ordinary"]
        else:
            points *= RULE["replacement_win"]
    return points * (RULE["last_tile_draw"] if "last_tile_draw" in types else 1)


def dearest_win(deal: Deal, seat: int) -> Win:
    """Return the reading of a winner's hand that pays him most."""
    assert deal.tile is not None
    wins = []
    for hand_types in readings([*deal.hands[seat], deal.tile], deal.melds[seat]):
        types = hand_types | events_of(deal)
        wins.append(Win(seat, types, points_of(deal, seat, types)))
    held = tiles.text(deal.hands[seat])
    require(bool(wins), f"seat {seat}: {held} with {tiles.name(deal.tile)} is not complete")
    return max(wins, key=lambda win: win.points)


# Who pays whom


def settle(deal: Deal, wins: list[Win]) -> list[Transfer]:
    """Return every transfer of the deal: each win with its liability, then kongs, then fish."""
    transfers = []
    for win in wins:
        transfers += usual_payments(deal, win) + liability_payments(deal, win)
    transfers += kong_payments(deal)
    return transfers + fish_payments(deal, transfers)


def others_after(seat: int) -> list[int]:
    """Return the other three seats in playing order."""
    return [(seat + step) % 4 for step in (1, 2, 3)]


def sole_payer(deal: Deal) -> int | None:
    """Return the giver of an exposed kong whose replacement wins: he alone pays for three."""
    if deal.how != "self_draw" or not deal.chain:
        return None
    return last_kong(deal, deal.winners[0]).source


def usual_payments(deal: Deal, win: Win) -> list[Transfer]:
    """Return what a win costs before liability."""
    if deal.giver is not None:
        shares = RULE["shares"] if "kong_discard" in win.types else 1
        return [Transfer(deal.giver, win.seat, shares * win.points, "hand")]
    payer = sole_payer(deal)
    if payer is not None:
        return [Transfer(payer, win.seat, RULE["shares"] * win.points, "hand")]
    return [Transfer(seat, win.seat, win.points, "hand") for seat in others_after(win.seat)]


def liability_payments(deal: Deal, win: Win) -> list[Transfer]:
    """Return what three-meld givers pay their makers beyond the usual for one win."""
    worth = win.points * (RULE["shares"] if "kong_discard" in win.types else 1)
    payments = []
    for maker in SEATS:
        for giver in others_after(maker):
            given = [meld for meld in deal.melds[maker] if meld.source == giver]
            if len(given) >= RULE["liable_melds"]:
                times = liability_times(deal, win.seat, maker, giver)
                payments += [Transfer(giver, maker, times * worth, "liability")] if times else []
    return payments


def liability_times(deal: Deal, winner: int, maker: int, giver: int) -> int:
    """Return how many times the win's worth a giver pays his maker beyond the usual."""
    if deal.how == "self_draw":
        return RULE["liable_self_draw"] if winner == maker and sole_payer(deal) is None else 0
    if giver in deal.winners:
        return 0
    if winner == maker and deal.giver == giver:
        return RULE["liable_giver_to_maker"]
    if winner == maker and deal.options["third_party"]:
        return RULE["liable_third_to_maker"]
    if deal.giver == giver and maker not in deal.winners:
        return RULE["liable_giver_to_third"]
    return 0


def kong_payments(deal: Deal) -> list[Transfer]:
    """Return the kong money; an added kong is paid by the seat that gave its pung."""
    payments = []
    for seat in SEATS:
        for meld in deal.melds[seat]:
            if meld.word == "kong-":
                payments += [Transfer(other, seat, RULE["concealed_kong"], "kong") for other in others_after(seat)]
            elif meld.word in ("kong", "kong+") and meld.source is not None:
                payments.append(Transfer(meld.source, seat, RULE["exposed_kong"], "kong"))
    return payments


def fish_payments(deal: Deal, transfers: list[Transfer]) -> list[Transfer]:
    """Return what the owners of fish win and lose together with their targets."""
    payments = []
    for owner in SEATS:
        for kind in deal.fish[owner]:
            target = (deal.dealer + tiles.offset_of(kind)) % 4
            for paid in transfers:
                if paid.receiver == target and paid.payer != owner:
                    payments.append(Transfer(paid.payer, owner, paid.points, "fish"))
                if paid.payer == target and paid.receiver != owner:
                    payments.append(Transfer(owner, paid.receiver, paid.points, "fish"))
    return payments


def balance(transfers: list[Transfer], reason: str) -> list[int]:
    """Return what each seat won or lost by the transfers with one reason."""
    points = [0, 0, 0, 0]
    for paid in transfers:
        if paid.reason == reason:
            points[paid.payer] -= paid.points
            points[paid.receiver] += paid.points
    return points
