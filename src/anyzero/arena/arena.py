"""The door: `match("hex:size=7", "rave:1000", "uct:1000", games=400)` and `play_games` below it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from anyzero import stopping
from anyzero.arena.match import MatchResult
from anyzero.arena.plan import Match, Plan, make_plan
from anyzero.arena.record import Record
from anyzero.arena.standings import Standings, make_standings, pair_scores
from anyzero.arena.statistics import Sprt
from anyzero.arena.workers import Task, Workers, play_all
from anyzero.cluster import Pool, opened
from anyzero.errors import BadOptionError
from anyzero.games.game import Game
from anyzero.players import Player
from anyzero.progress import progress as bar

Results = dict[Match, MatchResult]
Watch = Callable[[Results], bool | None]
"""Told of the results so far whenever a game ends; True stops the play."""


def match(
    game: Game | str,
    first: Player | str,
    second: Player | str,
    *,
    sprt: Sprt | tuple[float, float] | None = None,
    progress: bool = True,
    workers: int | None = None,
    cluster: str | None = None,
    record: Path | str | None = None,
    **settings: Any,
) -> Standings:
    """Play two players against each other, in pairs of games with one opening and the seats swapped.

    `settings` are those of `make_plan`: games, seed, openings, limit_s. The same seed gives the same standings
    whatever the number of workers, as long as no player has a clock. Finished games are kept in `record`, from which a
    stopped match goes on; `sprt`, two Elo differences, ends it as soon as it is clear which is nearer to the truth.
    With `cluster`, `auto` or the address of a Ray cluster, its nodes play.

    >>> anyzero.match("hex:size=7", "rave:1000", "uct:1000", games=40)
    """
    plan = make_plan(game, (first, second), **settings)
    test = Sprt(*sprt) if isinstance(sprt, tuple) else sprt
    with opened(cluster) as pool, watching(plan, record, shown=progress, pool=pool) as watch:
        results = play_match_plan(plan, test, workers=pool or workers, record=record, watch=watch)
    return replace(judge_couple(results, test), plan=plan, sprt=test)


@contextmanager
def watching(plan: Plan, record: Path | str | None, *, shown: bool, pool: Pool | None = None) -> Iterator[Watch]:
    """A bar with the running score while games are played; who stops them hears what was kept."""
    total, done = len(plan.matches()), 0

    def words() -> str:
        kept = f", kept in {record}; the same command goes on from there"
        return f"stopped after {done} of {total} games" + (
            "; with --record FILE a stopped run can go on later" if record is None else kept
        )

    with stopping.telling(words), bar("playing", total, shown=shown) as tell:

        def watch(results: Results) -> None:
            nonlocal done
            done = len(results)
            score = "playing" if len(plan.players) > 2 else running_score(results)
            tell(done, words=score if pool is None else f"{score} ({pool.describe()})")

        yield watch


def running_score(results: Results) -> str:
    tally = make_standings(list(results.values())).tally
    return f"+{tally.wins} ={tally.draws} -{tally.losses}"


def play_match_plan(plan: Plan, sprt: Sprt | None, *, watch: Watch | None = None, **playing: Any) -> Results:
    """The games of a plan of two; a test stops them as soon as the pairs in order decide it."""
    if sprt is not None and plan.has_one_seat():
        raise BadOptionError(f"{plan.game} has one seat: there is no Elo to test")

    def look(results: Results) -> bool:
        told_to_stop = watch is not None and bool(watch(results))
        return told_to_stop or (sprt is not None and is_decided(sprt, results))

    return play_games(plan, watch=look, **playing)


def leading_pairs(results: Mapping[Match, MatchResult], start: int = 0) -> list[MatchResult]:
    """The games of all pairs from pair `start` to the first one that is not finished."""
    found: list[MatchResult] = []
    while True:
        pair = start + len(found) // 2
        legs = [results.get(Match(0, 1, pair, leg)) for leg in (0, 1)]
        if legs[0] is None or legs[1] is None:
            return found
        found += [legs[0], legs[1]]


def is_decided(sprt: Sprt, results: Mapping[Match, MatchResult]) -> bool:
    """Show the test the pairs that it has not seen yet, in order."""
    sprt.add_until_decided(pair_scores(leading_pairs(results, sum(sprt.counts))))
    return sprt.decision is not None


def judge_couple(results: Mapping[Match, MatchResult], sprt: Sprt | None = None) -> Standings:
    """The standings; games beyond the pair that decided the test are left out, so that their number is no accident."""
    if sprt is not None and is_decided(sprt, results):
        return make_standings(leading_pairs(results)[: 2 * sum(sprt.counts)])
    return make_standings(list(results.values()))


def play_games(
    plan: Plan, *, workers: Workers = None, record: Path | str | None = None, watch: Watch | None = None
) -> Results:
    """Play what the record does not hold yet; results in the order of the plan."""
    matches = plan.matches()
    book = None if record is None else Record(Path(record), plan)
    try:
        known = {} if book is None else book.results
        results = {match: known[match] for match in matches if match in known}
        if not (watch and watch(results)):
            play_missing(plan, matches, results, workers=workers, book=book, watch=watch)
    finally:
        if book is not None:
            book.close()
    return {match: results[match] for match in matches if match in results}


def play_missing(
    plan: Plan,
    matches: Sequence[Match],
    results: Results,
    *,
    workers: Workers,
    book: Record | None,
    watch: Watch | None,
) -> None:
    """Play the matches without a result, adding each one's as it ends."""
    missing = [Task(plan, match) for match in matches if match not in results]
    with closing(play_all(missing, workers)) as finished:
        for _, result in finished:
            results[result.match] = result
            if book is not None:
                book.add(result)
            if watch and watch(results):
                return
