"""Samples of random games with made-up targets, and samples that are written down by hand."""

import numpy as np

from anyzero.core.learning.samples import input_keys, new_samples
from tests.networks.positions import random_states


def random_samples(game, num, seed=0):
    """Decisions of random games; the policy, the payoff and the value of each are drawn."""
    rng, samples = np.random.default_rng(seed), new_samples(game, num)
    samples.states[:] = random_states(game, num, seed)
    samples.keys[:] = input_keys(game, samples.states)
    for row, state in enumerate(samples.states):
        actions = sorted(game.legal_actions(state))
        samples.actions[row, : len(actions)] = actions
        samples.policies[row, : len(actions)] = rng.dirichlet(np.ones(len(actions)))
    samples.payoffs[:] = rng.choice([-1.0, 0.0, 1.0], num)
    samples.values[:] = rng.uniform(-1.0, 1.0, num)
    samples.plies[:] = rng.integers(0, 20, num)
    samples.lengths[:] = samples.plies + 5
    return samples


def plain_samples(game, keys, **columns):
    """Rows at the start of the game, one for each key, with these columns filled in and two legal
    actions.
    """
    samples = new_samples(game, len(keys))
    samples.states[:] = game.initial_state()
    samples.keys[:] = keys
    samples.actions[:, :2] = [0, 1]
    samples.policies[:, :2] = 0.5
    for name, values in columns.items():
        values = np.asarray(values)
        column = getattr(samples, name)
        if values.ndim == 2:
            column[:, : values.shape[1]] = values
        else:
            column[:] = values
    return samples
