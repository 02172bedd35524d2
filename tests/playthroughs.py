"""The table of playthroughs: which deals show which rules."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mjsim.hands.evaluate import is_complete
from mjsim.tiles import counts_of, parse_tile
from mjsim.transcript.events import Replay
from mjsim.transcript.text import Table

#: The seed of all of them.
SEED = 1


def refused_seats(shown: Replay) -> Iterator[tuple[int, int]]:
    """Position among the events of each discard that completes a hand which may not win on it, and whose hand."""
    table = Table(shown)
    for position, event in enumerate(shown.events[1:-1], start=1):
        table.apply(event)
        if event["event"] != "discard":
            continue
        asked = {each["seat"] for each in after_discard(shown, position) if each["event"] in ("pass", "win")}
        for seat in range(4):
            tiles = counts_of([*table.hands[seat], parse_tile(event["tile"])])
            if seat != event["seat"] and seat not in asked and is_complete(tiles, len(table.melds[seat])):
                yield position, seat


def after_discard(shown: Replay, position: int) -> Iterator[dict[str, Any]]:
    """The passes and wins right after an event."""
    for event in shown.events[position + 1 :]:
        if event["event"] not in ("pass", "win"):
            return
        yield event


def draws_what_it_may_not_claim(shown: Replay) -> bool:
    """Whether the winner, without a lock or seal on anyone, drew what he could not win on as a discard before."""
    winners = shown.case.get("winners", [])
    refused = {seat for _, seat in refused_seats(shown)}
    return (
        shown.case["how"] == "self_draw"
        and refused == set(winners)
        and not any(shown.row[f"blocked_{seat}"] for seat in range(4))
    )


@dataclass(frozen=True)
class Playthrough:
    """One deal to read.

    Attributes
    ----------
    name : str
        Short name, part of the file's.
    players : str
    deal : int
        Of seed 1.
    what : str
        What it shows.
    rules : str
        Parts of rules.md to check it against.
    lines : str
        Keys of coverage lines that fire on it.
    says : tuple of str
        Expressions that its text holds.
    also : callable, optional
        Something further that is true of it.
    """

    name: str
    players: str
    deal: int
    what: str
    rules: str
    lines: str = ""
    says: tuple[str, ...] = ()
    also: Callable[[Replay], bool] | None = None


PLAYTHROUGHS: dict[str, tuple[Playthrough, ...]] = {
    "liuzhou": (
        Playthrough(
            "fish-on-oneself", "noisy", 39894,
            "A fish on oneself doubles one's own result, others follow winner and loser; liability when a third seat"
            " discards to the maker.",
            "A: Fishing; A: Three-meld liability",
            "fish.own fish.winner fish.loser fish.two_on_one liability.third_to_maker",
            (r"label (\d) of seat (\d) is \w+ and follows seat \2 ",),
        ),
        Playthrough(
            "pass-lock", "noisy", 13255,
            "A seat lets a win go and may not win on the same kind before it draws again.",
            "A: Pass lock; D: Pass lock", "forbidden.lock claims.win_let_go",
            (r"lets a win go", r"the pass lock forbade seat \d: 1"),
        ),
        Playthrough(
            "two-relations", "noisy", 153587,
            "Two three-meld relations: a giver discards to a third seat and pays his maker as well.",
            "A: Three-meld liability", "liability.two_makers liability.giver_to_third",
            (r"three-meld liability: .*\n +three-meld liability: ", r"  liability: seat"),
        ),
        Playthrough(
            "concealed-kong", "fast", 113846,
            "Replacement win after a concealed kong: an ordinary hand costs each 3, and each pays for the kong.",
            "A: Events", "payers.own_price kongs.concealed_money fish.own", (r"a price of its own",),
        ),
        Playthrough(
            "exposed-kong", "fast", 10243,
            "Replacement win after an exposed kong: its giver pays the shares of all three.",
            "A: Events", "payers.kong_giver kongs.exposed_money", (r"pays the shares of all three",),
        ),
        Playthrough(
            "kong-discard", "fast", 39110,
            "The discard after a kong is won on: the discarder pays six times, and a giver of three melds as much.",
            "A: Events; A: Three-meld liability", "payers.discarder_for_all liability.third_to_maker",
            (r"kong discard", r"pays the shares of all three"),
        ),
        Playthrough(
            "robbed-kong", "noisy", 30031,
            "The second kong of a chain is robbed: it pays nothing, the first one does.",
            "A: Events; 0: Kong money", "chains.robbing_kong.2 kongs.robbed fish.robbed", (r"robs the kong",),
        ),
        Playthrough(
            "two-winners", "fast", 250229,
            "Two seats win on one discard, one with seven pairs that hold a quad, which adds nothing; the discarder"
            " deals next.",
            "0: Multiple winners; A: Hand value, Dealer", "winners.2 hands.quads_1.discard dealer.giver",
            (r"all win", r"seven pairs, 1 quad"),
        ),
        Playthrough(
            "last-tile-draw", "fast", 3386,
            "The last tile wins: each pays twice.",
            "A: Events; A: Deal end", "events.last_tile_draw", (r"the last tile had been drawn: 0 left",),
        ),
        Playthrough(
            "drawn-deal", "fast", 394,
            "Nobody wins; kong money stands, and fish follow it.",
            "A: Deal end; A: Fishing; 0: Kong money", "end.drawn kongs.kept fish.kongs dealer.same",
            (r"Nobody wins", r"  kong: seat"),
        ),
        Playthrough(
            "full-flush-all-pungs", "noisy", 206011,
            "A full flush of pungs wins on a discard: two types, 6.",
            "A: Hand value", "hands.all_pungs_full_flush.discard", (r"all pungs, full flush; points per share: 6",),
        ),
        Playthrough(
            "melded-hand", "fast", 63119,
            "A melded hand with a chow draws its winning tile, and who fed it three melds pays three times.",
            "A: Hand value; A: Three-meld liability", "hands.melded_hand_with_chow.self_draw liability.self_draw",
            (r"melded hand", r"  liability: seat"),
        ),
    ),
    "nanning_folk": (
        Playthrough(
            "chain-first-exposed", "fast", 112325,
            "A concealed, then an added kong, then a win: two units, and the first exposed kong's giver pays for all.",
            "B: events; B.1: replacement_win",
            "chains.replacement_win.2 payers.kong_giver kongs.added_after_concealed",
            (r"replacement win \+2 \(chain of 2\)", r"decides who pays: exposed", r"pays the shares of all three"),
        ),
        Playthrough(
            "kong-discard-chain", "fast", 196861,
            "The discard after two kongs in a row: two units, paid by the discarder, his kong money stands.",
            "B: events; D: Kongs", "chains.kong_discard.2", (r"kong discard \+2 \(chain of 2\)",),
        ),
        Playthrough(
            "robbed-chain", "fast", 245150,
            "The second kong of a chain is robbed: two units, the robbed seat pays, the robbed kong earns nothing.",
            "B: events; B.1: robbing_kong", "chains.robbing_kong.2", (r"robbing kong \+2 \(chain of 2\)",),
        ),
        Playthrough(
            "melded-discard", "noisy", 104822,
            "A melded hand wins on the discard of a melded hand: one unit for each.",
            "B: events; B.1: melded_discard; D: Melded discard", "events.melded_discard.melded_hand",
            (r"melded hand \+1", r"melded discard \+1"),
        ),
        Playthrough(
            "last-tile-kong", "fast", 40388,
            "The discard of the last tile's drawer is konged, and a later discard won on.",
            "B: Claims; D: End of the wall", "end.last_tile_kong events.last_tile_claim",
            (r"last tile claim \+1", r"the last tile had been drawn: [0-3] left"),
        ),
        Playthrough(
            "sealed-seat", "fast", 181393,
            "A sealed seat may not win; when a third seat discards to its maker, both pay.",
            "B.1: Liability; D: Liability", "forbidden.seal liability.third_to_maker",
            (r"which seals seat", r"the seal forbade seat"),
        ),
        Playthrough(
            "liability-alone", "fast", 26984,
            "A maker wins on the replacement of a kong from his giver, who pays 3S as liability, nobody else anything.",
            "B.1: Liability", "liability.in_place_of_kong_giver", (r"pays alone .*: 3 shares",),
        ),
        Playthrough(
            "heavenly-hand", "fast", 55092,
            "The dealer wins with the dealt tiles: concealed, one unit, 8 from each.",
            "B.1: heavenly_hand; D: First moments", "events.heavenly_hand", (r"heavenly hand \+1",),
        ),
        Playthrough(
            "earthly-hand", "fast", 178214,
            "A seat wins on its own first draw, nothing claimed before.",
            "B.1: earthly_hand; D: First moments", "events.earthly_hand", (r"earthly hand \+1",),
        ),
        Playthrough(
            "human-hand", "fast", 83200,
            "A seat wins on the dealer's very first discard; an ordinary hand may.",
            "B.1: human_hand; D: First moments", "events.human_hand hands.ordinary.discard", (r"human hand \+1",),
        ),
        Playthrough(
            "drawn-deal", "noisy", 177,
            "The last tile's discard is punged, nobody wins, four tiles stay, kong money stands.",
            "B: Claims; 0: Kong money", "end.drawn kongs.kept end.last_tile_pung dealer.same",
            (r"drawing ends when 4 tiles are left; 4 are",),
        ),
        Playthrough(
            "ordinary-hand-draws", "fast", 84,
            "In turn 12 a discard completes seat 0's ordinary hand, which may not win on it and later draws its tile.",
            "B: K = 0", "hands.ordinary.self_draw payers.each", (r"units: none, an ordinary hand",),
            draws_what_it_may_not_claim,
        ),
    ),
    "nanning_laiyouxi": (
        Playthrough(
            "chain-first-decides", "fast", 112325,
            "The folk rules' first deal again: here the chain's first kong, a concealed one, decides, and each pays.",
            "B: events; B.2: replacement_win", "chains.replacement_win.2 payers.concealed_kong",
            (r"replacement win \+2 \(chain of 2\)", r"decides who pays: concealed, so each"),
        ),
        Playthrough(
            "discard-scale", "fast", 111765,
            "All pungs or a full flush after a concealed kong: the share is priced on the discard scale.",
            "B.2: replacement_win", "payers.discard_scale", (r"the discard scale",),
        ),
        Playthrough(
            "heavenly-hand", "fast", 55092,
            "The dealer wins with the dealt tiles: 50 from each; none of the horses hits.",
            "B.2: heavenly_hand; B.2: Horses; D: First moments", "payers.fixed.heavenly_hand",
            (r"heavenly hand: a fixed share of 50",),
        ),
        Playthrough(
            "earthly-hand", "fast", 83200,
            "A seat wins on the dealer's first discard: 50 from the dealer, multiplied by horses.",
            "B.2: earthly_hand; B.2: Horses; D: First moments", "payers.fixed.earthly_hand horses.fixed",
            (r"earthly hand: a fixed share of 50", r"counts 2 times"),
        ),
        Playthrough(
            "three-winners", "fast", 250144,
            "Three seats win on one discard: no horses, and the discarder deals next.",
            "0: Multiple winners; B.2: Horses", "winners.3 horses.several_winners dealer.giver",
            (r"several winners: no horses",),
        ),
        Playthrough(
            "fewer-horses", "fast", 40388,
            "The last tile's discard is konged and the next one won on, so that only three horses are left.",
            "B: Claims; B.2: Horses; D: End of the wall", "horses.fewer end.last_tile_kong events.last_tile_claim",
            (r"horses turned over .*no more tiles are left",),
        ),
        Playthrough(
            "liability-alone", "fast", 292128,
            "A maker draws his winning tile: his giver pays 6S alone, multiplied by two horses.",
            "B.2: Liability; B.2: Horses", "liability.self_draw_alone horses.2 horses.liability",
            (r"pays alone .*: 6 shares", r"counts 3 times"),
        ),
        Playthrough(
            "sealed-seat", "fast", 181393,
            "A sealed seat may not win; when a third seat discards to its maker, both pay, with horses.",
            "B.2: Liability; B.2: Horses", "forbidden.seal liability.third_to_maker horses.liability",
            (r"which seals seat", r"the seal forbade seat"),
        ),
        Playthrough(
            "four-horses", "fast", 284298,
            "Seven pairs with a quad win on a discard, and all four horses hit.",
            "B: seven_pairs; B.2: Horses", "horses.4 hands.quads_1.discard", (r"1 quad \+1", r"counts 5 times"),
        ),
        Playthrough(
            "melded-discard-once", "noisy", 104822,
            "A melded hand wins on the discard of a melded hand: counted once.",
            "B.2: melded_hand", "events.melded_discard.melded_hand", (r"counted with the melded hand",),
        ),
        Playthrough(
            "drawn-deal", "noisy", 177,
            "The last tile's discard is punged, nobody wins, four tiles stay: kong money and no horses.",
            "B: Claims; 0: Kong money", "end.drawn kongs.kept end.last_tile_pung dealer.same",
            (r"drawing ends when 4 tiles are left; 4 are",),
        ),
        Playthrough(
            "robbed-after-concealed", "fast", 274060,
            "An added kong is robbed although a concealed one stands before it in the chain: two units.",
            "B: events; B.2: no robbing limit", "chains.robbing_kong.2 kongs.added_after_concealed",
            (r"robbing kong \+2 \(chain of 2\)",),
        ),
    ),
}  # fmt: skip
