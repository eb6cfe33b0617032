"""The recorded step of training on a GPU; these run where there is one."""

import numpy as np
import pytest
import torch
from torch import Tensor

from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.learning.config import ReplayConfig, TrainerConfig
from anyzero.core.learning.replay import build_replay
from anyzero.core.learning.trainer import Trainer
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.models import new_network
from tests.learning.rows import random_samples

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"),
    pytest.mark.filterwarnings(
        "ignore"
    ),  # torch's compiler and numba-cuda speak of their own affairs
]
TTT = load("tic_tac_toe")


def trained(rows: int, *, recorded: bool) -> tuple[Trainer, float]:
    """A trainer after two generations of 20 steps, and its last policy loss."""
    network = new_network(TTT, parse_network("2x16"), seed=1)
    trainer = Trainer(
        TTT, network, TrainerConfig(batches=20, batch_size=rows, learning_rate=3e-3), device="cuda"
    )
    if not recorded:
        trainer.records = False
    replay = build_replay(TTT, random_samples(TTT, 64), ReplayConfig(merge=False), 0, "cuda")
    reports = [
        trainer.train(replay, generation, np.random.default_rng(generation))
        for generation in (0, 1)
    ]
    assert reports[1].policy_loss < reports[0].policy_loss
    return trainer, reports[1].policy_loss


def test_a_step_recorded_in_a_cuda_graph_learns_what_a_plain_one_learns() -> None:
    (_, loss), (_, plain_loss) = trained(32, recorded=True), trained(32, recorded=False)
    assert loss == pytest.approx(plain_loss, rel=0.02)  # bfloat16, and sums in no fixed order


def gradients(game: Game, *, recorded: bool) -> list[Tensor]:
    """Of two batches, one after the other."""
    config = TrainerConfig(clip=1e6)
    trainer = Trainer(game, new_network(game, parse_network("3x32"), seed=1), config, device="cuda")
    if not recorded:
        trainer.records = False
    source = build_replay(game, random_samples(game, 128), ReplayConfig(merge=False), 0, "cuda")
    found = []
    for first in (0, 64):
        trainer.measure(source, source.order(np.arange(first, first + 64), None))
        found.append(torch.cat([weight.grad.flatten() for weight in trainer.parameters.values()]))  # type: ignore[union-attr]
    return found


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "connect_four"]
)  # heads over cells and over columns
def test_a_batch_recorded_in_a_cuda_graph_has_the_gradients_of_a_plain_one(name: str) -> None:
    """Compiled kernels round less often: in bfloat16 the gradients are up to 1.7 % apart on a CPU,
    6.1 % on an H200.
    """
    recorded, plain = (gradients(load(name), recorded=recorded) for recorded in (True, False))
    for one, other in zip(recorded, plain, strict=True):
        assert float((one - other).norm() / other.norm()) < 0.1
    assert float((plain[0] - plain[1]).norm() / plain[0].norm()) > 0.2  # two batches


def test_a_replay_on_the_gpu_makes_the_batches_of_one_on_the_host() -> None:
    samples, rows = random_samples(TTT, 256), np.arange(64)
    batches = []
    for device in ("cpu", "cuda"):
        replay = build_replay(TTT, samples, ReplayConfig(merge=False), 0, device)
        batches.append(replay.batch(rows, np.random.default_rng(0)))
    for here, there in zip(*batches, strict=True):
        assert torch.equal(here, there.cpu())


def test_a_source_is_recorded_anew_and_teaches_its_own_rows() -> None:
    sources = [
        build_replay(TTT, random_samples(TTT, 256, seed), ReplayConfig(merge=False), 0, "cuda")
        for seed in (0, 9)
    ]
    config = TrainerConfig(batches=20, batch_size=64, learning_rate=3e-3)
    trainer = Trainer(TTT, new_network(TTT, parse_network("3x32"), seed=1), config, device="cuda")
    reports = [
        trainer.train(source, 0, np.random.default_rng(0)) for source in (*sources, sources[0])
    ]
    assert all(report.recoveries == 0 for report in reports)
    assert reports[2].policy_loss < reports[0].policy_loss


def test_another_size_of_batch_is_recorded_anew() -> None:
    trainer, _ = trained(32, recorded=True)
    replay = build_replay(TTT, random_samples(TTT, 8), ReplayConfig(merge=False), 0, "cuda")
    report = trainer.train(replay, 2, np.random.default_rng(2))
    assert report.samples == 20 * 8
    assert report.recoveries == 0
