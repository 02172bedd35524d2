"""Whether a run that is there was made like another one that is asked for."""

from collections.abc import Iterator

from mjsim.dataset.run import Manifest
from mjsim.dataset.storage import Storage
from mjsim.errors import RunError
from mjsim.rules import Ruleset


def refuse_other(storage: Storage, found: Manifest, asked: Manifest) -> None:
    """Refuse to go on with a run whose deals are others than those asked for, and say all that differs."""
    if differing := list(_differences(found, asked)):
        raise RunError(
            f"{storage}: was made otherwise: {'; '.join(differing)}. --resume only goes on with the same;"
            " ask for that, or choose another output folder"
        )


def _differences(found: Manifest, asked: Manifest) -> Iterator[str]:
    """What differs, each with both values."""
    if found.keeps != asked.keeps:
        yield f"it keeps {found.keeps} there, {asked.keeps} here (--aggregate)"
    if found.results_version != asked.results_version:
        yield f"results_version is {found.results_version} there, {asked.results_version} here"
    yield from _rules(found, asked)
    there, here = ([each.name for each in players] for players in (found.players, asked.players))
    if there != here:
        yield f"the players are {','.join(there)} there, {','.join(here)} here"
    for one, other in dict.fromkeys(zip(found.players, asked.players, strict=True)):
        if one.name == other.name and one.source_hash != other.source_hash:
            yield (
                f"the player {one.name} has changed"
                f" (its source is {one.source_hash[:8]} there, {other.source_hash[:8]} here)"
            )
    for key, words in (
        ("seed", "the seed"),
        ("session_length", "the session length"),
        ("fish", "the number of fish"),
        ("first", "the first deal"),
    ):
        one, other = getattr(found, key), getattr(asked, key)
        if one != other:
            yield f"{words} is {one} there, {other} here"


def _rules(found: Manifest, asked: Manifest) -> Iterator[str]:
    from mjsim.rules.page import differences, inline

    there, here = (Ruleset.from_dict(each.ruleset, source="run.json") for each in (found, asked))
    keys = [
        f"{each.path} is {inline(each.first)} there, {inline(each.second)} here" for each in differences(there, here)
    ]
    if keys:
        yield from keys
    elif _without_titles(found.ruleset) != _without_titles(asked.ruleset):
        yield f"the ruleset is {there.name} there, {here.name} here"


def _without_titles(ruleset: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in ruleset.items() if key != "ruleset"}
