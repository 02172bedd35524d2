"""Where libraries answer differently: hand by hand, with who is right by plain Python that shares nothing with mjsim.

The naive twin knows mjsim's rules. Japanese and Chinese Official rules have thirteen orphans besides, and take seven
pairs to be seven different kinds; an answer that is right by those rules is a difference of rules, not an error.
"""

from typing import Any, Final

from mjsim.tiles import kinds_of, text
from tests.naive import hands as naive

ORPHANS: Final = (0, 8, 9, 17, 18, 26, 27, 28, 29, 30, 31, 32, 33)

Hands = dict[str, list[list[int]]]


def own_rules(counts: list[int]) -> int:
    """Shanten by mjsim's rules: four sets and a pair, or seven pairs with a quad as two of them."""
    return naive.shanten(counts, 0)


def wider_rules(counts: list[int]) -> int:
    """Shanten with seven pairs of different kinds and thirteen orphans.

    Examples
    --------
    >>> wider_rules([1, 0, 0, 0, 0, 0, 0, 0, 1] * 3 + [1] * 7)
    0
    """
    pairs = sum(count >= 2 for count in counts)
    kinds = sum(count >= 1 for count in counts)
    orphans = sum(counts[kind] >= 1 for kind in ORPHANS)
    pair_of_orphans = any(counts[kind] >= 2 for kind in ORPHANS)
    return min(
        naive.distance(counts, 0) - 1,
        6 - pairs + max(0, 7 - kinds),
        13 - orphans - pair_of_orphans,
    )


def verdict(task: str, counts: list[int], theirs: Any) -> str:
    """Who is right about a hand on which a library and mjsim differ.

    Examples
    --------
    >>> verdict("complete", [0] * 27 + [4, 2, 2, 2, 2, 2, 0], False)
    'rules'
    """
    own, wider = own_rules(counts), wider_rules(counts)
    if theirs == (own == -1 if task == "complete" else own):
        return "mjsim wrong"
    return "rules" if theirs == (wider == -1 if task == "complete" else wider) else "library wrong"


def disagreements(asked: Hands, answers: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Every hand on which a library does not say what mjsim's rules say.

    Parameters
    ----------
    asked : dict
        For each task the hands.
    answers : dict
        For each library and task what it answered, hand by hand.
    """
    truth: dict[str, list[Any]] = {
        "complete": [own_rules(hand) == -1 for hand in asked["complete"]],
        "shanten": [own_rules(hand) for hand in asked["shanten"]],
    }
    found = []
    for task, right in truth.items():
        for name, told in answers.items():
            if task not in told:
                continue
            for hand, ours, theirs in zip(asked[task], right, told[task], strict=True):
                if ours != theirs:
                    found.append(
                        {
                            "library": name,
                            "task": task,
                            "hand": text(kinds_of(hand)),
                            "mjsim": ours,
                            "theirs": theirs,
                            "verdict": verdict(task, hand, theirs) if theirs is not None else "no answer",
                        }
                    )
    return found
