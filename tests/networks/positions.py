"""Positions of random games, and targets to train towards."""

import numpy as np
import torch

from anyzero.core.game.rollouts import encode_states


def random_states(game, num, seed=0):
    """Decisions of random games, one after the other."""
    rng, states, found = np.random.default_rng(seed), game.new_states(num), 0
    state = game.initial_state()
    while found < num:
        if game.is_over(state):
            state = game.initial_state()
        if game.seat_to_move(state) >= 0:
            states[found] = state
            found += 1
        state = game.play(state, int(rng.choice(game.legal_actions(state))))
    return states


def random_batch(game, num, seed=0):
    """Inputs, legal actions, and a made-up policy and payoff for each position; no two inputs are
    equal.
    """
    rng, states = np.random.default_rng(seed), random_states(game, 4 * num, seed)
    planes = encode_states(game, states)
    _, first = np.unique(planes.reshape(len(states), -1), axis=0, return_index=True)
    states, planes = states[first[:num]], planes[first[:num]]
    legal = np.zeros((num, game.num_actions), bool)
    for row, state in enumerate(states):
        legal[row, game.legal_actions(state)] = True
    weights = rng.exponential(size=legal.shape) * legal
    policies = (weights / weights.sum(1, keepdims=True)).astype(np.float32)
    payoffs = rng.choice([-1.0, 0.0, 1.0], num).astype(np.float32)
    return [torch.from_numpy(part) for part in (planes, legal, policies, payoffs)]
