"""How fast a network learns: the learning rate of each step of a run."""

import math

from anyzero.learning.config import TrainerConfig

LOWEST = 1e-3
"""Cosines end at this share of the rate: a run that goes on beyond its horizon still learns."""
FIRST = 1 / 25
"""One-cycle begins at this share of the rate."""
RISING = 0.3
"""One-cycle rises for this share of a generation's steps. Smith and Topin 2018."""


def learning_rate(config: TrainerConfig, generation: int, step: int, steps: int) -> float:
    """The rate of step 0..steps-1 of a generation."""
    return config.learning_rate * SHARES[config.schedule](config, generation, step, steps)


def constant(_config: TrainerConfig, _generation: int, _step: int, _steps: int) -> float:
    return 1.0


def stepwise(config: TrainerConfig, generation: int, _step: int, _steps: int) -> float:
    return math.pow(config.step_factor, generation // config.step_every)


def cosine(config: TrainerConfig, generation: int, step: int, steps: int) -> float:
    """From the full rate at generation 0 to the lowest at the horizon, falling a little with every step."""
    return fall((generation + step / steps) / config.horizon)


def one_cycle(_config: TrainerConfig, _generation: int, step: int, steps: int) -> float:
    """Within the generation: a straight line up, then a cosine down."""
    done = step / max(1, steps - 1)
    if done < RISING:
        return FIRST + (1.0 - FIRST) * done / RISING
    return fall((done - RISING) / (1.0 - RISING))


def fall(done: float) -> float:
    """Half a cosine from 1 to the lowest share, and flat after that."""
    return LOWEST + (1.0 - LOWEST) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))


SHARES = {"constant": constant, "step": stepwise, "cosine": cosine, "one-cycle": one_cycle}
"""What share of the rate each schedule gives; the names are those of `config.SCHEDULES`."""
