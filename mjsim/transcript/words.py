"""The words of a transcript, English beside Chinese; the terms are those of rules.md's table of names."""

import unicodedata
from collections.abc import Iterable
from typing import Any, Final

from mjsim.errors import MjsimError
from mjsim.hands.melds import Meld
from mjsim.hands.types import type_words
from mjsim.state import ADDED_KONG, CHOW_MELD, CONCEALED_KONG, DIRECT_KONG, PUNG_MELD
from mjsim.tiles import name, name_zh, text

LANGUAGES: Final = ("en", "zh")

MAX_COLUMNS: Final = 110
INDENT: Final = "  "

#: What can be said, in the order of `LANGUAGES`.
PHRASES: Final = {
    "seat": ("seat {seat}", "{seat}号位"),
    "list": (", ", "，"),
    "and": (" and ", " 和 "),
    "label": ("{what}: ", "{what}："),
    # The heading.
    "head": ("{title}, seed {seed}, deal {deal}", "{title}，种子 {seed}，第 {deal} 局"),
    "session": (
        "session {session}, deal {hand} within it, both counted from 0",
        "第 {session} 场，场内第 {hand} 局，均从 0 数起",
    ),
    "options": ("Changed from the built-in rules", "与内置规则不同"),
    "player": ("{seat} ({place}): {player}", "{seat}（{place}）：{player}"),
    "dealer": ("dealer", "庄家"),
    "next": ("next", "下家"),
    "opposite": ("opposite", "对家"),
    "previous": ("previous", "上家"),
    "dice": ("Dice {first} and {second}", "骰子 {first} 点、{second} 点"),
    "dice_wall": ("the larger picks the wall of {seat} ({place})", "大的一颗定牌墙：{seat}（{place}）面前"),
    "dice_stacks": (
        "their sum leaves {stacks} stacks at its right end; the deal starts after them",
        "两颗之和：右端留 {stacks} 墩，从其后开始抓牌",
    ),
    # The wall.
    "wall": (
        "Wall: four sides of 17 stacks, clockwise, each from its right end",
        "牌墙：四边各 17 墩，顺时针排列，各自右端数起",
    ),
    "wall_marks": (
        "Stacks are numbered as they are taken, the upper tile first; | is the break.",
        "墩号即抓牌次序，先上后下；| 为开牌处。",
    ),
    "wall_fish": ("* before a tile: set apart for fish.", "牌前有 * 者留作鱼牌。"),
    "stack": ("stack", "墩号"),
    "upper": ("upper", "上层"),
    "lower": ("lower", "下层"),
    "labels": ("Fish labels", "鱼牌号码"),
    "labels_taken": ("{seat} takes {labels}", "{seat}取 {labels}"),
    "labels_none": ("{seat} takes none", "{seat}不取"),
    # The hands.
    "dealt": (
        "Dealt: three times four tiles each, the dealer first; then he takes the 1st and 5th, the others one",
        "配牌：庄家先，每人四张，抓三轮；其后庄家跳取第一、第五张，余家各一张",
    ),
    "last_dealt": ("last dealt {tile}", "最后一张 {tile}"),
    "hand": ("{seat}  {hand}", "{seat}　{hand}"),
    # The play.
    "play": ("Play; after a discard: live tiles left, the hand, the melds", "行牌；出牌后记：余牌数、手牌、副露"),
    "begins": ("has the dealt tiles", "持配牌"),
    "draw": ("draws {tile}", "摸 {tile}"),
    "draw_end": ("draws {tile} from the end", "杠后补 {tile}"),
    "discard": ("discards {tile}", "打 {tile}"),
    "chow": ("chows {giver}'s {tile}: {tiles}", "吃{giver}的 {tile}，成 {tiles}"),
    "pung": ("pungs {giver}'s {tile}", "碰{giver}的 {tile}"),
    "kong": ("kongs {giver}'s {tile} (direct)", "直杠{giver}的 {tile}"),
    "kong+": ("adds {tile} to the pung from {giver}", "补杠 {tile}（碰自{giver}）"),
    "kong-": ("concealed kong of {tile}", "暗杠 {tile}"),
    "pass": ("{seat} lets a win go", "{seat}可胡不胡"),
    "win_self_draw": ("wins", "自摸胡牌"),
    "win_discard": ("{seat} wins on {tile}", "{seat}胡 {tile}"),
    "win_rob_kong": ("{seat} robs the kong and wins on {tile}", "{seat}抢杠胡 {tile}"),
    "drawn": ("Nobody wins: a drawn deal.", "无人胡牌，流局。"),
    "left": ("left {left:>2}", "余 {left:>2}"),
    "sealed": ("which seals {giver}", "{giver}封胡"),
    # The end.
    "hands_end": ("Hands at the end", "终局手牌"),
    "with_tile": ("{hand} + {tile}", "{hand} + {tile}"),
    "result": ("Result", "结果"),
    "self_draw": ("{winners} wins by self-draw of {tile}", "{winners}自摸 {tile}"),
    "discard_win": ("{winners} on {giver}'s discard of {tile}", "{giver}打 {tile} 点炮，{winners}胡牌"),
    "rob_kong": ("{winners} by robbing {giver}'s kong of {tile}", "{giver}补杠 {tile} 被抢，{winners}胡牌"),
    "several": ("{winners} all win", "一炮多响，{winners}"),
    "single": ("{winners} wins", "{winners}"),
    "worth": ("{seat}: {types}; points per share: {points}", "{seat}：{types}；每份 {points} 分"),
    "chain": ("kong chain before the winning tile: {tiles}", "胡牌前连杠：{tiles}"),
    "moment_dealt": ("won with the dealt tiles", "配牌即胡"),
    "moment_first_draw": ("won on the first draw, nothing claimed before", "首次摸牌即胡，此前无人吃碰杠"),
    "moment_first_discard": ("won on the dealer's first discard", "胡庄家所打第一张牌"),
    "times": (" x ", " × "),
    "units": ("{seat}, units: ", "{seat}，番数："),
    "unit": ("{what} +{units}", "{what} +{units}"),
    "unit_chain": ("{what} +{units} (chain of {chain})", "{what} +{units}（{chain} 连杠）"),
    "unit_again": ("{what} +0 (counted with the melded hand)", "{what} +0（与全求人只计一次）"),
    "units_all": (
        "in all {units}, each past the first multiplies by {step}: {product}",
        "共 {units}，首番之外每番 ×{step}：{product}",
    ),
    "units_one": ("in all 1: {product}", "共 1：{product}"),
    "units_none": ("{seat}, units: none, an ordinary hand: {product}", "{seat}，番数：无，基本胡：{product}"),
    "discard_scale": (
        "all pungs or a full flush after a concealed kong: the discard scale",
        "对对胡、清一色暗杠开，按点炮分计",
    ),
    "fixed": (
        "{what}: a fixed share of {points} in place of the hand's own value, nothing is added",
        "{what}：固定 {points} 分，代替牌型分，不再累计",
    ),
    "own_price": ("an ordinary hand after a concealed kong has a price of its own", "暗杠开基本胡，另有定价"),
    "decides_exposed": (
        "the kong of {tile} decides who pays: exposed, so {giver}, who gave its tile",
        "由 {tile} 杠决定谁付：明杠，{giver}供牌，由其包付",
    ),
    "decides_concealed": (
        "the kong of {tile} decides who pays: concealed, so each",
        "由 {tile} 杠决定谁付：暗杠，三家各付",
    ),
    "last_tile": ("the last tile had been drawn: {left} left, nobody draws on", "末张已摸：余 {left} 张，不再摸牌"),
    "end_left": ("drawing ends when {tiles} tiles are left; {left} are", "余 {tiles} 张即止；现余 {left} 张"),
    "horses": ("horses turned over (who they belong to): ", "买马（所属）："),
    "horse": ("{tile} ({seat})", "{tile}（{seat}）"),
    "horses_fewer": ("no more tiles are left", "余牌不足"),
    "horses_hit": (
        "hits for {seat}: {hits}; what the hand and liability pay counts {times} times",
        "{seat}中马 {hits} 匹；胡牌与责任分 ×{times}",
    ),
    "horses_missed": ("hits for {seat}: none", "{seat}未中马"),
    "horses_several": ("several winners: no horses", "一炮多响，不买马"),
    "liable_alone": (
        "{giver} pays alone for the self-draw of {maker}: {shares} shares, nobody else anything",
        "{maker}自摸，{giver}一家包付 {shares} 份，余家不付",
    ),
    "may_not_win": ("{giver} is sealed: no win of any sort", "{giver}封胡，不得胡牌"),
    "barred_lock": (
        "wins on others' tiles that the pass lock forbade {seat}: {number}",
        "{seat}因漏胡不得胡：{number} 次",
    ),
    "barred_seal": ("wins that the seal forbade {seat}: {number}", "{seat}因封胡不得胡：{number} 次"),
    "barred_both": ("wins that lock or seal forbade {seat}: {number}", "{seat}因漏胡或封胡不得胡：{number} 次"),
    "payer": ("{seat} pays the shares of all three", "{seat}一家包三家"),
    "liable": (
        "three-meld liability: {maker} made three melds from {giver}'s discards",
        "吃三笔：{maker}吃碰杠{giver}三次",
    ),
    "fish": ("Fish", "鱼牌"),
    "fish_follows": (
        "label {label} of {owner} is {tile} and follows {target} ({place}): ",
        "{owner}的 {label} 号为 {tile}，随{target}（{place}）：",
    ),
    "fish_left": ("not taken: {tiles}", "无人取：{tiles}"),
    "fish_tile": ("{label} ({tile})", "{label} 号 {tile}"),
    "transfers": ("Transfers", "收付"),
    "reason_hand": ("hand", "胡牌"),
    "reason_liability": ("liability", "吃三笔"),
    "reason_kong": ("kong", "杠"),
    "pays": ("{payer} pays {points} to {receiver}", "{payer}付 {points} 分给{receiver}"),
    "nothing_moves": ("nobody pays", "无人付分"),
    "totals": ("Points", "得分"),
    "column_hand": ("hand", "胡牌"),
    "column_kongs": ("kongs", "杠"),
    "column_fish": ("fish", "钓鱼"),
    "column_net": ("net", "合计"),
    "next_dealer": ("Next dealer: {seat}", "下局庄家：{seat}"),
}  # fmt: skip

PLACES: Final = ("dealer", "next", "opposite", "previous")

_MELDS_ZH: Final = {CHOW_MELD: "吃", PUNG_MELD: "碰", DIRECT_KONG: "直杠", ADDED_KONG: "补杠", CONCEALED_KONG: "暗杠"}


class Language:
    """Says things in one language.

    Parameters
    ----------
    lang : str
        One of `LANGUAGES`.
    """

    def __init__(self, lang: str) -> None:
        if lang not in LANGUAGES:
            raise MjsimError(f"lang {lang!r}: there are {' and '.join(LANGUAGES)}")
        self.english = lang == "en"
        self._column = LANGUAGES.index(lang)

    def say(self, phrase: str, **values: Any) -> str:
        """A phrase of `PHRASES` with its gaps filled."""
        return PHRASES[phrase][self._column].format(**values)

    def listed(self, parts: Iterable[str]) -> str:
        """Several things in a row."""
        return self.say("list").join(parts)

    def seat(self, seat: int) -> str:
        """A seat.

        >>> Language("en").seat(2), Language("zh").seat(2)
        ('seat 2', '2号位')
        """
        return self.say("seat", seat=seat)

    def place(self, seat: int, dealer: int) -> str:
        """Where a seat sits as the dealer sees it."""
        return self.say(PLACES[(seat - dealer) % 4])

    def tile(self, kind: int) -> str:
        """One tile."""
        return name(kind) if self.english else name_zh(kind)

    def tiles(self, kinds: Iterable[int]) -> str:
        """Several tiles, ascending, equal suits sharing their letter.

        >>> Language("zh").tiles([2, 0, 1, 13, 27])
        '一二三万五筒东'
        """
        if self.english:
            return text(kinds)
        names = [(kind // 9, name_zh(kind)) for kind in sorted(kinds)]
        suits = ["".join(each[0] for suit, each in names if suit == wanted) for wanted in range(4)]
        letters = [next((each[1:] for suit, each in names if suit == wanted), "") for wanted in range(4)]
        return "".join(ranks + letter for ranks, letter in zip(suits, letters, strict=True))

    def meld(self, meld: Meld) -> str:
        """A meld as score cases write it, or likewise in Chinese.

        >>> Language("zh").meld(Meld(PUNG_MELD, 4, 0))
        '碰五万<0'
        """
        if self.english:
            return str(meld)
        tiles = self.tiles(meld.tiles) if meld.kind == CHOW_MELD else self.tile(meld.tile)
        return f"{_MELDS_ZH[meld.kind]}{tiles}" + (f"<{meld.giver}" if meld.giver >= 0 else "")

    def types(self, names: Iterable[str]) -> str:
        """Hand types and events of a win.

        >>> Language("en").types(["seven_pairs", "quads_2"]), Language("en").types([])
        ('seven pairs, 2 quads', 'ordinary')
        """
        return type_words(names, "en" if self.english else "zh")


def columns(words: str) -> int:
    """How many columns of a terminal a text fills; a Chinese character fills two.

    >>> columns("5m"), columns("五万")
    (2, 4)
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in words)


def padded(words: str, width: int, right: bool = False) -> str:
    """A text filled up with spaces to some columns."""
    spaces = " " * (width - columns(words))
    return spaces + words if right else words + spaces


def wrapped(start: str, parts: Iterable[str], language: Language, indent: str = INDENT) -> list[str]:
    """Parts in a row after ``start``, broken between them where a line would be too long."""
    lines = [start]
    separator = language.say("list")
    empty = True
    for part in parts:
        addition = part if empty else separator + part
        if not empty and columns(lines[-1] + addition + separator) > MAX_COLUMNS:
            lines[-1] += separator.rstrip()
            lines.append(indent + part)
        else:
            lines[-1] += addition
        empty = False
    return lines
