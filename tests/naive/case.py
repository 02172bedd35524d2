"""Reading a score case, and refusing what cannot be a finished deal under any of the three rule systems.

Letters and section names in comments are those of the rules made exact.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from . import tiles

SEATS = range(4)
HOWS = ("self_draw", "discard", "rob_kong", "drawn")
MOMENTS = ("dealt", "first_draw", "first_discard")
CASE_KEYS = {"id", "rules", "options", "dealer", "how", "winners", "from", "tile", "hands", "melds", "chain"}
FURTHER_KEYS = {"last_tile", "moment", "fish", "horses", "expect", "note", "source"}
MELD_SIZES = {"chow": 3, "pung": 3, "kong": 4, "kong+": 4, "kong-": 4}

# What each option may be, its default first; a number stands for any from 0 on.
SWITCH_ON, SWITCH_OFF = (True, False), (False, True)
OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "liuzhou": {
        "third_party": SWITCH_ON,
        "rob_kong": SWITCH_ON,
        "last_tile_discard": SWITCH_ON,
        "reserve": ("all", "picked"),
    },
    "nanning_folk": {
        "dead_double": SWITCH_OFF,
        "human_hand": ("single", "double"),
        "ordinary_discard": (0,),
        "rob_kong": SWITCH_ON,
    },
    "nanning_laiyouxi": {
        "concealed_kong_scale": ("discard", "self_draw"),
        "ordinary_discard": (0,),
        "rob_kong": SWITCH_ON,
    },
}
CHOWS = {"liuzhou"}  # the rulesets that have them
MOST_FISH = {"liuzhou": 2, "nanning_folk": 0, "nanning_laiyouxi": 0}
MOST_HORSES = {"liuzhou": 0, "nanning_folk": 0, "nanning_laiyouxi": 4}


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

    rules: str
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
    horses: list[int]


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
    rules = case.get("rules")
    require(isinstance(rules, str) and rules in OPTIONS, f"rules: {rules!r} is none of {', '.join(OPTIONS)}")
    how = case.get("how")
    require(how in HOWS, f"how: {how!r} is none of {', '.join(HOWS)}")
    for key in ("winners", "tile", "from", "chain", "last_tile", "moment", "horses"):
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
    giver = read_seat(case.get("from"), "from") if passed_on else None
    winners = [read_seat(seat, "winners") for seat in read_list(case.get("winners", []), "winners")]
    return Deal(
        rules=str(rules),
        options=read_options(str(rules), {**base_options, **read_table(case.get("options", {}))}),
        dealer=read_seat(case.get("dealer"), "dealer"),
        how=str(how),
        winners=sorted(winners, key=lambda seat: (seat - (giver or 0)) % 4),  # playing order, however listed
        giver=giver,
        tile=None if how == "drawn" else read_tile(case.get("tile"), "tile"),
        hands=[read_tiles(hands[seat], f"hand of seat {seat}") for seat in SEATS],
        melds=[[read_meld(text, seat) for text in melds[seat]] for seat in SEATS],
        chain=[read_tile(text, "chain") for text in read_list(case.get("chain", []), "chain")],
        last_tile=last_tile,
        moment=moment,
        fish=[[read_tile(text, f"fish of seat {seat}") for text in fish[seat]] for seat in SEATS],
        horses=[read_tile(text, "horses") for text in read_list(case.get("horses", []), "horses")],
    )


def read_table(options: Any) -> dict[str, Any]:
    """Return the case's options if they are a table."""
    require(isinstance(options, dict), f"options: {options!r} is no table")
    return dict(options)


def read_options(rules: str, given: dict[str, Any]) -> dict[str, Any]:
    """Fill in the options that are not given, and refuse those that the ruleset does not have."""
    known = OPTIONS[rules]
    for key, value in given.items():
        require(key in known, f"options: {rules} has no option {key}")
        default = known[key][0]
        fitting = value >= 0 if type(value) is int else value in known[key]
        require(type(value) is type(default) and fitting, f"options: {key} cannot be {value!r}")
    return {**{key: values[0] for key, values in known.items()}, **given}


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


def check(deal: Deal) -> None:
    """Refuse a deal that no ruleset with its melds and extras could end in."""
    check_melds(deal)
    check_extras(deal)
    check_copies(deal)
    check_win(deal)
    check_chain(deal)
    check_moment(deal)


def check_melds(deal: Deal) -> None:
    """Refuse melds that cannot be made, and hands that do not go with the number of melds."""
    for seat in SEATS:
        for meld in deal.melds[seat]:
            what = f"seat {seat}: {meld.word} {tiles.text(meld.kinds)}"
            require(meld.source != seat, f"{what} comes from the seat itself")
            if meld.word == "chow":
                require(deal.rules in CHOWS, f"{what}: {deal.rules} has no chows")
                require(meld.kinds in all_chows(), f"{what} is no sequence")
                require(meld.source == (seat - 1) % 4, f"{what} comes from seat {meld.source}, not the previous seat")
        wanted = 13 - 3 * len(deal.melds[seat])
        require(wanted > 0, f"seat {seat} has {len(deal.melds[seat])} melds")
        held = len(deal.hands[seat])
        if deal.how == "drawn":
            require(held == 0, f"seat {seat}: the hands of a drawn deal stay empty")
        elif held or seat in deal.winners:
            require(held == wanted, f"seat {seat} holds {held} tiles beside its melds, not {wanted}")


def check_extras(deal: Deal) -> None:
    """Refuse more fish or horses than the ruleset has, or any where it has none."""
    for seat in SEATS:
        count, most = len(deal.fish[seat]), MOST_FISH[deal.rules]
        require(count <= most, f"fish: seat {seat} has {count}, {deal.rules} allows {most or 'none'}")
    count, most = len(deal.horses), MOST_HORSES[deal.rules]
    require(count <= most, f"horses: there are {count}, {deal.rules} allows {most or 'none'}")


def all_chows() -> set[tuple[int, ...]]:
    """Return every three tiles that make a chow."""
    return {(kind, kind + 1, kind + 2) for suit in "mps" for kind in list(tiles.kinds_in(suit))[:7]}


def check_copies(deal: Deal) -> None:
    """Refuse a fifth copy of a kind; the winning tile is one tile, however many win on it."""
    seen = Counter(kind for hand in deal.hands for kind in hand)
    seen.update(kind for melds in deal.melds for meld in melds for kind in meld.kinds)
    seen.update(kind for owned in deal.fish for kind in owned)
    seen.update(deal.horses)
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
        require(len(set(distances)) == len(distances), f"winners: a seat twice in {deal.winners}")
    if deal.how == "rob_kong":
        require(deal.options["rob_kong"], f"seat {deal.giver}: these rules let nobody rob a kong")
        require(not deal.last_tile, "last_tile: no kong can be added on the last tile, so none is robbed")
    if deal.how == "discard" and deal.last_tile:
        played_out = deal.options.get("last_tile_discard", True)
        require(played_out, f"seat {deal.giver}: these rules do not play out the last tile")


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
