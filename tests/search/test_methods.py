"""The table of methods: the options that each takes."""

import pytest

from anyzero.core.game.load import load
from anyzero.core.search.methods import MANY, METHODS
from anyzero.tools.search import search

FOUR = load("connect_four")
OTHER = {
    "exploration": 40.0,
    "first_play": 0.3,
    "schedule": "classic",
    "bias": 1.0,
    "reference": 4,
    "table_after": 60,
    "expand_after": 9,
    "max_depth": 2,
    "considered": 2,
    "visit_scale": 2.0,
    "value_scale": 3.0,
    "gumbel_scale": 5.0,
    "doubt": 1.0,
    "noise_fraction": 0.9,
}
"""A value for each option that must be seen in a search."""


@pytest.mark.parametrize(
    ("method", "option"),
    [(name, key) for name, method in METHODS.items() for key in method.options if key in OTHER],
)
def test_every_option_of_a_method_from_uct_to_grave_changes_what_it_does(method, option):
    state = FOUR.initial_state()
    for move in "dd":
        state = FOUR.play(state, move)
    plain = search(FOUR, state, method, simulations=400, seed=1)
    changed = search(FOUR, state, method, simulations=400, seed=1, **{option: OTHER[option]})
    assert statistics(plain) != statistics(changed)


def statistics(found):
    return [(move.action, move.visits, move.value) for move in found.children]


def test_no_option_is_forgotten():
    """The rest is tested where it belongs: proofs, noise, schedules."""
    elsewhere = {"solve", "look_ahead", "noise_concentration", "equivalence"}
    taken = {key for method in METHODS.values() for key in method.options}
    assert taken == {*OTHER, *elsewhere, *MANY}
