"""What to discard, as a sheet: sentences and a table with a row for each discard, or for each drawn tile."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

from analysis.answers.advice import Advice, Choice
from analysis.display.tables import Cell, Column, Row, Table
from analysis.display.text import NOTHING, Lang, Term, bounds, chance, fixed, grouped, percent, points
from mjsim.solo import MOST_SHANTEN
from mjsim.tiles import kinds_of, name, name_zh, text

_DISCARD: Final = Term("discard → effective tiles", "出牌 → 进张")
_DRAW: Final = Term("draw, then discard → effective tiles", "摸牌，再出牌 → 进张")
_SHANTEN: Final = Column("shanten", Term("shanten", "向听"), "count")
_LIVE: Final = Column("live", Term("live tiles", "余张"), "count")
_COPIES: Final = Column("copies", Term("unseen copies", "未见张数"), "count")
_WINS: Final = Column("wins", Term("wins at once, points", "即胡得分"), "count")
_ALONE: Final = (
    Column("alone_chance", Term("alone: wins", "独摸：胡牌率"), "chance"),
    Column("alone_points", Term("alone: points", "独摸：得分"), "number"),
)
_PLAYED: Final = (
    Column("won", Term("played out: wins", "四家打完：胡牌率"), "share"),
    Column("net", Term("played out: points", "四家打完：净得分"), "mean"),
    Column("behind", Term("less the best", "与最优之差"), "mean"),
)
_ALONE_NOTE: Final = Term(
    "Alone: exact, and without the other three. The player draws {draws} times from all {unseen} unseen tiles, wins by "
    "self-draw only, goes straight for the win and betters a ready hand's wait at most once; kongs, horses and fish "
    "are left out. The chance is that of the discards that win most often, the points those of the discards that earn "
    "most. {dash} stands where shanten is above {most}.",
    "独摸：精确值，不计其余三家。从全部 {unseen} 张未见牌中摸 {draws} 次，只算自摸，尽快胡牌，听牌后至多改听一次；"
    "不计杠、马、鱼。胡牌率取胡得最多的打法，得分取得分最多的打法。{dash} 表示向听数大于 {most}。",
)
_PLAYED_NOTE: Final = Term(
    "Played out: {number} times for each discard, on the same hidden tiles dealt at random, by {players}, seed {seed}; "
    "the others' hands are as random as just after the deal. Points are net, with 95 % intervals; fish are left out. "
    "A discard is called worse where its paired difference to the best would be as large by chance below 5 %, "
    "corrected for all pairs of discards (Holm).",
    "四家打完：每种出牌 {number} 次，未见牌随机分配且各出牌相同，玩家 {players}，种子 {seed}；"
    "他家手牌如刚起手般随机。得分为净得分，附 95% 区间，不计鱼。"
    "配对差若出于偶然的概率低于 5%（已按全部出牌对以 Holm 法校正），即称“较差”。",
)
_VERDICTS: Final = {
    "best": Term("best", "最优"),
    "worse": Term("worse", "较差"),
    "not_decided": Term("not decided", "未分高下"),
}


@dataclass(frozen=True)
class AdviceSheet:
    """Advice that can be printed."""

    advice: Advice

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """One table: a row for each discard, or for each drawn tile."""
        found = self.advice
        if found.waiting is not None:
            title = Term("What each draw brings", "各进张")
            columns: tuple[Column, ...] = (_COPIES, _WINS, _SHANTEN, _LIVE, *_ALONE)
            rows = tuple(self._draw_row(choice) for choice in found.choices)
            return (Table("draws", title, _DRAW, columns, rows, self.note),)
        columns = _SHANTEN, _LIVE
        if self.shows_alone:
            columns += _ALONE
        if found.playouts is not None:
            columns += _PLAYED
        rows = tuple(self._discard_row(choice, columns) for choice in found.choices)
        return (Table("discards", Term("Discards", "出牌"), _DISCARD, columns, rows, self.note),)

    @property
    def shows_alone(self) -> bool:
        """Whether any choice could be worked out exactly."""
        return any(choice.alone is not None for choice in self.advice.choices)

    @property
    def note(self) -> Term | None:
        """How the numbers were made."""
        found = self.advice
        notes = []
        if self.shows_alone or found.waiting is not None:
            given = {"draws": found.draws, "unseen": sum(found.unseen), "dash": NOTHING, "most": MOST_SHANTEN}
            notes.append(_filled(_ALONE_NOTE, **given))
        if found.playouts is not None:
            number, seed = grouped(found.playouts.number), found.playouts.seed
            notes.append(_filled(_PLAYED_NOTE, number=number, players=players_of(found), seed=seed))
        return Term(" ".join(note.en for note in notes), "".join(note.zh for note in notes)) if notes else None

    def heading(self, lang: Lang) -> str:
        """The hand and where it stands."""
        found = self.advice
        melds = ", ".join(str(meld) for meld in found.position.melds)
        held = text(kinds_of(found.position.counts)) + (f" + {melds}" if melds else "")
        rules, left = found.rules.title, found.position.left
        return Term(
            f"{rules.en}: {held}, {left} tiles left, {found.draws} own draws",
            f"{rules.zh}：{held}，余牌 {left} 张，自己还摸 {found.draws} 次",
        ).say(lang)

    def warnings(self, lang: Lang) -> list[str]:
        """Nothing: what cannot be has been refused."""
        return []

    def findings(self, lang: Lang = "en") -> list[str]:
        """What the hand is, what to do, and how sure that is."""
        found = self.advice
        if found.waiting is not None:
            return [_waiting(found.waiting).say(lang)]
        said = []
        if found.wins is not None:
            said.append(
                Term(
                    f"The hand is complete: a self-draw wins {grouped(found.wins)} points now.",
                    f"已成胡牌：自摸即得 {grouped(found.wins)} 分。",
                )
            )
        best = found.choices[0]
        said.append(_best(best))
        if best.played_out is not None:
            said.append(self._sureness(best))
        return [each.say(lang) for each in said]

    def _sureness(self, best: Choice) -> Term:
        """What the playouts do not tell apart from the best."""
        played = [(choice, choice.played_out) for choice in self.advice.choices if choice.played_out is not None]
        open_ = [choice.tile for choice, found in played if found.verdict == "not_decided"]
        if not open_:
            return Term("Every other discard is worse.", "其他出牌都较差。")
        return Term(
            f"The playouts do not decide between it and {', '.join(name(tile) for tile in open_)}.",
            f"它与{'、'.join(name_zh(tile) for tile in open_)}之间，这些模拟分不出高下。",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        found = self.advice
        playouts = found.playouts
        return {
            "ruleset": found.rules.to_dict(),
            "hand": text(kinds_of(found.position.counts)),
            "melds": [str(meld) for meld in found.position.melds],
            "seen": text(kinds_of(found.position.seen)),
            "left": found.position.left,
            "unseen": sum(found.unseen),
            "own_draws": found.draws,
            "shanten": found.shanten,
            "wins": found.wins,
            "playouts": None
            if playouts is None
            else {
                "number": playouts.number,
                "seed": playouts.seed,
                "players": [player.name for player in playouts.players],
            },
            "waiting": None if found.waiting is None else _as_dict(found.waiting),
            "draws" if found.waiting is not None else "discards": [_as_dict(choice) for choice in found.choices],
        }

    def _discard_row(self, choice: Choice, columns: tuple[Column, ...]) -> Row:
        cells: dict[str, Cell] = {"shanten": choice.rest.shanten, "live": sum(choice.live)} | _alone_cells(choice)
        if choice.played_out is not None:
            played = choice.played_out
            cells |= {"won": played.won, "net": played.net, "behind": played.behind}
        label = f"{name(choice.tile)} → {text(choice.rest.effective) or NOTHING}"
        return Row(name(choice.tile), Term(label, label), tuple(cells.get(column.key) for column in columns))

    def _draw_row(self, choice: Choice) -> Row:
        label = name(choice.tile)
        if choice.discard is not None:
            label += f", {name(choice.discard)} → {text(choice.rest.effective)}"
        alone = _alone_cells(choice)
        copies = self.advice.unseen[choice.tile]
        won = choice.discard is None
        cells = (copies, choice.wins, None if won else choice.rest.shanten, None if won else sum(choice.live))
        return Row(name(choice.tile), Term(label, label), (*cells, alone["alone_chance"], alone["alone_points"]))


def players_of(advice: Advice) -> str:
    """Who plays the position out, in a word or four."""
    if advice.playouts is None:
        return ""
    names = [player.name for player in advice.playouts.players]
    return names[0] if len(set(names)) == 1 else ", ".join(names)


def verdict_of(choice: Choice, lang: Lang) -> str:
    """Whether a discard is the best, worse, or as good as anyone can tell; empty without playouts."""
    return _VERDICTS[choice.played_out.verdict].say(lang) if choice.played_out else ""


def _filled(term: Term, **values: object) -> Term:
    return Term(term.en.format(**values), term.zh.format(**values))


def _alone_cells(choice: Choice) -> dict[str, Cell]:
    if choice.alone is None:
        return {"alone_chance": None, "alone_points": None}
    return {"alone_chance": choice.alone.chance, "alone_points": choice.alone.points}


def state_of(shanten: int) -> Term:
    """A shanten in words."""
    if shanten == 0:
        return Term("ready", "听牌")
    return Term(f"shanten {shanten}", f"{shanten} 向听")


def _reach(choice: Choice) -> Term:
    """How far a hand is, what it takes and what it is worth alone."""
    state, tiles = state_of(choice.rest.shanten), text(choice.rest.effective) or NOTHING
    live = sum(choice.live)
    said = Term(f"{state.en}, takes {tiles} ({live} live)", f"{state.zh}，进张 {tiles}（余 {live} 张）")
    if choice.alone is None:
        return said
    wins, worth = chance(choice.alone.chance), fixed(choice.alone.points, 2)
    return Term(
        f"{said.en}; alone with the unseen tiles it wins {wins} of the time, or {worth} points on average",
        f"{said.zh}；独摸胡牌率 {wins}，平均得 {worth} 分",
    )


def _best(choice: Choice) -> Term:
    reach = _reach(choice)
    said = Term(f"Discard {name(choice.tile)}: {reach.en}", f"打{name_zh(choice.tile)}：{reach.zh}")
    played = choice.played_out
    if played is None:
        return Term(said.en + ".", said.zh + "。")
    ends = {lang: bounds(played.net, lang, sign=True) for lang in ("en", "zh")}
    return Term(
        f"{said.en}; played out it wins {percent(played.won)} and {points(played.net)} points ({ends['en']}).",
        f"{said.zh}；四家打完胡牌率 {percent(played.won)}，净得 {points(played.net)} 分（{ends['zh']}）。",
    )


def _waiting(choice: Choice) -> Term:
    reach = _reach(choice)
    return Term(f"The hand waits for a draw: {reach.en}.", f"待摸：{reach.zh}。")


def _as_dict(choice: Choice) -> dict[str, Any]:
    """A choice as numbers and tile names."""
    alone, played = choice.alone, choice.played_out
    return {
        "tile": None if choice.tile < 0 else name(choice.tile),
        "discard": None if choice.discard is None else name(choice.discard),
        "wins": choice.wins,
        "shanten": choice.rest.shanten,
        "effective": {name(kind): live for kind, live in zip(choice.rest.effective, choice.live, strict=False)},
        "live": sum(choice.live),
        "alone": None if alone is None else {"method": "exact", "chance": alone.chance, "points": alone.points},
        "played_out": None
        if played is None
        else {
            "method": "playouts",
            "won": asdict(played.won),
            "net": asdict(played.net),
            "behind": None if played.behind is None else asdict(played.behind),
            "adjusted_p_value": played.p_value,
            "verdict": played.verdict,
        },
    }
