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
    """The rate of step 0..steps-1 of a generation; generation 1 is the first that is trained."""
    return config.learning_rate * SHARES[config.schedule](config, max(0, generation - 1), step, steps)


# Shares of the rate, by how many generations have been trained before.


def constant(_config: TrainerConfig, _before: int, _step: int, _steps: int) -> float:
    return 1.0


def stepwise(config: TrainerConfig, before: int, _step: int, _steps: int) -> float:
    return math.pow(config.step_factor, before // config.step_every)


def cosine(config: TrainerConfig, before: int, step: int, steps: int) -> float:
    """From the full rate to the lowest at the end of the horizon, falling a little with every step."""
    return fall((before + step / steps) / config.horizon)


def one_cycle(_config: TrainerConfig, _before: int, step: int, steps: int) -> float:
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
