"""Playing players against each other on the same walls, in every seating."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from analysis.counts.histogram import Histogram
from analysis.counts.measures import SEATS
from analysis.counts.played import count_played
from analysis.skill.ladder import Ladder
from analysis.skill.skill import Match, Seating, placements, points_of
from mjsim.contract import Player
from mjsim.dataset.frames import Columns
from mjsim.engine import Engine, Plan, as_rules, check_deals
from mjsim.errors import PlayerError
from mjsim.players import BUILTIN, QUICK, players_for_seats
from mjsim.ranges import CHUNK_DEALS, Progress
from mjsim.rules import Ruleset
from mjsim.tiles import quoted
from mjsim.workers import Interrupts, check_threads, whole_number

PlayerChoice = str | Player


def match(
    rules: str | Ruleset,
    first: PlayerChoice,
    second: PlayerChoice,
    *,
    deals: int,
    seed: int = 0,
    seats: int = 1,
    fish: int = 2,
    threads: int | None = None,
    progress: Progress | None = None,
    interrupts: Interrupts | None = None,
) -> Match:
    """Play one player among others, in every seat of the same walls.

    Parameters
    ----------
    rules : str, path or Ruleset
    first, second : str or Player
        A, and B, who sits in the other seats.
    deals : int
        How many walls; each is played with every seating.
    seed : int
        0 ≤ seed < 2^64.
    seats : int
        1: A alone against three B, in four seatings; 2: two against two, in six; 3: three A against one B.
    fish : int
        Fish labels that built-in players take, 0–2.
    threads : int, optional
        Worker threads; do not change the results.
    progress : callable, optional
        Called now and then with the number of deals played.
    interrupts : Interrupts, optional
        One that the caller has open.

    Raises
    ------
    KeyboardInterrupt
        Where Ctrl-C came first: a match that is not finished says nothing.

    Examples
    --------
    >>> found = match("liuzhou", "fast", "random", deals=200, seed=1)
    >>> found.deals, found.edge.estimate > 0
    (800, True)
    """
    ruleset, (one, other) = as_rules(rules), chosen_players((first, second), distinct=False)
    play = _Play(ruleset, deals, seed, fish, threads, progress)
    with nullcontext(interrupts) if interrupts else Interrupts() as heeded:
        return play.match(one, other, seats, heeded)


def ladder(
    rules: str | Ruleset,
    players: Sequence[PlayerChoice] | None = None,
    *,
    deals: int,
    seed: int = 0,
    fish: int = 2,
    threads: int | None = None,
    progress: Progress | None = None,
    interrupts: Interrupts | None = None,
) -> Ladder:
    """Play every player alone against three of every other, and four of each kind among themselves.

    Parameters
    ----------
    rules : str, path or Ruleset
    players : sequence of str or Player, optional
        At least two, of different names; `mjsim.players.QUICK` unless given.
    deals : int
        How many walls; each is played in every seat by every pair.
    seed, fish, threads, progress, interrupts
        As for `match`.

    Raises
    ------
    PlayerError
        Naming a player that is not known, or that stands there twice.
    KeyboardInterrupt
        Where Ctrl-C came before all was played.

    Examples
    --------
    >>> found = ladder("liuzhou", ["random", "fast"], deals=200, seed=1)
    >>> [name for name, _ in found.strengths]
    ['fast', 'random']
    """
    ruleset, chosen = as_rules(rules), chosen_players(list(QUICK) if players is None else players)
    play = _Play(ruleset, deals, seed, fish, threads, progress)
    with nullcontext(interrupts) if interrupts else Interrupts() as heeded:
        matches = [play.match(one, other, 1, heeded) for one in chosen for other in chosen if one is not other]
        alone = {each.name: play.run((each,) * SEATS, (), heeded).aggregate for each in chosen}
    return Ladder(ruleset, deals, seed, tuple(matches), alone)


def deals_to_play(players: int, deals: int) -> int:
    """How many deals a ladder of so many players takes.

    >>> deals_to_play(3, 1000)
    27000
    """
    return deals * (players * (players - 1) * SEATS + players)


def chosen_players(choices: Sequence[PlayerChoice], *, distinct: bool = True) -> list[Player]:
    """The players that are meant; refuses fewer than two, and one that stands there twice."""
    if len(choices) < 2:
        raise PlayerError(f"only {len(choices)}: a comparison needs two or more; there are {', '.join(BUILTIN)}")
    found: list[Player] = []
    for place, choice in enumerate(choices, 1):
        if isinstance(choice, str) and choice not in BUILTIN:
            raise PlayerError(f"player {place}: none is called {quoted(choice)}; there are {', '.join(BUILTIN)}")
        each = players_for_seats((choice,))[0]
        if distinct and any(each.name == other.name for other in found):
            raise PlayerError(f"player {place}: {quoted(each.name)} is compared already; name each one once")
        found.append(each)
    return found


class _Play:
    """Runs over the same walls, with progress over all of them."""

    def __init__(
        self, rules: Ruleset, deals: int, seed: int, fish: int, threads: int | None, progress: Progress | None
    ) -> None:
        self.rules = rules
        self.deals = whole_number("deals", deals)
        self.seed, self.fish, self.threads = seed, fish, threads
        check_deals(0, self.deals)
        check_threads(threads, CHUNK_DEALS)
        self._progress = progress
        self._done = 0

    def match(self, one: Player, other: Player, seats: int, interrupts: Interrupts) -> Match:
        """One player among the other's, in every seating."""
        seatings = []
        for places in placements(seats):
            table = tuple(one if seat in places else other for seat in range(SEATS))
            seatings.append(self.run(table, places, interrupts))
        return Match(one.name, other.name, tuple(seatings))

    def run(self, table: tuple[Player, ...], places: tuple[int, ...], interrupts: Interrupts) -> Seating:
        """All deals of one seating; their points are of no interest where no places are given."""
        engine = Engine(Plan(self.rules, players_for_seats(table), self.seed, 1, self.fish))
        report: Callable[[int], None] | None = None
        if self._progress is not None:
            told, before = self._progress, self._done

            def report(played: int) -> None:
                told(before + played)

        points: list[Histogram] = []

        def add_points(columns: Columns) -> None:
            points.append(points_of(columns, places))

        beside = add_points if places else None
        found = count_played(engine, 0, self.deals, interrupts, threads=self.threads, progress=report, beside=beside)
        if found is None:
            raise KeyboardInterrupt
        self._done += self.deals
        return Seating(places, found, Histogram.merged(points))
