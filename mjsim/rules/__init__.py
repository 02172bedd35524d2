"""Rulesets: validated files of numbers and switches.

>>> rules = load_rules("liuzhou", third_party=False)
>>> rules.title.en, rules.liability.third_party
('Liuzhou mahjong', False)
"""

from mjsim.errors import RulesError
from mjsim.rules.load import builtin_names, extended_name, load_rules, variant_names
from mjsim.rules.model import Ruleset, option_names
from mjsim.rules.settings import parse_setting, parse_settings

__all__ = [
    "RulesError",
    "Ruleset",
    "builtin_names",
    "extended_name",
    "load_rules",
    "option_names",
    "parse_setting",
    "parse_settings",
    "variant_names",
]
