"""Games on a real GPU: what the simulator cannot see. Skipped where there is none."""

import numpy as np
import pytest
import torch

from anyzero.core.game.load import load
from anyzero.core.learning.block import network_contestant
from anyzero.core.learning.config import SelfPlayConfig
from anyzero.core.learning.orders import make_pairings, manner_of, pairing_shares
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.models import new_network

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
FOUR = load("connect_four")


def play(num_networks, resign_below=-1.0, **settings):
    """Games of some random networks, two fetchings one after the other."""
    from anyzero.core.learning.on_gpu import GpuGames
    from anyzero.core.nets.on_gpu import GpuEvaluator

    config = SelfPlayConfig(simulations=16, **settings)
    networks = [new_network(FOUR, parse_network("2x32"), seed) for seed in range(num_networks)]
    evaluator = GpuEvaluator(FOUR, *networks, rows=64, compiled=False)
    players = [network_contestant(FOUR, "", None, config, noise=True) for _ in networks]
    games = GpuGames(FOUR, evaluator, players, manner_of(config), num_games=64, seed=1)
    games.set_up(
        make_pairings(FOUR, pairing_shares(config, None), two_champions=config.two_champions),
        resign_below,
    )
    names = [str(number) for number in range(num_networks)]
    return [games.play(100, names) for _ in range(2)]


@pytest.mark.parametrize(
    "settings",
    [{}, {"method": "puct", "reuse": True}, {"method": "puct", "final": "value+log visits"}],
)
def test_games_are_legal_and_their_samples_follow_from_them(settings):
    for part in play(1, **settings):
        row = 0
        for line in part.games:
            state = FOUR.initial_state()
            for action in line.actions:
                assert part.samples.states[row].tobytes() == state.tobytes()
                assert part.samples.payoffs[row] == line.payoffs[FOUR.seat_to_move(state)]
                state, row = FOUR.play(state, action), row + 1
            assert FOUR.payoffs(state).tolist() == line.payoffs
        assert {len(column) for column in part.samples} == {row}


def test_two_champions_and_a_recent_network_meet_and_seats_resign():
    parts = play(3, -0.3, two_champions=True, recent_share=0.3, resign_checked=0.3)
    lines = [line for part in parts for line in part.games]
    assert {tuple(line.names) for line in lines} >= {
        ("0", "0"),
        ("0", "1"),
        ("1", "0"),
        ("0", "2"),
        ("2", "0"),
    }
    assert {line.end for line in lines} == {"rules", "resign"}
    checks = [check for part in parts for check in part.resign_checks]
    assert all(-1.0 <= lowest <= 1.0 for lowest, _ in checks)
    assert len(checks) > 0
    assert np.isfinite(np.concatenate([part.samples.values for part in parts])).all()
