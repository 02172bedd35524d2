"""Words and numbers as a reader sees them: terms in two languages, as many digits as an interval justifies."""

from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import Final, Literal, get_args

from analysis.estimates.intervals import Interval
from mjsim.hands.types import ORDINARY, TYPES

Lang = Literal["en", "zh"]
LANGS: Final[tuple[Lang, ...]] = get_args(Lang)

THIN: Final = "\u202f"  # narrow and never broken at: between groups of digits and before %
MINUS: Final = "\u2212"
NOTHING: Final = "–"

#: Above this probability "one in so many" says nothing.
COMMON: Final = 0.1

#: Below this probability a percentage is all zeros.
SMALL: Final = 1e-6

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Term:
    """A word or sentence in English and Chinese."""

    en: str
    zh: str

    def say(self, lang: Lang) -> str:
        """The term in one language."""
        return self.en if lang == "en" else self.zh

    def both(self, lang: Lang) -> str:
        """The term in one language, with the other behind it."""
        first, second = (self.en, self.zh) if lang == "en" else (self.zh, self.en)
        return first if first == second else f"{first} {second}"


_QUADS: Final = {
    "quads_1": "seven pairs, 1 quad",
    "quads_2": "seven pairs, 2 quads",
    "quads_3": "seven pairs, 3 quads",
}

#: Hand types and events by their names in the code.
TYPE_TERMS: Final = {name: Term(_QUADS.get(name, name.replace("_", " ")), chinese) for name, chinese in TYPES}
ORDINARY_TERM: Final = Term(f"{ORDINARY[0]} hand", ORDINARY[1])

OUTCOME_TERMS: Final = {
    "self_draw": Term("self-draw", "自摸"),
    "discard": Term("discard", "点炮"),
    "rob_kong": Term("robbed kong", "抢杠"),
    "drawn": Term("drawn", "流局"),
}

#: Seats counted from the dealer.
SEAT_TERMS: Final = (Term("dealer", "庄家"), Term("next", "下家"), Term("opposite", "对家"), Term("previous", "上家"))
SEAT_KEYS: Final = ("dealer", "next", "opposite", "previous")

PART_TERMS: Final = {
    "hand": Term("winning hands", "胡牌"),
    "liability": Term("liability", "吃三笔"),
    "kongs": Term("kongs", "杠"),
    "fish": Term("fish", "鱼"),
    "net": Term("all", "合计"),
}


def grouped(number: int) -> str:
    """A whole number with thin spaces between groups of three digits.

    >>> grouped(1234567) == "1\u202f234\u202f567"
    True
    """
    return f"{abs(number):,}".replace(",", THIN) if number >= 0 else MINUS + grouped(-number)


def fixed(number: float, digits: int, *, sign: bool = False) -> str:
    """A number with so many digits after the point; with ``sign``, a plus where it is above zero."""
    text = f"{abs(number):,.{digits}f}".replace(",", THIN)
    is_zero = not text.strip(f"0.{THIN}")
    if is_zero:
        return text
    if number < 0:
        return MINUS + text
    return "+" + text if sign else text


def digits_of(interval: Interval, scale: float = 1) -> int:
    """How many digits after the point an interval justifies: one of its half-width, two where that begins with 1."""
    if interval.low is None or interval.high is None or interval.high <= interval.low:
        return 2
    half = scale * (interval.high - interval.low) / 2
    exponent = floor(log10(half))
    leads_with_one = half < 2 * 10.0**exponent
    return max(0, leads_with_one - exponent)


def percent(interval: Interval) -> str:
    """A share's estimate in percent; at no hits the bound it is below, at nothing but hits the one it is above."""
    if interval.method == "bound" and interval.high is not None and interval.low is not None:
        if interval.estimate == 0:
            return f"<{THIN}{significant(100 * interval.high)}{THIN}%"
        return f">{THIN}{fixed(100 * interval.low, 2 if interval.low > 0.9 else 0)}{THIN}%"
    return f"{fixed(100 * interval.estimate, digits_of(interval, 100))}{THIN}%"


def points(interval: Interval, *, sign: bool = True) -> str:
    """A mean's estimate, with its sign."""
    return fixed(interval.estimate, digits_of(interval), sign=sign)


def bounds(interval: Interval, lang: Lang, *, scale: float = 1, sign: bool = False) -> str:
    """The ends of an interval; nothing where there are none or the estimate is a bound already."""
    if interval.low is None or interval.high is None or interval.method == "bound":
        return NOTHING
    if interval.low == interval.high:
        return NOTHING
    digits = digits_of(interval, scale)
    low = fixed(scale * interval.low, digits, sign=sign)
    high = fixed(scale * interval.high, digits, sign=sign)
    if not sign and interval.low >= 0:
        return f"{low}–{high}"
    return f"{low}{THIN}{'to' if lang == 'en' else '至'}{THIN}{high}"


def plus_minus(interval: Interval) -> str:
    """A mean with the half-width of its interval."""
    if interval.low is None or interval.high is None:
        return fixed(interval.estimate, 2, sign=True)
    digits = digits_of(interval)
    return f"{fixed(interval.estimate, digits, sign=True)} ± {fixed((interval.high - interval.low) / 2, digits)}"


def percent_range(interval: Interval, lang: Lang) -> str:
    """A share in percent with its interval in brackets, where it is no bound itself."""
    ends = bounds(interval, lang, scale=100)
    return percent(interval) if ends == NOTHING else f"{percent(interval)}{bracketed(ends, lang)}"


def whole(interval: Interval, lang: Lang) -> str:
    """A whole number with the ends of its interval in brackets, where they are known and differ."""
    text = grouped(int(interval.estimate))
    if interval.low is None or interval.high is None or interval.low == interval.high:
        return text
    low, high = grouped(int(interval.low)), grouped(int(interval.high))
    dash = "–" if interval.low >= 0 else f"{THIN}{'to' if lang == 'en' else '至'}{THIN}"
    return text + bracketed(f"{low}{dash}{high}", lang)


def bracketed(text: str, lang: Lang) -> str:
    """A text in the language's brackets, to stand behind another.

    >>> bracketed("1–2", "en"), bracketed("1–2", "zh")
    (' (1–2)', '（1–2）')
    """
    return f" ({text})" if lang == "en" else f"（{text}）"


def significant(number: float, figures: int = 2) -> str:
    """A number rounded to so many significant figures.

    >>> significant(0.001234), significant(66762.1, 3) == "66\u202f800"
    ('0.0012', True)
    """
    if number == 0 or not isfinite(number):
        return "0"
    exponent = int(f"{number:.{figures - 1}e}".partition("e")[2])  # of the rounded number
    digits = figures - 1 - exponent
    return fixed(round(number, digits), max(0, digits))


def chance(probability: float) -> str:
    """A probability that is known exactly: in percent, or as a power of ten where a percentage would be all zeros.

    >>> chance(0.4077) == "40.77\u202f%", chance(5.028e-10) == "5.028\u202f×\u202f10⁻¹⁰"
    (True, True)
    """
    if probability == 0 or probability >= SMALL:
        return f"{significant(100 * probability, 4)}{THIN}%"
    mantissa, _, exponent = f"{probability:.3e}".partition("e")
    return f"{mantissa}{THIN}×{THIN}10{str(int(exponent)).translate(_RAISED)}"


def one_in_exactly(probability: float, lang: Lang) -> str:
    """A probability that is known exactly as one in so many, for rare things only."""
    return _one_in(1 / probability, lang) if 0 < probability <= COMMON else NOTHING


def one_in(interval: Interval, lang: Lang) -> str:
    """A probability as one in so many, for rare things only; at no hits what it is rarer than."""
    if interval.method == "bound" and interval.high is not None:
        if interval.estimate == 1:
            return NOTHING
        return f"<{THIN}{_one_in(1 / interval.high, lang)}"
    return _one_in(1 / interval.estimate, lang) if interval.estimate <= COMMON else NOTHING


def _one_in(number: float, lang: Lang) -> str:
    """One in so many, to three figures."""
    many = significant(number, 3 if number >= 100 else 2)
    return f"1 in {many}".replace(" ", THIN) if lang == "en" else f"1/{many}"
