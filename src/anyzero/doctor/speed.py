"""Throughput: where the time of a generation goes, and how near self-play comes to the network's own rate."""

from time import perf_counter
from typing import Any

import numpy as np

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, Finding, percent, skipped

SPEED, RATE = "throughput", "rate of the network"
LATE = 5
SECONDS = 1.0
SLOW = 0.3
"""Share of the network's own rate that self-play should reach."""
WORDS = {
    "selfplay": "self-play",
    "training": "training",
    "gate": "the gate",
    "league": "ratings",
    "benchmark": "the benchmark",
}


def check_speed(case: Case) -> Finding:
    """Seconds by part over the newest generations, and simulations against what the network alone can do now."""
    late = [report for report in case.reports if report.get("selfplay")][-LATE:]
    if not late or case.network is None:
        return skipped(SPEED, "no games have been played yet")
    seconds = {part: sum(report["seconds"].get(part) or 0.0 for report in late) for part in WORDS}
    total, most = sum(seconds.values()) or 1.0, max(seconds, key=lambda part: seconds[part])
    shares = ", ".join(f"{WORDS[part]} {percent(of / total)}" for part, of in seconds.items() if of)
    fastest = max(report["selfplay"]["simulations_per_second"] for report in late)
    seen = f"{shares} of {total / len(late):.1f} s a generation; {fastest:.0f} simulations/s"
    measuring, own = sum(seconds[part] for part in ("gate", "league", "benchmark")), 0.0
    if case.device == case.config.device:
        own = evaluations_per_second(case, states_for(case))
        seen += f", the network alone {own:.0f} evaluations/s"
    if measuring > total / 2:
        advice = "rate less often (league.every, benchmark.every), with fewer games, or without a gate"
        return Finding(SPEED, DOUBTFUL, "more time goes into measuring than into learning", seen, advice)
    if most == "selfplay" and fastest < SLOW * own:
        advice = "a greater selfplay.at_once, so that the network gets larger batches; no other work on this machine"
        return Finding(SPEED, DOUBTFUL, "the bottleneck is self-play, and not for its network", seen, advice)
    return Finding(SPEED, WELL, f"the bottleneck is {WORDS[most]}", seen)


def check_rate(case: Case) -> Finding:
    """What a network of the config can do here, and how long a generation's games will take at least."""
    own, config = evaluations_per_second(case, states_for(case)), case.config.selfplay
    moves = float(np.mean([len(line.actions) for line in case.random.games])) * config.games
    minutes = moves * config.simulations / own / 60
    seen = (
        f"{own:.0f} evaluations/s: {config.games} games of {config.simulations} simulations take {minutes:.1f} minutes"
    )
    if minutes > 30:
        advice = "a smaller network, fewer simulations or games, or a GPU"
        return Finding(RATE, DOUBTFUL, "a generation will take long here", seen, advice)
    return Finding(RATE, WELL, "it is fast enough to begin with", seen)


def states_for(case: Case) -> Any:
    """A batch as large as self-play's."""
    wanted = min(case.config.selfplay.at_once, 4096)
    return np.resize(case.samples.states, wanted)


def evaluations_per_second(case: Case, states: Any) -> float:
    """Of the newest network, or a fresh one, within the search's own evaluator."""
    evaluate = case.evaluator(case.network or case.fresh)
    evaluate(case.game, states)
    done, start = 0, perf_counter()
    while (took := perf_counter() - start) < SECONDS or not done:
        evaluate(case.game, states)
        done += len(states)
    return done / took
