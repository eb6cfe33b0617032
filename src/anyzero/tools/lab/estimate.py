"""A study of AMAF: three estimates of the same moves from the same rollouts, and the error of each.

*Flat*: the mean payoff of the rollouts that begin with the move. *AMAF*: the mean payoff of all
rollouts in which the seat to move made that move at any time, counted once per rollout. *RAVE*: the
mix of the two used in search. The flat estimate of very many rollouts serves as the truth. The
public function: `estimate("hex:size=7")`.
"""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.errors import AnyzeroError, BadOptionError, whole
from anyzero.core.base.seeds import draw_seed
from anyzero.core.base.statistics import mean_interval
from anyzero.core.game.contract import OVER
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import position_of
from anyzero.core.game.rollouts import count_cores, rollouts
from anyzero.core.search.forest import Forest
from anyzero.core.search.methods import FLAT, Method, Settings, adapt
from anyzero.core.search.report import RootMoves
from anyzero.core.search.selection import minimum_error_weight, rave_score
from anyzero.tools.lab.study import ESTIMATES, Errors, Point, Study
from anyzero.tools.progress import SHARE
from anyzero.tools.progress import progress as bar

SIMULATIONS = (30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
REFERENCE = 100_000
REPEATS = 32
FEWEST_REPEATS = 8
BIAS = 1e-3  # the square of AMAF's typical asymptotic error, 0.03 of a payoff
REFERENCE_STREAMS = 256

Watch = Callable[[float], None]  # called with the share of the work done


def estimate(
    game: Game | str,
    state: State | str | None = None,
    *,
    simulations: Sequence[int] | int | str = SIMULATIONS,
    reference: int = REFERENCE,
    repeats: int = REPEATS,
    seed: int = 0,
    bias: float = BIAS,
    plot: Path | str | None = None,
    progress: bool = True,
) -> Study:
    """Compare the estimates of flat Monte Carlo, AMAF and RAVE for each move with `reference`
    rollouts per move.

    Every move is estimated after each number of simulations, `repeats` times with new random
    numbers; `bias` is the squared bias of AMAF that RAVE assumes. A picture is drawn into the file
    `plot`.

    >>> anyzero.estimate("hex:size=5").plot()
    """
    if isinstance(simulations, str):
        simulations = parse_simulations(simulations)
    if plot is not None:
        from anyzero.tools.figures import check_picture  # matplotlib, which takes a second

        check_picture(Path(plot))
    game, state = position_of(game, state)
    budgets = [whole("simulations", number) for number in np.atleast_1d(simulations).tolist()]
    reference = whole("reference", reference)
    repeats = whole("repeats", repeats)
    seed = whole("seed", seed)
    check_study(game, state, budgets, reference, repeats, bias)
    actions = game.legal_actions(state)
    repetitions: list[list[RootMoves]] = []
    with bar("playing rollouts", SHARE, shown=progress) as tell:

        def watch(share: float) -> None:
            stopping.check()
            tell(share)

        truth = reference_values(
            game, state, actions, reference, seed, lambda share: watch(0.5 * share)
        )
        for number in range(repeats):
            repetitions.append(sample_moves(game, state, budgets, seed, number))
            watch(0.5 + 0.5 * (number + 1) / repeats)
    points = [
        make_point(budget, of, truth, bias)
        for budget, *of in zip(budgets, *repetitions, strict=True)
    ]
    moves = [game.format_action(state, action) for action in actions]
    text = game.format_state(state) if game.has("format_state") else ""
    study = Study(game.text, text, seed, moves, truth, reference, repeats, bias, points)
    if plot is not None:
        study.plot(plot)
    return study


def parse_simulations(text: str) -> tuple[int, ...]:
    """`100,1000,10000` as numbers."""
    parts = [part.strip().replace("_", "") for part in text.split(",")]
    if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
        raise BadOptionError(f"{text!r} is not a list of numbers like 100,1000,10000")
    return tuple(map(int, parts))


def check_study(
    game: Game, state: State, simulations: Sequence[int], reference: int, repeats: int, bias: float
) -> None:
    seat = game.seat_to_move(state)
    if seat < 0:
        why = "the game is over" if seat == OVER else "it is chance's turn"
        raise AnyzeroError(f"{game.name}: there is nothing to estimate, {why}")
    if not simulations or min(simulations) < 1 or sorted(set(simulations)) != list(simulations):
        raise BadOptionError(
            "simulations must be increasing positive numbers, not "
            f"{', '.join(map(str, simulations))}"
        )
    if reference < REFERENCE_STREAMS:
        raise BadOptionError(
            f"a reference of {reference} rollouts per move is too small: "
            f"{REFERENCE_STREAMS} or more"
        )
    if repeats < FEWEST_REPEATS:
        raise BadOptionError(f"intervals need {FEWEST_REPEATS} repetitions or more, not {repeats}")
    if not 0.0 <= bias < math.inf:
        raise BadOptionError(f"a bias of {bias} is not a number of 0 or more")


def reference_values(
    game: Game, state: State, actions: Sequence[int], num: int, seed: int, watch: Watch
) -> np.ndarray:
    """The flat estimate of each move from (at least) `num` rollouts that begin with it."""
    seat = game.seat_to_move(state)
    each = -(-num // REFERENCE_STREAMS)
    values = np.zeros(len(actions))
    for index, action in enumerate(actions):
        after = game.play(state, action)
        own_seed = draw_seed("reference", seed, action)
        sums = rollouts(
            game, after, REFERENCE_STREAMS, each, seed=own_seed, threads=count_cores()
        ).payoffs[:, seat]
        values[index] = sums.sum() / (REFERENCE_STREAMS * each)
        watch((index + 1) / len(actions))
    return values


def make_point(
    simulations: int, repeats: Sequence[RootMoves], truth: np.ndarray, bias: float
) -> Point:
    """The errors of each kind of estimate over all repetitions."""
    repetitions = [estimates_of(moves, bias) for moves in repeats]
    errors = {
        name: measure([estimates[name] for estimates in repetitions], truth) for name in ESTIMATES
    }
    return Point(simulations, errors, repetitions[0], repeats[0].visits, repeats[0].amaf_visits)


# --- estimates


def estimates_of(moves: RootMoves, bias: float) -> dict[str, np.ndarray]:
    """Each kind of estimate of every move. A move without rollouts is estimated by the overall
    mean.
    """
    overall = np.nansum(moves.values * moves.visits) / max(1, moves.visits.sum())
    flat, amaf = (
        np.where(np.isnan(means), overall, means) for means in (moves.values, moves.amaf_values)
    )
    amaf_visits = np.maximum(
        moves.amaf_visits, 1
    )  # no AMAF visits implies no visits: both means are the same
    weight = minimum_error_weight(moves.visits, amaf_visits, bias)  # type: ignore[arg-type]
    return {"flat": flat, "amaf": amaf, "rave": rave_score(flat, amaf, weight)}  # type: ignore[arg-type, dict-item]


def measure(estimates: Sequence[np.ndarray], truth: np.ndarray) -> Errors:
    """Means over the repetitions, with Student's intervals."""
    root_mean_squares = [math.sqrt(np.mean((values - truth) ** 2)) for values in estimates]
    mean_absolutes = [float(np.mean(np.abs(values - truth))) for values in estimates]
    correlations = [rank_correlation(values, truth) for values in estimates]
    intervals = [
        mean_interval(values) for values in (root_mean_squares, mean_absolutes, correlations)
    ]
    return Errors(*(interval for interval in intervals if interval is not None))


def rank_correlation(one_order: np.ndarray, other_order: np.ndarray) -> float:
    """Spearman's: the correlation of ranks, with ties sharing their mean rank; 0 if all are
    equal.
    """
    first = ranks(one_order)
    second = ranks(other_order)
    return 0.0 if first.std() * second.std() == 0.0 else float(np.corrcoef(first, second)[0, 1])


def ranks(values: np.ndarray) -> np.ndarray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2.0)[place]


# --- the rollouts

TURNS = Method("every move in turn", Settings(FLAT, max_depth=1, solve=0, amaf=1))


def sample_moves(
    game: Game,
    state: State,
    simulations: Sequence[int],
    seed: int,
    number: int,
    target: str = "cpu",
) -> list[RootMoves]:
    """One repetition: the moves after each number of simulations. They take turns to start a
    rollout.
    """
    forest = Forest(game, adapt(game, TURNS, "rollout"), room=game.max_legal + 1, target=target)
    forest.seed(draw_seed("estimate", seed, number))
    forest.plant(state)
    counts = []
    done = 0
    for budget in simulations:
        forest.grow(budget - done)
        moves = forest.moves()
        done = budget
        places = [moves.actions.tolist().index(action) for action in game.legal_actions(state)]
        counts.append(RootMoves(*(column[places] for column in moves)))
    return counts
