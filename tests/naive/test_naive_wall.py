"""The twins of tiles and wall, against published answers and answers worked out by hand."""

from collections import Counter
from collections.abc import Sequence

import pytest

from .tiles import counts_of, kinds_of, name, offset_of, parse, rank_of, suit_of, text
from .wall import Stream, deal_hands, dice, philox4x32, physical_place, wall


def test_notation_is_read_in_the_order_written() -> None:
    assert parse("123m55p1z") == [0, 1, 2, 13, 13, 27]
    assert parse("44p2m7z9s") == [12, 12, 1, 33, 26]
    assert parse("") == []


def test_notation_goes_there_and_back() -> None:
    for kind in range(34):
        assert parse(name(kind)) == [kind]
        assert name(kind) == f"{rank_of(kind)}{suit_of(kind)}"
    everything = [kind for kind in range(34) for _ in range(4)]
    assert parse(text(everything)) == everything
    assert text([27, 13, 2, 13, 0, 1]) == "123m55p1z"
    assert kinds_of(counts_of(parse("9s1z1m9s"))) == parse("1m99s1z")


@pytest.mark.parametrize("wrong", ["8z", "9z", "0m", "12", "m", "1m2", "1mm", "1x", "1m 2m", "²m", "-1m"])
def test_wrong_notation_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"does not belong|no suit|there is no tile"):
        parse(wrong)


@pytest.mark.parametrize("wrong", [-1, 34])
def test_a_kind_that_does_not_exist_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="no kind"):
        name(wrong)


def test_every_kind_belongs_to_the_seat_the_rules_name() -> None:
    belongs = {0: "159m159p159s17z", 1: "26m26p26s26z", 2: "37m37p37s35z", 3: "48m48p48s4z"}
    for offset, kinds in belongs.items():
        assert [kind for kind in range(34) if offset_of(kind) == offset] == parse(kinds)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_philox_gives_the_known_answers_of_random123(counter: str, key: str, answer: str) -> None:
    def words(hexadecimal: str) -> list[int]:
        return [int(word, 16) for word in hexadecimal.split()]

    assert list(philox4x32(words(counter), words(key))) == words(answer)


def test_a_stream_is_the_words_of_its_blocks_in_order() -> None:
    seed, deal = 0x0123456789ABCDEF, 0x7EDCBA9876543210
    stream = Stream(seed, deal, 5)
    expected = [
        word for block in range(3) for word in philox4x32((block, 5, 0x76543210, 0x7EDCBA98), (0x89ABCDEF, 0x01234567))
    ]
    assert [stream.word() for _ in range(12)] == expected
    assert stream.words_taken == 12
    assert Stream(0, 0, 0).word() == 0x6627E8D5


@pytest.mark.parametrize(("seed", "deal"), [(-1, 0), (2**64, 0), (0, -1), (0, 2**63)])
def test_a_seed_or_deal_out_of_range_is_refused(seed: int, deal: int) -> None:
    with pytest.raises(ValueError, match="is not between"):
        Stream(seed, deal, 0)


class Scripted(Stream):
    """A stream that gives the words it is told to."""

    def __init__(self, words: Sequence[int]) -> None:
        super().__init__(0, 0, 0)
        self.ready = list(words)


def test_below_throws_away_the_words_that_would_bias_it() -> None:
    # 2^32 mod 3 = 1: only the word 0 is refused. 2^32 mod 6 = 4: the word 0 gives a low half of 0, below 4;
    # 715827883 one of 2 (6w = 2^32 + 2), also below; 1 one of 6.
    assert Scripted([0, 1]).below(3) == 0
    assert Scripted([2_863_311_531, 0]).below(3) == 2  # 3w = 2 · 2^32 + 1: a low half of 1 is just enough
    scripted = Scripted([0, 715_827_883, 1, 9])
    assert (scripted.below(6), scripted.words_taken) == (0, 3)
    assert Scripted([2**32 - 1]).below(6) == 5
    one = Scripted([123, 456])
    assert (one.below(1), one.words_taken, one.word()) == (0, 1, 456)
    with pytest.raises(ValueError, match="no number below 0"):
        one.below(0)


def test_below_reaches_every_number_equally_often() -> None:
    stream = Stream(11, 0, 0)
    drawn = Counter(stream.below(7) for _ in range(7_000))
    assert set(drawn) == set(range(7))
    assert sum((count - 1_000) ** 2 / 1_000 for count in drawn.values()) < 22.5  # chi-square, 6 degrees, p = 0.001


def test_a_wall_is_the_136_tiles_and_differs_by_seed_and_deal() -> None:
    walls = [tuple(wall(seed, deal)) for seed in (0, 1, 2**32, 2**64 - 1) for deal in (0, 1, 2**32, 2**63 - 1)]
    assert len(set(walls)) == len(walls)
    for tiles in walls:
        assert Counter(tiles) == dict.fromkeys(range(34), 4)
    assert wall(7, 3) == wall(7, 3)


def test_a_wall_is_drawn_tile_by_tile_from_those_left() -> None:
    for deal in range(20):
        stream = Stream(8, deal, 0)
        left = [kind for kind in range(34) for _ in range(4)]
        drawn = []
        while len(left) > 1:
            place = stream.below(len(left))
            drawn.append(left[place])
            left[place] = left[0]  # the swap brings the first of them to the place of the one drawn
            del left[0]
        assert wall(8, deal) == drawn + left


def test_the_first_swap_is_that_of_the_first_word() -> None:
    for deal in range(200):
        word = Stream(3, deal, 0).word()
        # (the chance that this word is refused for n = 136 is below 2^-24)
        assert wall(3, deal)[0] == (word * 136 // 2**32) // 4


def test_every_place_of_the_wall_sees_every_kind_equally_often() -> None:
    deals = 3_400
    seen = [Counter[int]() for _ in range(136)]
    for deal in range(deals):
        for place, kind in enumerate(wall(2024, deal)):
            seen[place][kind] += 1
    expected = deals / 34
    for place in (0, 1, 52, 53, 67, 127, 128, 134, 135):
        statistic = sum((seen[place][kind] - expected) ** 2 / expected for kind in range(34))
        assert 8 < statistic < 73  # chi-square, 33 degrees: mean 33; p = 0.0001 above


def test_dice_have_a_purpose_of_their_own() -> None:
    stream = Stream(5, 9, 1)
    assert dice(5, 9) == (1 + stream.below(6), 1 + stream.below(6))
    thrown = Counter(dice(5, deal) for deal in range(3_600))
    assert set(thrown) == {(a, b) for a in range(1, 7) for b in range(1, 7)}
    assert sum((count - 100) ** 2 / 100 for count in thrown.values()) < 73  # chi-square, 35 degrees, p = 0.0002


@pytest.mark.parametrize("dealer", range(4))
def test_the_deal_follows_the_rounds(dealer: int) -> None:
    hands, last_dealt = deal_hands(list(range(136)), dealer)
    following, opposite, previous = (dealer + 1) % 4, (dealer + 2) % 4, (dealer + 3) % 4
    assert hands[dealer] == [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 52]
    assert hands[following] == [4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39, 49]
    assert hands[opposite] == [8, 9, 10, 11, 24, 25, 26, 27, 40, 41, 42, 43, 50]
    assert hands[previous] == [12, 13, 14, 15, 28, 29, 30, 31, 44, 45, 46, 47, 51]
    assert last_dealt == 52


@pytest.mark.parametrize(
    ("index", "dealer", "thrown", "place"),
    [
        (0, 0, (3, 1), (2, 4, "upper")),  # 3 is the larger: the opposite side; four stacks stay
        (1, 0, (3, 1), (2, 4, "lower")),
        (2, 0, (3, 1), (2, 5, "upper")),
        (25, 0, (3, 1), (2, 16, "lower")),  # 13 stacks on this side
        (26, 0, (3, 1), (1, 0, "upper")),  # clockwise, against the order of play
        (135, 0, (3, 1), (2, 3, "lower")),  # the last tile is next to the first
        (0, 2, (5, 5), (2, 10, "upper")),  # 5 is the dealer's own side
        (14, 2, (5, 5), (1, 0, "upper")),
        (0, 3, (6, 6), (0, 12, "upper")),
        (10, 3, (6, 6), (3, 0, "upper")),
        (0, 1, (1, 1), (1, 2, "upper")),
        (0, 1, (2, 4), (0, 6, "upper")),  # 4: the previous seat's side
    ],
)
def test_where_a_tile_lay(index: int, dealer: int, thrown: tuple[int, int], place: tuple[int, int, str]) -> None:
    assert physical_place(index, dealer, thrown) == place


def test_every_tile_lay_somewhere_else() -> None:
    for dealer in range(4):
        for thrown in [(1, 1), (2, 6), (6, 6)]:
            assert len({physical_place(index, dealer, thrown) for index in range(136)}) == 136
    with pytest.raises(ValueError, match="no index 136"):
        physical_place(136, 0, (1, 1))
