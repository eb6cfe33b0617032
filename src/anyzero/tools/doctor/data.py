"""Checks of rules, games and samples: whether training gets the right data."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.nouns import Values
from anyzero.core.game.play import Reason
from anyzero.core.learning.block import self_play_method
from anyzero.core.learning.folder import read_games
from anyzero.core.learning.games import REASON_OF
from anyzero.core.learning.orders import start_states
from anyzero.core.learning.samples import Samples, load_shard
from anyzero.tools.doctor.case import (
    DOUBTFUL,
    ENOUGH_GAMES,
    SKIPPED,
    WELL,
    WRONG,
    Case,
    Finding,
    precise_percent,
)
from anyzero.tools.laws.check import check_game

FEW_GAMES = 16  # with fewer, shares are not judged

Position = tuple[bytes, int, int]  # a state, its ply, and the length of its game


def check_laws(case: Case) -> Finding:
    """The laws of the contract on a few random games."""
    results = check_game(case.game, num_games=6, plies=100_000, simulate=False)
    broken = [result for result in results if not result.ok]
    if broken:
        evidence = "; ".join(f"{result.law}: {result.detail}" for result in broken[:3])
        advice = (
            f"fix the rules until anyzero check {case.game.text} passes: nothing can "
            "be learnt from wrong rules"
        )
        return Finding(WRONG, f"{len(broken)} of {len(results)} laws are broken", evidence, advice)
    return Finding(
        WELL, "they hold", f"{len(results)} laws on 6 games; anyzero check is more thorough"
    )


def check_input(case: Case) -> Finding:
    """Positions with the same input must have the same legal moves."""
    samples = case.random.samples
    order = np.argsort(samples.keys, kind="stable")
    keys = samples.keys[order]
    actions = samples.actions[order]
    unclear = (keys[1:] == keys[:-1]) & (actions[1:] != actions[:-1]).any(axis=1)
    evidence = (
        f"{'x'.join(map(str, case.game.planes_shape))} numbers, {case.game.num_actions} actions"
    )
    if unclear.any():
        advice = (
            "encode must include whatever the legal moves depend on: castling rights, "
            "ko, the tile to place"
        )
        evidence += (
            f"; {precise_percent(unclear.mean())} of {samples.num} positions share an input but "
            "not their moves"
        )
        return Finding(
            WRONG, "positions with different moves have the same input", evidence, advice
        )
    return Finding(WELL, "a network can read it", evidence)


def check_files(case: Case) -> Finding:
    """Whether the newest generation is intact, and the newest samples and games can be read."""
    assert case.folder is not None
    try:
        _ = case.newest, case.network, case.samples, case.lines
    except AnyzeroError as error:
        advice = (
            "resume with anyzero train, which renames a damaged sample file, reports "
            "it, and continues without it"
        )
        return Finding(WRONG, "a file is damaged", str(error), advice)
    if case.newest is None:
        return Finding(DOUBTFUL, "the run has not begun", "", "start it with anyzero train")
    if case.folder.notes:
        advice = "resume with anyzero train, which sets damaged generations aside and redoes them"
        return Finding(WRONG, "a generation is damaged", "; ".join(case.folder.notes), advice)
    return Finding(WELL, "the newest generation is intact", f"generation {case.generation}")


def check_results(case: Case) -> Finding:
    """The payoff of each of the newest samples must be the result of a game through its
    position.
    """
    num = 0
    num_games = 0
    turned = 0
    other = 0
    stray = 0
    for lines, samples in _newest_blocks(case):
        results, broken = _results_by_position(case, lines)
        if broken:
            advice = "the game was changed after the run began: start a new run, or undo the change"
            return Finding(WRONG, "the games do not follow the rules", broken, advice)
        num = num + samples.num
        num_games = num_games + len(lines)
        keys = zip(
            map(bytes, samples.states),
            samples.plies.tolist(),
            samples.lengths.tolist(),
            strict=True,
        )
        for key, payoff in zip(keys, samples.payoffs.tolist(), strict=True):
            outcomes = results.get(key, set())
            stray += not outcomes
            if outcomes and None not in outcomes and payoff not in outcomes:
                turned, other = (turned + 1, other) if -payoff in outcomes else (turned, other + 1)
    if num == 0:
        return Finding(SKIPPED, "the run has no block with both samples and games")
    if turned > 9 * other and turned:
        evidence = (
            f"{turned} of {num} samples have the opposite of their game's result; draws "
            "look the same"
        )
        advice = (
            "payoffs of samples are for the seat to move: check the code that writes "
            "results into samples"
        )
        return Finding(WRONG, "the results in the samples have the wrong sign", evidence, advice)
    if turned + other + stray:
        evidence = f"{turned + other} of {num} have the wrong result, {stray} belong to no game"
        advice = (
            "the game and sample files come from different runs, or the code that "
            "writes them is wrong"
        )
        return Finding(WRONG, "samples do not have the results of their games", evidence, advice)
    return Finding(WELL, "they match the games", f"{num} samples of {num_games} games")


def _newest_blocks(case: Case) -> Iterator[tuple[list[Values], Samples]]:
    """Games and samples of the newest blocks that have both; before a run, from random games."""
    if case.folder is None:
        yield [line._asdict() for line in case.random.games], case.random.samples
        return
    num = 0
    for block in reversed(case.folder.blocks()):
        games = case.folder.games_path(block.generation, block.number)
        if games.is_file() and num < ENOUGH_GAMES:
            lines = read_games(games)
            num += len(lines)
            yield lines, load_shard(block.path, case.game)


def _results_by_position(
    case: Case, lines: Sequence[Values]
) -> tuple[dict[Position, set[float | None]], str]:
    """The results of each position at its ply in games of its length, None if truncated; and rule
    violations.
    """
    game = case.game
    results = defaultdict[Position, set[float | None]](set)
    illegal = 0
    other = 0
    starts = start_states(game, case.config.selfplay.starts)
    for line in lines:
        states = [game.initial_state() if starts is None else starts[line["start"]]]
        length = len(line["actions"])
        try:
            for action in line["actions"]:
                states.append(game.play(states[-1], action))
        except AnyzeroError:
            illegal += 1
            continue
        ended = game.is_over(states[-1])
        payoffs = np.array(line["payoffs"], np.float32).tolist()
        reason = REASON_OF.get(line["end"])
        if reason is Reason.RULES and not (
            ended and np.allclose(game.payoffs(states[-1]), payoffs, atol=1e-5)
        ):
            other += 1
        for ply, state in enumerate(states[:-1] if ended else states):
            is_cut = reason is Reason.CUT_OFF
            payoff = None if is_cut else payoffs[max(0, game.seat_to_move(state))]
            results[bytes(state), ply, length].add(payoff)
    broken = (
        f"{illegal} of {len(lines)} games have illegal moves, {other} a wrong result"
        if illegal + other
        else ""
    )
    return results, broken


def check_unique(case: Case) -> Finding:
    """Distinct positions among the newest samples, against as many of random games: small games
    repeat by nature.
    """
    newest = case.samples.keys
    random = case.random.samples.keys
    if not case.has_samples or not newest.any():
        return Finding(SKIPPED, "there are no samples with distinct positions")
    num = min(len(newest), len(random))
    share, usual = (len(np.unique(keys[:num])) / num for keys in (newest, random))
    evidence = (
        f"{precise_percent(share)} of {num} positions are distinct, in random games "
        f"{precise_percent(usual)}"
    )
    if share < usual / 5:
        advice = "more noise or longer openings in self-play"
        verdict = WRONG if share < usual / 20 else DOUBTFUL
        return Finding(verdict, "training keeps seeing the same positions", evidence, advice)
    return Finding(WELL, "positions differ", evidence)


SMALL = 0.7  # a game is small if its share of distinct positions in random games is below this


def is_small(case: Case) -> bool:
    """Whether positions recur even in random games."""
    keys = case.random.samples.keys
    return len(np.unique(keys)) < SMALL * len(keys)


NOISE = {
    "gumbel": "gumbel_scale=1",
    "puct": "noise_fraction=0.25",
    "expectimax": "temperature=0.01",
}


def check_noise(case: Case) -> Finding:
    """Self-play must vary its games, and matches must be free of noise; measured on the newest
    games.
    """
    config = case.config.selfplay
    game = case.game
    settings = self_play_method(config).settings
    match = self_play_method(config, noise=False).settings
    drawn = config.temperature_plies > 0
    heat = settings.gumbel_scale if config.method == "gumbel" else config.temperature
    noisy = settings.noise_fraction > 0.0 or (drawn and heat > 0.0)
    varied = config.opening_plies > 0 or game.num_outcomes > 0 or len(config.starts) > 1
    num = len(case.lines)
    different = len({(line["start"], *line["actions"]) for line in case.lines})
    share = different / num if num >= FEW_GAMES else 1.0
    evidence = (
        f"the search has {'' if noisy else 'no '}noise, openings of "
        f"{config.opening_plies} random moves"
    )
    evidence += f"; {different} of the newest {num} games are distinct" if num else ""
    noise = (
        "temperature_plies=30" if not drawn and config.method != "puct" else NOISE[config.method]
    )
    advice = f"selfplay.{noise} and selfplay.opening_plies=2 or more"
    if match.gumbel_scale > 0.0 or match.noise_fraction > 0.0:
        advice = "turn noise off in matches and ratings: they measure the network, not luck"
        return Finding(WRONG, "noise is on in matches", evidence, advice)
    if not noisy and not varied:
        return Finding(
            WRONG, "noise is off in self-play, so every game is the same", evidence, advice
        )
    if noisy and share < 0.5 and is_small(case):
        verdict = WELL if share >= 0.02 else DOUBTFUL
        return Finding(
            verdict,
            "games repeat, as expected in a small game",
            evidence,
            "" if verdict == WELL else advice,
        )
    if share < 0.1:
        return Finding(WRONG, "self-play repeats the same games", evidence, advice)
    if not noisy or share < 0.5:
        says = "many games are duplicates" if noisy else "the self-play search has no noise"
        return Finding(DOUBTFUL, says, evidence, advice)
    return Finding(WELL, "self-play varies, matches do not", evidence)


def check_outcomes(case: Case) -> Finding:
    """Draws, the first seat's results and truncated games: in the newest generations, before a run
    in random games.
    """
    if case.folder is None:
        payoffs = case.random.payoffs
        cut = float(np.mean([line.reason is Reason.CUT_OFF for line in case.random.games]))
        games = len(payoffs)
        draws = float((payoffs == 0.0).all(axis=1).mean())
        first = float(payoffs[:, 0].mean())
    else:
        played = case.late("selfplay")
        games = sum(part["games"] for part in played)
        totals = [
            sum(part[name] * part["games"] for part in played)
            for name in ("draws", "first_seat_payoff")
        ]
        draws, first, cut = (
            total / max(1, games) for total in (*totals, sum(part["cut_off"] for part in played))
        )
    if not games:
        return Finding(SKIPPED, "no games have been played yet")
    evidence = (
        f"{games} games, {precise_percent(draws)} draws, mean result of the first seat "
        f"{first:+.2f}, {precise_percent(cut)} cut off"
    )
    if cut > 0.05:
        advice = (
            "a larger selfplay.max_plies (0: as long as the rules allow), or "
            "resignation: selfplay.resign_below"
        )
        verdict = WRONG if cut > 0.5 and case.folder else DOUBTFUL  # random games may be long
        return Finding(verdict, "games end at the ply limit without a winner", evidence, advice)
    if case.game.num_seats == 1 and case.folder is None and case.random.payoffs.std() == 0.0:
        advice = (
            "payoffs that distinguish better games from worse ones, such as the score "
            "scaled to -1 to 1"
        )
        return Finding(WRONG, "all games have the same payoff", evidence, advice)
    if games < FEW_GAMES or case.game.num_seats != 2:
        return Finding(WELL, "games end", evidence)
    if draws > 0.95:
        advice = (
            "unless the network plays perfectly by now: longer openings, so that one "
            "side is ahead, or more noise"
        )
        verdict = WRONG if draws > 0.999 and case.generation < 3 else DOUBTFUL
        return Finding(
            verdict, "nearly all games are draws, so values cannot be learnt", evidence, advice
        )
    if abs(first) > 0.95:
        advice = (
            "longer openings (selfplay.opening_plies), a swap rule, or balanced starting positions"
        )
        verdict = WRONG if abs(first) > 0.999 else DOUBTFUL
        side = "first" if first > 0 else "second"
        return Finding(
            verdict, f"the {side} seat always wins, so values cannot be learnt", evidence, advice
        )
    return Finding(WELL, "both sides win", evidence)
