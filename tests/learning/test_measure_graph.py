"""The recorded step of training on a GPU; these run where there is one."""

import numpy as np
import pytest
import torch

from anyzero.games.load import load
from anyzero.learning.config import ReplayConfig, TrainerConfig
from anyzero.learning.replay import build_replay
from anyzero.learning.trainer import Trainer
from anyzero.networks import new_network, parse_network
from tests.learning.rows import random_samples

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
TTT = load("tic_tac_toe")


def trained(rows: int, *, recorded: bool) -> tuple[Trainer, float]:
    """A trainer after two generations of 20 steps, and its last policy loss."""
    network = new_network(TTT, parse_network("2x16"), seed=1)
    trainer = Trainer(TTT, network, TrainerConfig(batches=20, batch_size=rows, learning_rate=3e-3), device="cuda")
    if not recorded:
        trainer.graph = None
    replay = build_replay(TTT, random_samples(TTT, 64), ReplayConfig(merge=False), 0)
    reports = [trainer.train(replay, generation, np.random.default_rng(generation)) for generation in (0, 1)]
    assert reports[1].policy_loss < reports[0].policy_loss
    return trainer, reports[1].policy_loss


def test_a_recorded_step_learns_what_a_plain_one_learns() -> None:
    (one, loss), (other, plain_loss) = trained(32, recorded=True), trained(32, recorded=False)
    assert loss == pytest.approx(plain_loss, rel=0.02)  # bfloat16, and sums in no fixed order
    for name, weight in one.parameters.items():
        assert torch.allclose(weight, other.parameters[name], atol=0.02), name


def test_another_size_of_batch_is_recorded_anew() -> None:
    trainer, _ = trained(32, recorded=True)
    replay = build_replay(TTT, random_samples(TTT, 8), ReplayConfig(merge=False), 0)
    report = trainer.train(replay, 2, np.random.default_rng(2))
    assert report.samples == 20 * 8
    assert report.recoveries == 0
