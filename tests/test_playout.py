"""Playing on from what one player sees: the hidden tiles, the seeds, and what is left out."""

from collections import Counter

import numpy as np

from mjsim.cli.hand import Asked, position_of
from mjsim.hands.tables import tables
from mjsim.players import players_for_seats
from mjsim.playout import Position, as_record, play_out, set_up, unseen_by
from mjsim.rules import load_rules
from mjsim.rules.packed import pack
from mjsim.state import DEAL, new_record

FAST = players_for_seats("fast")


def position(rules: str, tiles: str, melds: str = "", seen: str = "", left: int | None = None) -> Position:
    made = [melds] if melds else []
    return position_of(load_rules(rules), Asked(tiles, made, seen, left, None, None, None))


def test_every_tile_is_somewhere_once_and_playouts_differ() -> None:
    place = position("liuzhou", "2233m789s55p6s1z", "pung 6z <2", "123m5p7777z")
    deal, record, rules = new_record(DEAL), as_record(place), pack(load_rules("liuzhou"))
    dealt = set()
    for number in range(20):
        set_up(deal, record, rules, tables(), np.uint64(7), number)
        assert deal.seats[0].counts.tolist() == list(place.counts)
        others = deal.seats[1].counts + deal.seats[2].counts + deal.seats[3].counts
        assert others.sum() == 39
        wall = deal.wall.tiles[deal.wall.front : deal.wall.back]
        assert len(wall) == deal.table.left == place.left
        known = Counter(wall.tolist()) + Counter(dict(enumerate(others.tolist())))
        reserve = np.array(unseen_by(place)) - [known[kind] for kind in range(34)]
        assert reserve.min() >= 0
        assert reserve.sum() == 8
        dealt.add(tuple(wall))
    assert len(dealt) == 20


def test_hidden_tiles_are_dealt_evenly() -> None:
    place = position("nanning_folk", "123456m234p99s78s3z")
    deal, record, rules = new_record(DEAL), as_record(place), pack(load_rules("nanning_folk"))
    first, held = np.zeros(34), np.zeros(34)
    playouts = 6000
    for number in range(playouts):
        set_up(deal, record, rules, tables(), np.uint64(1), number)
        first[deal.wall.tiles[0]] += 1
        held += deal.seats[2].counts
    share = np.array(unseen_by(place)) / 122
    for found, expected in ((first, playouts * share), (held, 13 * playouts * share)):
        assert np.all(np.abs(found - expected) < 4.5 * np.sqrt(expected))


def test_seed_decides_and_discards_share_their_tiles() -> None:
    rules, place = load_rules("liuzhou"), position("liuzhou", "12355m34p23499s8s1z")
    both = play_out(rules, FAST, place, [25, 27], 150, 3)
    again = play_out(rules, FAST, place, [25, 27], 150, 3)
    alone = play_out(rules, FAST, place, [27], 150, 3)
    other = play_out(rules, FAST, place, [27], 150, 4)
    assert (both.net == again.net).all()
    assert (both.won == again.won).all()
    assert (both.net[:, 1] == alone.net[:, 0]).all()
    assert (alone.net != other.net).any()
    assert both.net[both.won].mean() > 1 > 0 > both.net[~both.won].mean()


def test_kongs_already_made_pay_in_no_playout() -> None:
    # With one tile left nobody can do much; most playouts are drawn and pay nothing.
    rules = load_rules("nanning_folk")
    place = position("nanning_folk", "19m19p159s1z", "kong- 5z,kong 7z <1", left=5)
    drawn = play_out(rules, FAST, place, [0], 200, 1)
    assert np.median(drawn.net) == 0


def test_first_moments_are_only_for_the_first_turn() -> None:
    fresh = position("nanning_laiyouxi", "123456m234p99s78s3z")
    assert fresh.fresh
    assert not position("nanning_laiyouxi", "123456m234p99s78s3z", left=70).fresh
    rules = load_rules("nanning_laiyouxi")
    deal = new_record(DEAL)
    for place, moments in ((fresh, True), (position("nanning_laiyouxi", "123456m234p99s78s3z", left=70), False)):
        set_up(deal, as_record(place), pack(rules), tables(), np.uint64(1), 0)
        assert (deal.tally.draws == 0) == moments
        assert (deal.table.claimed == 0) == moments
