"""A game before it is learnt: its input, its laws, what random games of it are like."""

import numpy as np

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, percent
from anyzero.games.laws import check_game
from anyzero.learning.replay import window_size
from anyzero.learning.samples import Samples

INPUT, LAWS, SYMMETRIES, RANDOM, SAMPLES = "input", "laws", "symmetries", "random games", "samples a generation"
QUICK = {"num_games": 6, "plies": 100_000, "simulate": False}
"""Enough to find most mistakes; `anyzero check` looks harder."""
DRAWS, ONE_SIDE, CUT_OFF = 0.9, 0.95, 0.5
FEW_SAMPLES = 500


def check_laws(case: Case) -> Finding:
    """The laws of the contract on a few random games."""
    results = check_game(case.game, **QUICK)
    broken = [result for result in results if not result.ok]
    if broken:
        seen = "; ".join(f"{result.law}: {result.detail}" for result in broken[:3])
        advice = f"anyzero check {case.game.text} until all laws hold: nothing can be learnt from wrong rules"
        return Finding(LAWS, WRONG, f"{len(broken)} of {len(results)} laws are broken", seen, advice)
    return Finding(
        LAWS, WELL, "they hold", f"{len(results)} laws on {QUICK['num_games']} games; anyzero check looks harder"
    )


def check_input(case: Case) -> Finding:
    """The network's input, and whether it tells positions with different moves apart."""
    samples, network = case.random.samples, case.config.network
    shape = "x".join(map(str, case.game.planes_shape))
    head = f"{network.kind}, policy {network.policy}, value {network.value}"
    seen = f"{shape} numbers for a network of the kind {head}; {case.game.num_actions} actions"
    unclear = confused_share(samples)
    if unclear > 0.0:
        advice = "encode must write whatever the legal moves depend on: castling, the ko, the tile to place"
        seen += f"; {percent(unclear)} of {samples.num} positions have the input of another with other moves"
        return Finding(INPUT, WRONG, "positions with different moves have the same input", seen, advice)
    return Finding(INPUT, WELL, "a network can read it", seen)


def confused_share(samples: Samples) -> float:
    """Of the positions whose input another one has whose legal actions are not the same."""
    order = np.argsort(samples.keys, kind="stable")
    keys, actions = samples.keys[order], samples.actions[order]
    differs = (keys[1:] == keys[:-1]) & (actions[1:] != actions[:-1]).any(axis=1)
    return float(differs.mean()) if len(differs) else 0.0


def check_symmetries(case: Case) -> Finding:
    """How many ways there are to turn the board; the laws check that they are right."""
    num = len(case.game.symmetries)
    if num:
        return Finding(SYMMETRIES, WELL, f"{num} besides the identity", f"each sample counts for {num + 1}")
    return Finding(SYMMETRIES, WELL, "none", "a function symmetries, where the board has some, multiplies the samples")


def check_random(case: Case) -> Finding:
    """Length and results of random games: what the first generation learns from is much like them."""
    block = case.random
    lengths = np.array([len(line.actions) for line in block.games])
    cut = float(np.mean([line.end == "plies" for line in block.games]))
    seen = f"{len(lengths)} games of {lengths.mean():.0f} plies ({lengths.min()} to {lengths.max()})"
    if case.game.num_seats == 1:
        seen += f", mean payoff {block.payoffs.mean():+.2f}"
        if block.payoffs.std() == 0.0:
            advice = "payoffs that tell better games from worse ones, such as the score on a scale from -1 to 1"
            return Finding(RANDOM, WRONG, "all games have the same payoff", seen, advice)
        return Finding(RANDOM, WELL, "results differ", seen)
    draws, first = float((block.payoffs == 0.0).all(axis=1).mean()), float(block.payoffs[:, 0].mean())
    seen += f", {percent(draws)} draws, {percent(cut)} cut off, mean result of the first seat {first:+.2f}"
    if cut > CUT_OFF:
        advice = "adjudicate long games by the rules, or a greater selfplay.max_plies: the first games teach nothing"
        return Finding(RANDOM, DOUBTFUL, "random games do not come to an end", seen, advice)
    if draws == 1.0:
        return Finding(RANDOM, WRONG, "random games are never won", seen, "see that payoffs tells who has won")
    if draws > DRAWS or abs(first) > ONE_SIDE:
        advice = "a smaller board to begin with, starts nearer to the end (selfplay.starts), or longer openings"
        return Finding(RANDOM, DOUBTFUL, "nearly all random games end alike", seen, advice)
    return Finding(RANDOM, WELL, "both sides win", seen)


def check_samples(case: Case) -> Finding:
    """What a generation of the config for this game brings."""
    config, block = case.config, case.random
    kept = block.samples.num / len(block.games) - config.selfplay.opening_plies / 2
    num = max(1.0, config.selfplay.games * kept * (1.0 - config.selfplay.fast_share))
    held = window_size(config.replay, 0) / num
    seen = f"about {num:.0f} from {config.selfplay.games} games; the replay has room for {held:.0f} generations"
    if num < FEW_SAMPLES or held < 1.0:
        advice = "more selfplay.games" if num < FEW_SAMPLES else f"replay.window={int(4 * num)} or more"
        says = "a generation is small" if num < FEW_SAMPLES else "a generation does not fit the replay"
        return Finding(SAMPLES, DOUBTFUL, says, seen, advice)
    return Finding(SAMPLES, WELL, "enough to learn from", seen)
