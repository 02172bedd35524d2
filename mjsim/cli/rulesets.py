"""``mjsim rules``: what rulesets there are, and whether a file is one."""

from typing import TYPE_CHECKING

from mjsim.cli.output import print_rows
from mjsim.cli.progress import say
from mjsim.errors import RulesError
from mjsim.rules import builtin_names, load_rules

if TYPE_CHECKING:
    from mjsim.cli.choices import Format


def print_list(format: "Format") -> None:
    """Print the built-in rulesets with their titles."""
    rows = [(rules.name, rules.title.en, rules.title.zh) for rules in map(load_rules, builtin_names())]
    print_rows(("name", "en", "zh"), ("name", "title", "名称"), rows, format)


def check(files: list[str]) -> int:
    """Check rulesets; returns the exit status."""
    status = 0
    for file in files:
        try:
            rules = load_rules(file)
        except RulesError as error:
            status = 1
            say("error: " + str(error).replace("\n", "\n       "))
        else:
            print(f"{file}: {rules.name} is in order ({rules.title.en}, {rules.title.zh})")
    return status
