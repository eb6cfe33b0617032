"""What training eats and what it says: positions, their age, losses, gradients."""

import math
from typing import Any

import numpy as np

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, percent, skipped
from anyzero.learning.replay import window_size

UNIQUE, AGE, LOSSES, GRADIENTS = "different positions", "age of the replay", "losses", "gradients"
FEW, HARDLY_ANY = 0.2, 0.02
"""Shares of different positions."""
OLD = 15.0
"""A mean age, in generations, that is too great."""
SELDOM, OFTEN = 0.5, 30.0
"""How often a sample is learnt so far: less is a waste, more is learning by heart."""
EXPLODED = 10.0
"""Nats that neither head of a network can be wrong by while it still learns."""
MEASURED = ("policy_loss", "kl", "value_loss", "value_error", "gradient_norm", "gradient_norm_max")
STEEP, FLAT = 20.0, 1e-4
"""Mean gradient norms, the first in units of the clip."""


def check_unique(case: Case) -> Finding:
    """Different positions by samples: in the replay of the newest generation, and in its newest shards."""
    replay = case.late("replay", 1)
    if not replay:
        return skipped(UNIQUE, "there has been no training yet")
    share = replay[0]["unique_share"]
    if share is None:
        return skipped(UNIQUE, "positions have no keys where they are not merged")
    seen = f"{percent(share)} of {replay[0]['num']} samples in the replay"
    if case.has_samples:
        new = len(np.unique(case.samples.keys)) / case.samples.num
        seen += f", {percent(new)} of the {case.samples.num} newest"
    if share < FEW:
        merged = (
            "equal ones are merged, so that this costs time only" if case.config.replay.merge else "replay.merge=true"
        )
        advice = f"more noise or longer openings in self-play; {merged}"
        verdict = WRONG if share < HARDLY_ANY else DOUBTFUL
        return Finding(UNIQUE, verdict, "training sees the same positions again and again", seen, advice)
    return Finding(UNIQUE, WELL, "positions differ", seen)


def check_age(case: Case) -> Finding:
    """The window in generations, the mean age in it, and how often a sample is learnt."""
    replay, played, trained = (case.late(part, 1) for part in ("replay", "selfplay", "training"))
    if not (replay and played and trained):
        return skipped(AGE, "there has been no training yet")
    new, window = max(1, played[0]["samples"]), window_size(case.config.replay, case.generation)
    held, age = window / new, float(replay[0]["mean_age"])
    uses = trained[0]["samples"] / max(1, replay[0]["rows"]) * min(held, case.generation)
    seen = (
        f"the window holds {window} samples, {held:.1f} generations of {new}; mean age {age:.1f} generations; "
        f"a sample is learnt about {uses:.1f} times in {min(held, case.generation):.0f} generations"
    )
    if held < 1.0:
        advice = f"replay.window={4 * new} or more, or fewer games a generation"
        return Finding(AGE, WRONG, "samples are dropped before they are learnt", seen, advice)
    if age > OLD:
        advice = f"replay.window={int(10 * new)}, so that networks learn from games of late"
        return Finding(AGE, DOUBTFUL, "most samples are of networks long gone", seen, advice)
    if not SELDOM <= uses <= OFTEN:
        advice = (
            "more trainer.epochs or batches" if uses < SELDOM else "fewer trainer.epochs or batches, a smaller window"
        )
        says = "most samples are never learnt" if uses < SELDOM else "samples are learnt by heart"
        return Finding(AGE, DOUBTFUL, says, seen, advice)
    return Finding(AGE, WELL, "samples are new and are used", seen)


def check_losses(case: Case) -> Finding:
    """Whether losses were finite in all generations, and how often training had to go back."""
    trained = case.late("training", len(case.reports))
    if not trained:
        return unfinished(case)
    broken = [part["generation"] for part in trained if not is_finite(part)]
    high = [part["generation"] for part in trained if max(part["kl"], part["value_loss"]) > EXPLODED]
    recoveries = sum(part["recoveries"] for part in trained)
    last = trained[-1]
    moved = [
        f"{name} loss {trained[0][f'{name}_loss']:.3f} to {last[f'{name}_loss']:.3f}" for name in ("policy", "value")
    ]
    seen = f"{', '.join(moved)} over {len(trained)} generations, {recoveries} recoveries"
    advice = "a lower trainer.learning_rate or trainer.clip; see also that the payoffs of the game are within -1 and 1"
    if broken:
        return Finding(LOSSES, WRONG, f"losses are not finite in generation {broken[0]}", seen, advice)
    if high:
        return Finding(LOSSES, WRONG, f"losses exploded in generation {high[-1]}", seen, advice)
    if recoveries:
        verdict = WRONG if last["recoveries"] or recoveries > 3 else DOUBTFUL
        return Finding(LOSSES, verdict, "training had to go back to its last good state", seen, advice)
    return Finding(LOSSES, WELL, "losses are finite", seen)


def unfinished(case: Case) -> Finding:
    """Games of a first generation that was never trained to its end."""
    if case.has_samples:
        advice = "go on with anyzero train; if it gives up there, its learning rate is too high"
        return Finding(LOSSES, DOUBTFUL, "games have been played and no training was finished", "", advice)
    return skipped(LOSSES, "there has been no training yet")


def is_finite(part: dict[str, Any]) -> bool:
    return all(math.isfinite(part[name]) for name in MEASURED if part.get(name) is not None)


def check_gradients(case: Case) -> Finding:
    """The norm of gradients against the clip, and how far a step goes."""
    trained = case.late("training", 1)
    if not trained:
        return skipped(GRADIENTS, "there has been no training yet")
    norm, most, rate = (float(trained[0][name]) for name in ("gradient_norm", "gradient_norm_max", "learning_rate"))
    clip = case.config.trainer.clip
    seen = f"mean norm {norm:.3g}, greatest {most:.3g}, clipped at {clip:g}, learning rate {rate:.2g}"
    if norm < FLAT:
        advice = "the network is dead, has learnt its samples by heart, or the losses have no weight: see the layers"
        return Finding(GRADIENTS, WRONG, "there are next to no gradients", seen, advice)
    if norm > STEEP * clip:
        advice = "a lower learning rate; at this clip only the direction of a gradient is left"
        return Finding(GRADIENTS, DOUBTFUL, "nearly every gradient is clipped", seen, advice)
    return Finding(GRADIENTS, WELL, "gradients are of a proper size", seen)
