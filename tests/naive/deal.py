"""One deal of mahjong in plain Python, to be read beside ``rules.md``: the oracle of the engine's deals.

A `Deal` says who is asked what (`Deal.asked`), takes the answers (`Deal.act`) and writes the replay lines
(`Deal.events`). It never decides anything for a seat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import ending
from .actions import (
    ABOVE_LOWEST,
    CHOW_HIGH,
    CHOW_LOW,
    CHOW_MIDDLE,
    DISCARD,
    KONG,
    KONG_CONCEALED,
    PASS,
    PUNG,
    WIN,
    action,
    kind_of,
    labels_in,
    tile_of,
)
from .ending import Case
from .hands import is_complete, shanten
from .legal import fish_actions, is_forbidden, is_sealed, is_win, may_rob, reaction_actions, turn_actions
from .ruleset import RULESETS
from .score import score
from .table import Event, Meld, Offer, Table, seats_after
from .tiles import kinds_of, name, text
from .wall import dice as throw_dice
from .wall import wall as shuffled_wall


class Deal(Table):
    """One deal from the fish to the settlement.

    Parameters
    ----------
    seed, deal : int
        Which wall and dice; also what the `start` line says.
    dealer : int
        The dealer's seat.
    options : mapping, optional
        What differs from the ruleset's `options`.
    players : sequence of str
        Names for the `start` line.
    wall : sequence of int, optional
        136 kinds in drawing order, instead of the shuffled wall of (seed, deal).
    rules : str
        The name of one of `RULESETS`.

    Attributes
    ----------
    phase : str
        ``fish``, ``turn``, ``reaction`` or ``over``.
    events : list of dict
        The replay lines written so far.
    hands : list of list of int
        Concealed tiles by seat, as counts of the 34 kinds.
    blocked : list of int
        By seat, how many wins a lock or a seal forbade.
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
        rules: str = "liuzhou",
    ) -> None:
        if rules not in RULESETS:
            raise ValueError(f"no such ruleset: {rules}")
        super().__init__(RULESETS[rules], options or {}, dealer, shuffled_wall(seed, deal) if wall is None else wall)
        self.seed, self.deal = seed, deal
        self.title = f"seed {seed} deal {deal}"
        self.players = list(players)
        self.dice = throw_dice(seed, deal)
        self.fish_asked = 0
        self.events: list[Event] = []
        self.blocked = [0, 0, 0, 0]
        self.case: Case | None = None
        self.answer: dict[str, Any] | None = None
        if self.options["fishing"]:
            self.phase = "fish"
        else:
            self._begin()

    def asked(self) -> list[tuple[int, list[int]]]:
        """The seats to be asked now, each with its legal actions in ascending order; nobody when the deal is over."""
        if self.phase == "fish":
            return [((self.dealer + self.fish_asked) % 4, sorted(fish_actions(self)))]
        if self.phase == "turn":
            return [(self.turn, sorted(turn_actions(self)))]
        if self.phase == "reaction":
            return [(seat, sorted(legal)) for seat, legal in self.offer.legal.items()]
        return []

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

    def next_dealer(self) -> int:
        """Who deals next."""
        assert self.case is not None, "the deal is not over"
        return ending.next_dealer(self.case)

    # ---- what happens --------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Deal the tiles and give the dealer the first turn."""
        self.lay_out()
        self._write(
            "start",
            deal=self.deal,
            rules=self.ruleset.name,
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
        if is_sealed(self, seat) and is_complete(self.hands[seat], len(self.melds[seat])):
            self.blocked[seat] += 1
        if self.ends_undiscarded and turn_actions(self) == {action(PASS)}:
            self._end_drawn()

    def _take_turn(self, number: int) -> None:
        """Do what the seat whose turn it is decided."""
        seat, kind, tile = self.turn, kind_of(number), tile_of(number)
        if kind == WIN:
            self._end_won([seat], None, tile, robbing=False)
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
            self._write("kong+", seat=seat, tile=name(tile), **{"from": self.pung(seat, tile).giver})
            self._comes_to_rest(seat)
            self._offer(seat, tile, robbing=True)

    def _replace(self, seat: int, tile: int) -> None:
        """Lengthen the chain by a kong just made, and draw its replacement."""
        self.chain.append(tile)
        self._comes_to_rest(seat)
        self._draw(seat, end=True)

    def _offer(self, giver: int, tile: int, *, robbing: bool) -> None:
        """Lay a tile open for the others to claim."""
        offer = Offer(giver, tile, robbing, {})
        for seat in may_rob(self, giver) if robbing else seats_after(giver):
            if is_forbidden(self, seat, tile) and is_win(self, seat, giver, tile, robbing):
                self.blocked[seat] += 1
            legal = reaction_actions(self, seat, giver, tile, robbing)
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
            self._end_won(winners, offer.giver, offer.tile, robbing=offer.robbing)
        elif offer.robbing:
            pung = self.pung(offer.giver, offer.tile)
            pung.kind, pung.tiles = "kong+", [offer.tile] * 4
            self._replace(offer.giver, offer.tile)
        elif by_rank[1] or by_rank[2]:
            (seat,) = by_rank[1] or by_rank[2]
            self._claim(seat, kind_of(answers[seat]))
        elif self.last_tile:
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
        self._settle(ending.drawn_case(self, self.title))

    def _end_won(self, winners: list[int], giver: int | None, tile: int, *, robbing: bool) -> None:
        """One or more seats win a tile."""
        self.robbed = robbing
        self._settle(ending.won_case(self, self.title, winners, giver, tile, robbing))

    def _settle(self, case: Case) -> None:
        """Settle the score case, and write the last lines."""
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

    def _write(self, event: str, **fields: Any) -> None:
        """Write a replay line."""
        self.events.append({"event": event, **fields})
