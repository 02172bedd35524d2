"""Random numbers, the wall, the dice and the deal, in plain integers, written from the page on walls."""

from collections.abc import Sequence

Words4 = tuple[int, int, int, int]

WORD = 2**32
ROUNDS = 10
MULTIPLIER_0, MULTIPLIER_1 = 0xD2511F53, 0xCD9E8D57
KEY_STEP_0, KEY_STEP_1 = 0x9E3779B9, 0xBB67AE85

PURPOSE_SHUFFLE = 0
PURPOSE_DICE = 1
PURPOSE_PLAYER = 2  # plus the seat

TILES = 136
DEALT = 53
STACKS_PER_SIDE = 17


def philox4x32(counter: Sequence[int], key: Sequence[int]) -> Words4:
    """Return the four output words of Philox4x32-10 for a counter of four words and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        high_0, low_0 = divmod(MULTIPLIER_0 * c0, WORD)
        high_1, low_1 = divmod(MULTIPLIER_1 * c2, WORD)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 = (k0 + KEY_STEP_0) % WORD
        k1 = (k1 + KEY_STEP_1) % WORD
    return c0, c1, c2, c3


class Stream:
    """The random words of one purpose in one deal, in order.

    Parameters
    ----------
    seed : int
        0 ≤ seed < 2^64.
    deal : int
        Index of the deal, 0 ≤ deal < 2^63.
    purpose : int
        0 shuffle, 1 dice, 2 + s the player in seat s.
    """

    def __init__(self, seed: int, deal: int, purpose: int) -> None:
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed {seed} is not between 0 and 2^64 - 1")
        if not 0 <= deal < 2**63:
            raise ValueError(f"deal {deal} is not between 0 and 2^63 - 1")
        self.key = (seed % WORD, seed // WORD)
        self.purpose = purpose
        self.deal_halves = (deal % WORD, deal // WORD)
        self.block = 0
        self.ready: list[int] = []
        self.words_taken = 0

    def word(self) -> int:
        """Take the next 32-bit word."""
        if not self.ready:
            self.ready = list(philox4x32((self.block, self.purpose, *self.deal_halves), self.key))
            self.block += 1
        self.words_taken += 1
        return self.ready.pop(0)

    def below(self, n: int) -> int:
        """Take an unbiased number from 0 to n - 1; takes at least one word, also for n = 1."""
        if not 1 <= n <= WORD:
            raise ValueError(f"there is no number below {n}")
        refused = (WORD - n) % n
        while True:
            high, low = divmod(self.word() * n, WORD)
            if low >= refused:
                return high


def wall(seed: int, deal: int) -> list[int]:
    """Return the 136 kinds in drawing order."""
    tiles = [index // 4 for index in range(TILES)]
    stream = Stream(seed, deal, PURPOSE_SHUFFLE)
    for i in range(TILES - 1):
        j = i + stream.below(TILES - i)
        tiles[i], tiles[j] = tiles[j], tiles[i]
    return tiles


def dice(seed: int, deal: int) -> tuple[int, int]:
    """Return the two dice, first and second."""
    stream = Stream(seed, deal, PURPOSE_DICE)
    first = 1 + stream.below(6)
    second = 1 + stream.below(6)
    return first, second


def deal_hands(tiles: Sequence[int], dealer: int) -> tuple[list[list[int]], int]:
    """Deal the first 53 tiles of a wall.

    Returns
    -------
    hands : list of four lists of kinds
        By seat, each in the order received; the dealer's has 14 tiles.
    last_dealt : int
        The kind at index 52, the dealer's last.
    """
    hands: list[list[int]] = [[], [], [], []]
    playing_order = [(dealer + offset) % 4 for offset in range(4)]
    coming = iter(tiles[:DEALT])
    for _ in range(3):
        for seat in playing_order:
            for _ in range(4):
                hands[seat].append(next(coming))
    for seat in playing_order:
        hands[seat].append(next(coming))
    last_dealt = next(coming)
    hands[dealer].append(last_dealt)
    return hands, last_dealt


def physical_place(index: int, dealer: int, thrown: tuple[int, int]) -> tuple[int, int, str]:
    """Return where the tile of an index in drawing order lay on the table.

    Returns
    -------
    side : int
        The seat in front of which the side stands.
    stack : int
        Counted from the side's right end, 0 to 16.
    level : str
        "upper" or "lower".
    """
    if not 0 <= index < TILES:
        raise ValueError(f"the wall has no index {index}")
    side = (dealer + max(thrown) - 1) % 4
    stack = sum(thrown)
    for _ in range(index // 2):
        stack += 1
        if stack == STACKS_PER_SIDE:
            stack = 0
            side = (side - 1) % 4  # clockwise: the seat before in playing order
    return side, stack, "upper" if index % 2 == 0 else "lower"
