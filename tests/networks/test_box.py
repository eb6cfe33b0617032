"""The nets in the box: each has a card, loads, and plays far better than a search without a network."""

import json

import pytest

import anyzero
from anyzero.errors import UnknownNameError
from anyzero.games.load import BUILT_IN, load
from anyzero.networks.box import best_network, nets, size_of

MOST_BYTES = 24_000_000


def test_every_game_has_a_net_with_a_card_and_all_are_small():
    assert set(nets().cards) == set(BUILT_IN)
    assert all(card.results or card.points for card in nets().cards.values())
    assert sum(map(size_of, nets().cards)) < MOST_BYTES


def test_a_card_names_its_figures_for_people_and_programs():
    assert "oware" in repr(nets())
    assert "98.5 % (94 to 100) of 100 against uct:10000" in repr(nets())
    assert json.loads(json.dumps(nets().to_json()))["oware"]["results"][0]["games"] == 100


def test_a_game_without_a_net_is_one_sentence():
    with pytest.raises(UnknownNameError, match="there is no net for race in the box; nets: connect_four, chess"):
        best_network(load("tests/race.py"))


QUICK = ("connect_four", "oware")
"""One residual net and one MLP; each further game compiles kernels of its own."""


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(set(BUILT_IN) - set(QUICK)))]
)
def test_a_net_finds_a_legal_move(name):
    game = load(name)
    state = game.initial_state()
    while game.seat_to_move(state) < 0:
        state = game.play(state, game.legal_actions(state)[0])
    assert anyzero.search(game, state, "gumbel:4@best").best_action in game.legal_actions(state)


def test_a_net_beats_a_search_without_one():
    """The card says 98 %: to lose 4 of 6 games by chance has a probability below one in a million."""
    found = anyzero.match("connect_four", "gumbel:16@best", "uct:200", games=6, workers=1, progress=False)
    assert found.tally.score > 0.5
