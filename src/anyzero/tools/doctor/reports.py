"""Checks of a run's reports: whether its losses are in order, and what its gate lets pass."""

import math

import numpy as np

from anyzero.core.learning.games import default_openings
from anyzero.tools.doctor.case import DOUBTFUL, SKIPPED, WELL, WRONG, Case, Finding, precise_percent


def check_losses(case: Case) -> Finding:
    """Losses and gradients of all generations must be finite and of reasonable size."""
    trained = case.late("training", len(case.reports))
    if not trained and case.has_samples:
        advice = "resume with anyzero train; if it fails again, the learning rate is too high"
        return Finding(DOUBTFUL, "games were played but no training was finished", "", advice)
    if not trained:
        return Finding(SKIPPED, "there has been no training yet")
    last = trained[-1]
    clip = case.config.trainer.clip
    names = ("policy_loss", "kl", "value_loss", "value_error", "gradient_norm", "gradient_norm_max")
    infinite = [
        part["generation"]
        for part in trained
        if not all(math.isfinite(part.get(name) or 0) for name in names)
    ]
    high = [part["generation"] for part in trained if max(part["kl"], part["value_loss"]) > 10.0]
    recoveries = sum(part["recoveries"] for part in trained)
    norm = float(last["gradient_norm"])
    evidence = (
        f"policy loss {last['policy_loss']:.3f}, value loss {last['value_loss']:.3f} after "
        f"{len(trained)} generations, "
        f"{recoveries} recoveries, mean gradient norm {norm:.3g}, clipped at {clip:g}"
    )
    advice = (
        "a lower trainer.learning_rate or trainer.clip; also check that payoffs are "
        "between -1 and 1"
    )
    if infinite:
        return Finding(
            WRONG, f"losses are not finite in generation {infinite[0]}", evidence, advice
        )
    if high:
        return Finding(WRONG, f"losses exploded in generation {high[-1]}", evidence, advice)
    if recoveries:
        verdict = WRONG if last["recoveries"] or recoveries > 3 else DOUBTFUL
        return Finding(verdict, "training had to return to its last good state", evidence, advice)
    if norm < 1e-4:
        advice = (
            "the network is dead, has memorised its samples, or the losses have no "
            "weight: see the layers"
        )
        return Finding(WRONG, "there are almost no gradients", evidence, advice)
    if norm > 20.0 * clip:
        return Finding(
            DOUBTFUL, "nearly every gradient is clipped", evidence, "a lower learning rate"
        )
    return Finding(WELL, "losses and gradients look normal", evidence)


def check_gate(case: Case) -> Finding:
    """Its games must be distinct, an equal candidate should seldom pass, and a better one
    mostly.
    """
    config = case.config.gate
    game = case.game
    if config.games == 0 or game.num_seats > 2:
        return Finding(SKIPPED, "there is no gate: every candidate is promoted")
    plies = default_openings(game) if config.opening_plies < 0 else config.opening_plies
    gates = case.late("gate", 10)
    entries = [entry for gate in gates[-5:] for entry in gate["against"]]
    games = max(1, sum(entry["wins"] + entry["draws"] + entry["losses"] for entry in entries))
    draws = sum(entry["draws"] for entry in entries) / games
    different = 1.0 - sum(entry["same_games"] for entry in entries) / games
    num = max(2, round(config.games * min(1.0, 2.0 * different)))
    equal, better = (pass_chance(num, config.threshold, score, draws) for score in (0.5, 0.6))
    evidence = (
        f"openings of {plies} random moves, {precise_percent(different)} of the games are "
        f"distinct, {precise_percent(draws)} draws; "
        f"an equal candidate passes in {precise_percent(equal)} of cases, one that scores 60 % in "
        f"{precise_percent(better)}"
    )
    advice = (
        f"gate.opening_plies={max(4, plies + 2)}, so that there are more openings than "
        "pairs of games"
    )
    if game.num_outcomes == 0 and plies == 0:
        return Finding(WRONG, "the gate keeps playing the same two games", evidence, advice)
    if (
        different < 0.45
    ):  # similar networks play both games of a pair alike: half may legitimately be copies
        verdict = WRONG if different < 0.2 else DOUBTFUL
        return Finding(verdict, "many of the gate's games are duplicates", evidence, advice)
    if better < 0.1:
        return Finding(
            WRONG,
            "almost nobody can pass the gate",
            evidence,
            "a lower gate.threshold or longer openings",
        )
    if draws > 0.95:
        advice = (
            "longer openings (gate.opening_plies), so that one side is ahead; normal "
            "once play is perfect"
        )
        return Finding(DOUBTFUL, "nearly all of the gate's games are draws", evidence, advice)
    if better < 0.5 or equal > 0.25:
        says = (
            "the gate rejects better candidates"
            if better < 0.5
            else "candidates pass the gate by luck"
        )
        return Finding(
            DOUBTFUL,
            says,
            evidence,
            "gate.games=64 and gate.threshold=0.55, or no gate (gate.games=0)",
        )
    if len(gates) == 10 and not any(gate["promoted"] for gate in gates):
        advice = (
            "the run has stopped learning: a lower learning rate, a larger network, or "
            "no gate (gate.games=0)"
        )
        return Finding(DOUBTFUL, "no candidate has passed the last 10 gates", evidence, advice)
    return Finding(WELL, "the gate can tell candidates apart", evidence)


def pass_chance(games: int, threshold: float, score: float, draws: float = 0.0) -> float:
    """The probability of reaching the threshold in independent games with this expected score and
    share of draws.
    """
    draws = min(draws, 2.0 * min(score, 1.0 - score))
    game = np.array(
        [1.0 - score - draws / 2, draws, score - draws / 2]
    )  # probabilities of 0, 1 and 2 half points
    halves = np.ones(1)
    for _ in range(games):
        halves = np.convolve(halves, game)
    return float(halves[math.ceil(2.0 * games * threshold - 1e-9) :].sum())
