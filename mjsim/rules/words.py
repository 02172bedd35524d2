"""The keys of a ruleset in words: English as the model describes them, Chinese beside it.

The terms are those of the table of names in ``docs/rules.md``.
"""

from typing import Final

from pydantic import BaseModel

from mjsim.rules.check import Path, table_of
from mjsim.rules.model import Ruleset

#: Chinese descriptions by model and field; a field is looked for in the models that its own model builds on, too.
_ZH: Final = {
    "Ruleset.ruleset": "规则名称。",
    "Ruleset.claims": "他家打出的牌可怎样要。",
    "Ruleset.value": "胡牌的分值，未计事件。",
    "Ruleset.units": "各牌型的番数。",
    "Ruleset.events": "胡牌途中的事件。",
    "Ruleset.kongs": "杠分与抢杠。",
    "Ruleset.liability": "吃三笔、封胡（三次点碰）。",
    "Ruleset.pass_lock": "漏胡。",
    "Ruleset.deal_end": "无人胡牌时如何收局（流局）。",
    "Ruleset.fishing": "钓鱼：随他家输赢的外围玩法。",
    "Ruleset.horses": "买马：翻牌，中马加倍胡牌所得。",
    "Heading.name": "短名，用于命令与数据列。",
    "Heading.title": "给人看的名称。",
    "Heading.about": "这套规则的特点。",
    "Title.en": "英文名称。",
    "Title.zh": "中文名称。",
    "About.en": "特点，英文。",
    "About.zh": "特点，中文。",
    "Claims.chow": "可以吃上家的牌。",
    "Claims.multiple_winners": "一炮多响：能胡的各家都可胡；否则按行牌次序只由第一家胡。",
    "Value.step": "第一番之后，每多一番分值乘以此数。",
    "Value.self_draw": "自摸时三家各付多少。",
    "Value.discard": "点炮者付多少。",
    "Value.ordinary_discard": "基本胡（无番）由点炮者付多少，门清与否相同；“none”：不能这样胡。",
    "SelfDrawPrices.ordinary": "基本胡，非门清。",
    "SelfDrawPrices.ordinary_concealed": "基本胡，门清。",
    "SelfDrawPrices.special": "一番的牌，非门清。",
    "SelfDrawPrices.special_concealed": "一番的牌，门清。",
    "DiscardPrices.special": "一番的牌，非门清。",
    "DiscardPrices.special_concealed": "一番的牌，门清。",
    "Units.all_pungs": "对对胡：四副碰或杠加一对将。",
    "Units.full_flush": "清一色：全为一门序数牌，无字牌。",
    "Units.seven_pairs": "小七对；四张相同算两对。",
    "Units.quad": "七对中每组四张相同的牌（豪华）。",
    "Units.melded_hand": "全求人：四副明的吃碰杠，单钓一张将牌。",
    "HandUnits.self_draw": "自摸时的番数。",
    "HandUnits.discard": "胡他家牌时的番数。",
    "Events.last_tile_draw": "海底捞月：自摸最后一张牌。",
    "Events.last_tile_claim": "海底炮：最后一张牌摸走之后，胡他家打出的牌。",
    "Events.kong_discard": "杠上炮：胡杠后打出的牌。",
    "Events.robbing_kong": "抢杠：胡他家补杠的牌。",
    "Events.replacement_win": "杠上花：自摸杠后补的牌。",
    "Events.melded_discard": "全求炮：打出者自己四副明牌、手中只剩一张。",
    "Events.heavenly_hand": "天胡：庄家最早的胡牌。",
    "Events.earthly_hand": "地胡：闲家最早的胡牌。",
    "Events.human_hand": "人胡：胡庄家打出的第一张牌；“double”即两番。",
    "EventWorth.factor": "每份分值的倍数。",
    "EventWorth.units": "改为给牌型加番。",
    "Event.payer": "由谁付分；此事件不改变。",
    "_KongEvent.per_kong": "连杠时每杠各计一次番。",
    "RobbingKong.payer": "由谁付分；此事件不改变。",
    "KongDiscard.payer": "“discarder”：点炮者包三家；“usual”：只付自己的一份。",
    "ReplacementWin.payer": "“giver”：起决定作用的杠若为明杠，由点杠（点碰）者包三家。",
    "ReplacementWin.decided_by": "连杠中哪一杠决定由谁付分。",
    "ReplacementWin.concealed_ordinary": "暗杠开基本胡时每家付多少，已含倍数；“none”：照常计算。",
    "ReplacementWin.concealed_kong_scale": "由暗杠决定的连杠之后，对对胡或清一色按哪种分值计：自摸或点炮。",
    "MeldedDiscard.payer": "由谁付分；此事件不改变。",
    "MeldedDiscard.beside_melded_hand": "与胡牌者自己的全求人叠加。",
    "FirstMoment.moment": "哪一时刻。",
    "FirstMoment.fixed": "每份的固定分值，代替牌型与事件；“none”：照牌型计算。",
    "Kongs.exposed": "明杠（直杠、补杠）的杠分，由供牌者付。",
    "Kongs.concealed": "暗杠的杠分，三家各付。",
    "Kongs.rob_kong": "可以抢杠：补杠的牌可胡。",
    "Kongs.rob_after_concealed": "连杠中此前有暗杠时也可抢杠。",
    "Liability.enabled": "实行此项责任。",
    "Liability.melds": "由同一家供到几副起算。",
    "Liability.chow_counts": "吃的牌也算在内。",
    "Liability.giver_may_win": "供牌者自己仍可胡；否则本局封胡。",
    "Liability.third_party": "第三家点炮给收牌者时，供牌者也付。",
    "Liability.giver_to_maker": "供牌者点炮给收牌者：另付分值的几倍。",
    "Liability.giver_to_third": "供牌者点炮给第三家：付收牌者分值的几倍。",
    "Liability.third_to_maker": "第三家点炮给收牌者：供牌者付分值的几倍。",
    "Liability.self_draw": "收牌者自摸：供牌者付每份分值的几倍。",
    "Liability.giver_alone": "自摸时由供牌者一人代付全部，也代点杠者。",
    "Liability.dead_double": "死双：供牌者为收牌者胡牌所付的分加倍。",
    "PassLock.enabled": "实行漏胡：放过一张牌不胡，到自己下次摸牌前不可胡同样的牌。",
    "DealEnd.tiles_left": "牌墙剩这么多张时不再正常摸牌。",
    "DealEnd.last_tile_discard": "最后一张牌摸后须打出，他家可胡。",
    "DealEnd.last_tile_claims": "最后一张牌摸走后打出的牌，也可碰、杠。",
    "Fishing.enabled": "可以取鱼牌。",
    "Fishing.max_labels": "每人最多取几张鱼牌。",
    "Fishing.reserve": "“all”：最后八张一律不摸；“picked”：只留下被取的鱼牌。",
    "Horses.enabled": "只有一家胡时买马。",
    "Horses.number": "翻几张；牌墙所余不足则全翻。",
}

#: What stands before the keys of one hand type or event: its name.
TERMS: Final = {
    "all_pungs": ("all pungs", "对对胡"),
    "full_flush": ("full flush", "清一色"),
    "seven_pairs": ("seven pairs", "小七对"),
    "quad": ("quad", "豪华"),
    "melded_hand": ("melded hand", "全求人"),
    "concealed_hand": ("concealed hand", "门清"),
    "ordinary": ("ordinary", "基本胡"),
    "last_tile_draw": ("last tile draw", "海底捞月"),
    "last_tile_claim": ("last tile claim", "海底炮"),
    "kong_discard": ("kong discard", "杠上炮"),
    "robbing_kong": ("robbing a kong", "抢杠"),
    "replacement_win": ("replacement win", "杠上花"),
    "melded_discard": ("melded discard", "全求炮"),
    "heavenly_hand": ("heavenly hand", "天胡"),
    "earthly_hand": ("earthly hand", "地胡"),
    "human_hand": ("human hand", "人胡"),
}

#: What ``ruleset.extends`` means; the loader reads it, and it is no part of the model.
EXTENDS: Final = (
    "What this file builds on: the name of a built-in ruleset or variant, or the path of a file; "
    "keys that are not written are as they are there.",
    "所依据的规则：内置规则或变体的名称，或文件路径；未写的项照其原样。",
)


def meaning(path: Path) -> tuple[str, str]:
    """Say what the key or table at `path` means, in English and in Chinese.

    >>> meaning(("kongs", "exposed"))[1]
    '明杠（直杠、补杠）的杠分，由供牌者付。'
    """
    table: type[BaseModel] = Ruleset
    for name in path[:-1]:
        inner = table_of(table, name)
        assert inner is not None, path
        table = inner
    return field_meaning(table, path[-1])


def field_meaning(table: type[BaseModel], name: str) -> tuple[str, str]:
    """Say what a field of one of the model's tables means, in English and in Chinese."""
    english = table.model_fields[name].description
    assert english is not None, name
    for model in table.__mro__:
        if f"{model.__name__}.{name}" in _ZH:
            return english, _ZH[f"{model.__name__}.{name}"]
    raise KeyError(f"{table.__name__}.{name}")


def described() -> frozenset[str]:
    """Return the fields that have words in Chinese, as `Model.field`."""
    return frozenset(_ZH)
