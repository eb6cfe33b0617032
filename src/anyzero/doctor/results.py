"""Whether the samples say what the games say: their results, and the values after search."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyzero.doctor.case import ENOUGH_GAMES, Case, read_lines
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, percent, skipped
from anyzero.doctor.positions import Replayed, replay_games
from anyzero.learning.samples import Samples, join
from anyzero.learning.selfplay import start_states
from anyzero.learning.shards import load_shard

RESULTS, SEARCH = "results in the samples", "values after search"
ENOUGH = 100
"""Samples without which nothing is said of a correlation."""
CLOSE = 1e-5


def check_results(case: Case) -> Finding:
    """The payoff of each of the newest samples against the results of the games that go through its position."""
    pair = newest_blocks(case)
    if pair is None:
        return skipped(RESULTS, "the run has no block of samples whose games are there too")
    samples, lines = pair
    played = replay_lines(case, lines)
    written = np.array([line["payoffs"] for line in lines], float).reshape(len(lines), case.game.num_seats)
    ends = np.array([line["end"] for line in lines], str)
    other = (ends == "rules") & ~played.illegal & (np.abs(written - played.payoffs) > CLOSE).any(axis=1)
    if played.illegal.any() or other.any():
        return Finding(
            RESULTS,
            WRONG,
            "the games do not follow the rules",
            f"{int(played.illegal.sum())} of {len(lines)} games have illegal moves, {int(other.sum())} another result",
            "the game was changed after the run began: start a new run, or take the change back",
        )
    return judge_samples(samples, played, written, cut_off=ends == "plies")


def newest_blocks(case: Case) -> tuple[Samples, list[dict[str, Any]]] | None:
    """The samples and the games of the newest blocks that have both."""
    parts: list[Samples] = []
    lines: list[dict[str, Any]] = []
    if case.folder is None:
        return None
    for block in reversed(case.folder.blocks()):
        games = case.folder.games_path(block.generation, block.number)
        if games.is_file() and len(lines) < ENOUGH_GAMES:
            parts.append(load_shard(block.path, case.game))
            lines += read_lines(games)
    return (join(parts), lines) if parts else None


def replay_lines(case: Case, lines: Sequence[dict[str, Any]]) -> Replayed:
    starts = start_states(case.game, case.config.selfplay.starts)
    if starts is None:
        starts = np.array([case.game.initial_state()], case.game.state_dtype)
    first = np.array([line["start"] for line in lines], np.int64)
    return replay_games(case.game, starts, first, [line["actions"] for line in lines])


def judge_samples(samples: Samples, played: Replayed, written: np.ndarray, cut_off: np.ndarray) -> Finding:
    """A sample is right if some game with its position at its ply came to its payoff.

    Samples of games that were cut off have the value after search as payoff: only their positions are looked at.
    """
    results = written[played.games, np.maximum(played.seats, 0)]
    keys = position_keys(played.states, played.plies, played.lengths[played.games])
    own = position_keys(samples.states, samples.plies, samples.lengths)
    open_end = np.isin(own, keys[cut_off[played.games]])
    right = open_end | np.isin(with_payoff(own, samples.payoffs), with_payoff(keys, results))
    turned = ~right & np.isin(with_payoff(own, -samples.payoffs), with_payoff(keys, results))
    stray, wrong = ~np.isin(own, keys), ~right
    if not wrong.any():
        seen = f"{samples.num} samples of {len(written)} games"
        seen += f"; {int(open_end.sum())} of games that were cut off have no result" if open_end.any() else ""
        return Finding(RESULTS, WELL, "they are those of the games", seen)
    if turned.sum() > 0.9 * (wrong & ~stray).sum() and not stray.all():
        return Finding(
            RESULTS,
            WRONG,
            "the results in the samples have the wrong sign",
            f"{int(turned.sum())} of {samples.num} samples have the opposite of their game's result; draws are alike",
            "payoffs of samples are for the seat to move: look at where the result of a game is written to its samples",
        )
    return Finding(
        RESULTS,
        WRONG,
        "samples do not have the results of their games",
        f"{int((wrong & ~stray).sum())} of {samples.num} have another result, {int(stray.sum())} are of no game",
        "the files of games and of samples are not of one run, or the code that writes them is wrong",
    )


def position_keys(states: Any, plies: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """A 64-bit key of each position, its ply and the length of its game."""
    words = np.ascontiguousarray(states).view(np.uint64).reshape(len(states), states.dtype.itemsize // 8)
    columns = np.column_stack([words, plies.astype(np.uint64), lengths.astype(np.uint64)])
    factors = np.random.default_rng(1).integers(0, 1 << 63, columns.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    return np.asarray((columns * factors).sum(axis=1, dtype=np.uint64))


def with_payoff(keys: np.ndarray, payoffs: np.ndarray) -> np.ndarray:
    """Keys of position and result together; results are compared to five digits."""
    rounded = np.round(payoffs / CLOSE).astype(np.int64).view(np.uint64)
    return np.asarray(keys + rounded * np.uint64(0x9E3779B97F4A7C15))


def check_search_values(case: Case) -> Finding:
    """The values after search go with the results: their correlation over the newest samples."""
    if not case.has_samples:
        return skipped(SEARCH, "there are no samples yet")
    samples = case.samples
    cut_off = (samples.payoffs == samples.values) & (np.abs(samples.values) < 1.0)  # taught what their searches said
    both = (samples.values[~cut_off], samples.payoffs[~cut_off])
    num = len(both[0])
    if num < ENOUGH or min(column.std() for column in both) < 1e-6:
        return skipped(SEARCH, "too few samples, or all with the same value or result")
    found = float(np.corrcoef(*both)[0, 1])
    games = num / float(samples.lengths.mean())  # samples of one game are not independent
    seen = f"correlation {found:+.2f} over {num} samples"
    if found < -max(0.1, 4.0 / np.sqrt(games)):
        advice = "the evaluator's value must be for the seat to move: look at the network's targets and at encode"
        return Finding(SEARCH, WRONG, "the search believes the opposite of what happens", seen, advice)
    if found < 0.1:
        advice = "normal in the first generations; later it means that the value head learns nothing"
        return Finding(SEARCH, DOUBTFUL, "the search knows next to nothing of results", seen, advice)
    return Finding(SEARCH, WELL, "they go with the results", f"{seen}, {percent(sign_share(samples))} have their sign")


def sign_share(samples: Samples) -> float:
    decided = np.abs(samples.payoffs) > 0.5
    return float((np.sign(samples.values) == np.sign(samples.payoffs))[decided].mean()) if decided.any() else 0.0


def last_positions(played: Replayed, plies: int = 3) -> Any:
    """The last positions of every game in which a seat was to move."""
    late = (played.plies >= played.lengths[played.games] - plies) & (played.seats >= 0)
    return played.states[late]
