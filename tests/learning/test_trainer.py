"""Trainer: it learns, resumes bit for bit, comes back from numbers that are not finite, and says
what it saw.
"""

import gc
import json
import math
import weakref
from dataclasses import asdict

import numpy as np
import pytest
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.load import load
from anyzero.core.learning.config import ReplayConfig, TrainerConfig
from anyzero.core.learning.lesson import (
    KEEP_EVERY,
    Recovery,
    RowLosses,
    TrainingFailedError,
    num_steps,
    summarise,
)
from anyzero.core.learning.replay import Batch, build_replay
from anyzero.core.learning.samples import new_samples
from anyzero.core.learning.trainer import AdamW, Trainer, computing_on, orthogonal
from anyzero.core.nets.config import NetworkConfig, parse_network
from anyzero.core.nets.models import new_network
from anyzero.extras.fastnets.training import THREADS
from tests.learning.rows import random_samples

TTT = load("tic_tac_toe")
OWARE = load("oware")
SIZE = parse_network("2x16")


def trainer_of(game=TTT, seed=0, network=SIZE, **config):
    return Trainer(game, new_network(game, network, seed), TrainerConfig(**config), threads=1)


def replay_of(samples, game=TTT, **config):
    return build_replay(game, samples, ReplayConfig(**config), 0)


def stream(seed=0):
    return np.random.default_rng(seed)


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


# --- learning


@pytest.mark.parametrize("text", ["tic_tac_toe", pytest.param("oware", marks=pytest.mark.slow)])
def test_one_batch_can_be_overfitted(text):
    game = load(text)
    network = SIZE.change(width=64)
    trainer = trainer_of(
        game,
        network=network,
        batches=200,
        learning_rate=0.01,
        schedule="one-cycle",
        weight_decay=0.0,
    )
    replay = replay_of(random_samples(game, 8), game, symmetries=False)
    trainer.train(replay, 0, stream())
    looking_on = Trainer(
        game, trainer.network_to_play(), TrainerConfig(batches=1, learning_rate=0.0), threads=1
    )
    report = looking_on.train(replay, 1, stream())
    assert 0.0 < report.kl < 0.005
    assert report.value_loss < 0.02
    assert report.value_error < 0.02
    assert report.agreement == 1.0


@pytest.mark.parametrize("text", ["tic_tac_toe", pytest.param("oware", marks=pytest.mark.slow)])
def test_won_positions_get_positive_values_and_lost_ones_negative(text):
    game = load(text)
    samples = random_samples(game, 64)
    samples.payoffs[:] = np.where(samples.plies % 2, 1.0, -1.0)
    replay = replay_of(samples, game, merge=False, symmetries=False)
    trainer = trainer_of(game, batches=150, learning_rate=5e-3)
    trainer.train(replay, 0, stream())
    network, batch = trainer.network_to_play(), replay.batch(np.arange(64), None)
    values = network.expected(network(batch.planes).value)
    contradicted = np.array(
        [len(set(samples.payoffs[samples.keys == key])) > 1 for key in samples.keys]
    )
    assert contradicted.sum() < 48
    assert (torch.sign(values) == torch.sign(batch.values))[~contradicted].all()


def test_learning_with_symmetries_and_all_options_makes_the_loss_fall():
    samples = random_samples(TTT, 300)
    config = {"by_count": True, "fade": 0.1, "payoff_share": 0.5}
    trainer = trainer_of(batches=40, batch_size=64, learning_rate=5e-3, average=0.9)
    reports = [
        trainer.train(replay_of(samples, **config), generation, stream(generation))
        for generation in range(3)
    ]
    assert (
        reports[2].policy_loss + reports[2].value_loss
        < reports[0].policy_loss + reports[0].value_loss
    )


# --- what it leaves alone


def test_policies_of_rows_without_policy_weight_teach_nothing():
    samples = random_samples(TTT, 40)
    samples.policy_weights[::2] = 0.0
    other = samples._replace(policies=samples.policies.copy())
    other.policies[::2] = other.policies[::2, ::-1]
    states = []
    for rows in (samples, other):
        trainer = trainer_of(batch_size=10)
        trainer.train(replay_of(rows, merge=False), 0, stream())
        states.append(trainer.state_tensors())
    assert same(*states)


def test_rows_without_weight_teach_nothing():
    samples = random_samples(TTT, 40)
    samples.weights[::2] = 0.0
    other = samples._replace(payoffs=samples.payoffs.copy())
    other.payoffs[::2] *= -1.0
    states = []
    for rows in (samples, other):
        trainer = trainer_of(batch_size=10)
        trainer.train(replay_of(rows, merge=False), 0, stream())
        states.append(trainer.state_tensors())
    assert same(*states)


def test_the_network_that_was_handed_in_and_torch_are_left_alone():
    network = new_network(TTT, SIZE)
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    state, threads = torch.random.get_rng_state(), torch.get_num_threads()
    trainer = Trainer(TTT, network, TrainerConfig(batches=2), threads=threads + 1)
    trainer.train(replay_of(random_samples(TTT, 20)), 0, stream())
    assert same(network.state_dict(), before)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.get_num_threads() == threads


def test_a_network_to_play_does_not_change_when_training_goes_on():
    trainer, replay = trainer_of(batches=2), replay_of(random_samples(TTT, 20))
    network = trainer.network_to_play()
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    trainer.train(replay, 0, stream())
    assert same(network.state_dict(), before)
    assert not same(trainer.network_to_play().state_dict(), before)


@pytest.mark.parametrize(
    ("config", "threads"),
    [
        ({"kind": "mlp", "width": 256}, 1),
        ({"kind": "mlp", "width": 1024}, 3),
        ({"kind": "residual", "width": 1024}, 1),
    ],
)
def test_torch_wakes_up_threads_only_for_wide_layers_and_kernels_always_do(config, threads):
    before = torch.get_num_threads()
    with computing_on(3, NetworkConfig(**config)):
        assert (torch.get_num_threads(), THREADS.get()) == (threads, 3)
    assert (torch.get_num_threads(), THREADS.get()) == (before, None)


def test_a_trainer_that_nobody_holds_goes_at_once():
    """Each generation has its own: if they waited for the collector of garbage, a long run would
    fill the memory.
    """
    gc.disable()
    try:
        trainer = trainer_of(batches=2, average=0.9)
        trainer.train(replay_of(random_samples(TTT, 20)), 0, stream())
        network = weakref.ref(trainer.network)
        del trainer
        assert network() is None
    finally:
        gc.enable()


def test_weight_decay_leaves_biases_alone():
    """Without any loss the gradients are 0, and two steps leave (1 - 0.1 * 0.5) ** 2 of every
    weight.
    """
    network = new_network(TTT, SIZE)
    with torch.no_grad():
        network.trunk.stem.bias.fill_(1.0)
    config = TrainerConfig(
        batches=2, learning_rate=0.1, weight_decay=0.5, policy_weight=0.0, value_weight=0.0
    )
    trainer = Trainer(TTT, network, config, threads=1)
    trainer.train(replay_of(random_samples(TTT, 20)), 0, stream())
    after = trainer.network_to_play()
    assert torch.allclose(after.trunk.stem.weight, network.trunk.stem.weight * 0.95**2)
    assert torch.equal(after.trunk.stem.bias, network.trunk.stem.bias)


def test_gradients_are_clipped_and_their_norm_before_that_is_reported():
    trainer, replay = trainer_of(batches=1, clip=1e-3), replay_of(random_samples(TTT, 20))
    report = trainer.train(replay, 0, stream())
    norm = math.sqrt(
        sum(float(weight.grad.pow(2).sum()) for weight in trainer.network.parameters())
    )
    assert norm == pytest.approx(1e-3, rel=1e-3)
    assert report.gradient_norm == report.gradient_norm_max > 0.01


def test_averaged_weights_ema_follow_by_the_decay_that_few_steps_allow():
    """One step: the decay is (1 + 1) / (10 + 1), less than 0.9, so 9/11 of the way to the new
    weights.
    """
    trainer = trainer_of(batches=1, average=0.9)
    before = trainer.network_to_play().state_dict()
    trainer.train(replay_of(random_samples(TTT, 20)), 0, stream())
    played = trainer.network_to_play().state_dict()
    for name, weight in trainer.network.state_dict().items():
        assert torch.allclose(
            played[name], before[name] + (weight - before[name]) * 9 / 11, atol=1e-6
        ), name


# --- resuming


@pytest.mark.parametrize("game", [TTT, OWARE], ids=["residual", "mlp"])
@pytest.mark.parametrize("config", [{}, {"by_count": True}], ids=["alike", "counted"])
def test_training_resumed_from_a_checkpoint_is_bit_for_bit_that_without_a_break(game, config):
    replay = [replay_of(random_samples(game, 80, seed), game, **config) for seed in (1, 2)]
    options = {"batch_size": 16, "average": 0.99, "schedule": "one-cycle"}
    straight = trainer_of(game, **options)
    straight.train(replay[0], 0, stream(0))
    saved = save_tensors(straight.state_tensors())
    report = straight.train(replay[1], 1, stream(1))
    resumed = trainer_of(game, seed=9, **options)
    resumed.load_state_tensors(load_tensors(saved))
    again = resumed.train(replay_of(random_samples(game, 80, 2), game, **config), 1, stream(1))
    assert same(straight.state_tensors(), resumed.state_tensors())
    assert same(straight.network_to_play().state_dict(), resumed.network_to_play().state_dict())
    timed = {"seconds": 0, "samples_per_second": 0}
    assert asdict(report) | timed == asdict(again) | timed


def test_the_state_is_there_before_the_first_step():
    state = trainer_of().state_tensors()
    assert not state["exp_avg.trunk.stem.weight"].any()
    assert state["step.trunk.stem.weight"] == state["steps"] == 0


def test_the_state_of_another_trainer_is_refused():
    state = trainer_of().state_tensors()
    with pytest.raises(
        AnyzeroError, match=r"another trainer: only one of them has 'average\.policy"
    ):
        trainer_of(average=0.9).load_state_tensors(state)
    with pytest.raises(AnyzeroError, match="has the shape"):
        trainer_of(network=parse_network("2x8")).load_state_tensors(state)


# --- numbers that are not finite


def test_a_nan_payoff_is_survived_and_reported():
    samples = random_samples(TTT, 60)
    samples.payoffs[30] = np.nan
    trainer = trainer_of(batch_size=6, learning_rate=0.004)
    report = trainer.train(replay_of(samples, merge=False), 0, stream())
    assert report.recoveries == len(report.notes) == 1
    assert "was not finite: back to step 0, and on with 0.5 of the learning rate" in report.notes[0]
    assert report.steps == 9
    assert report.learning_rate == 0.002
    assert all(torch.isfinite(tensor).all() for tensor in trainer.state_tensors().values())
    json.dumps(asdict(report), allow_nan=False)


def test_the_learning_rate_is_whole_again_in_the_next_generation():
    samples = random_samples(TTT, 60)
    samples.payoffs[30] = np.nan
    trainer = trainer_of(batch_size=6, learning_rate=0.004)
    trainer.train(replay_of(samples, merge=False), 0, stream())
    assert trainer.train(replay_of(random_samples(TTT, 20)), 1, stream()).learning_rate == 0.004


def test_a_diverging_learning_rate_leaves_the_network_as_it_was():
    trainer, replay = trainer_of(batches=50), replay_of(random_samples(TTT, 20))
    trainer.config = trainer.config.model_copy(
        update={"learning_rate": 1e30}
    )  # no config allows it
    before = trainer.state_tensors()
    with pytest.raises(
        TrainingFailedError,
        match=r"given up after 5 recoveries .* the learning rate may be too high",
    ):
        trainer.train(replay, 0, stream())
    assert same(trainer.state_tensors(), before)


@pytest.mark.parametrize("batches", [1, KEEP_EVERY])
def test_a_last_step_that_breaks_the_network_is_undone(batches):
    trainer, replay = (
        trainer_of(learning_rate=1e-3, batches=batches),
        replay_of(random_samples(TTT, 20)),
    )

    def break_the_last(done, steps):
        if done == steps:
            with torch.no_grad():
                trainer.network.trunk.stem.weight.fill_(1e30)

    report = trainer.train(replay, 0, stream(), break_the_last)
    assert report.recoveries == 1
    assert trainer.network.trunk.stem.weight.abs().max() < 10.0


def test_recovery_returns_to_the_last_copy():
    weight = torch.zeros(3)
    recovery = Recovery({"weight": weight})
    weight += 1.0
    recovery.keep_if_due(KEEP_EVERY - 1)
    weight += 1.0
    recovery.keep_if_due(KEEP_EVERY)
    weight += float("nan")
    recovery.recover(KEEP_EVERY + 5)
    assert weight.tolist() == [2.0, 2.0, 2.0]
    assert recovery.factor == 0.5
    assert recovery.notes == [
        "the loss or gradient at step 105 was not finite: back to step 100, and on with 0.5 "
        "of the learning rate"
    ]


# --- what it says


def test_a_report_says_what_the_network_thought_before_its_steps():
    """Oracle: NumPy on the network's outputs; nothing is learnt at a rate of 0, so that all steps
    see one network.
    """
    samples = random_samples(TTT, 48)
    samples.policy_weights[:] = stream().choice([0.0, 0.5, 1.0], 48)
    samples.weights[:] = stream(1).uniform(0.5, 1.0, 48)
    replay = replay_of(samples, merge=False, symmetries=False)
    trainer = trainer_of(learning_rate=0.0, weight_decay=0.0, batch_size=8)
    report = trainer.train(replay, 4, stream())
    batch, network = replay.batch(np.arange(48), None), trainer.network_to_play()
    output = network(batch.planes)
    logits = np.where(batch.legal.numpy(), output.logits.numpy().astype(float), -np.inf)
    priors = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    policies, values = (
        batch.policies.numpy().astype(float),
        network.expected(output.value).numpy().astype(float),
    )
    weights = batch.weights.numpy().astype(float)
    by_policy = weights * samples.policy_weights / (weights * samples.policy_weights).sum()
    crossed = -(policies * np.log(np.where(priors > 0, priors, 1.0))).sum(axis=1)
    entropies = [
        -(part * np.log(np.where(part > 0, part, 1.0))).sum(axis=1) for part in (policies, priors)
    ]
    assert report.policy_loss == pytest.approx((crossed * by_policy).sum(), abs=1e-5)
    assert report.kl == pytest.approx(((crossed - entropies[0]) * by_policy).sum(), abs=1e-5)
    assert report.policy_entropy == pytest.approx((entropies[0] * by_policy).sum(), abs=1e-5)
    assert report.prior_entropy == pytest.approx((entropies[1] * by_policy).sum(), abs=1e-5)
    agrees = priors.argmax(axis=1) == policies.argmax(axis=1)
    assert report.agreement == pytest.approx((agrees * by_policy).sum(), abs=1e-5)
    errors = np.abs(values - samples.payoffs)
    assert report.value_error == pytest.approx((errors * weights).sum() / weights.sum(), abs=1e-5)
    assert (report.generation, report.steps, report.samples) == (4, 6, 48)
    assert report.recoveries == 0


def test_measures_by_hand():
    """Values -0.9 and -0.85 in the first bin came out as -1 and 1, by weights 3 and 1; 0.5 came out
    as 0.25.
    """
    values = torch.tensor([-1.0, 1.0, 0.25])
    batch = Batch(
        planes=torch.zeros(3, 1),
        policies=torch.eye(3)[[0, 0, 0]],
        legal=torch.ones(3, 3, dtype=torch.bool),
        values=values,
        policy_weights=torch.tensor([1.0, 0.0, 1.0]),
        weights=torch.tensor([3.0, 1.0, 4.0]),
    )
    losses = RowLosses(
        torch.zeros(3), torch.tensor([1.0, 5.0, 0.0]), torch.log_softmax(torch.eye(3), 1)
    )
    found = summarise(losses.weighted_sums(torch.tensor([-0.9, -0.85, 0.5]), batch))
    assert found["value_loss"] == pytest.approx((3 * 1 + 1 * 5) / 8)
    assert found["agreement"] == pytest.approx(3 / 7)


def test_moves_that_the_search_likes_as_well_as_its_best_are_no_error():
    batch = Batch(
        planes=torch.zeros(2, 1),
        policies=torch.tensor([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]),
        legal=torch.ones(2, 3, dtype=torch.bool),
        values=torch.zeros(2),
        policy_weights=torch.ones(2),
        weights=torch.ones(2),
    )
    losses = RowLosses(
        torch.zeros(2), torch.zeros(2), torch.log(torch.tensor([[0.2, 0.5, 0.3], [0.2, 0.3, 0.5]]))
    )
    assert summarise(losses.weighted_sums(torch.zeros(2), batch))["agreement"] == 0.5


def test_a_watcher_is_told_every_step():
    told = []
    replay = replay_of(random_samples(TTT, 40), merge=False)
    report = trainer_of(batch_size=4).train(replay, 0, stream(), lambda *step: told.append(step))
    assert told == [(done, 10) for done in range(1, 11)]
    assert (report.steps, report.samples) == (10, 40)


@pytest.mark.parametrize(
    ("config", "steps"),
    [
        ({}, 5),
        ({"epochs": 2.0}, 10),
        ({"epochs": 0.5}, 3),
        ({"epochs": 0.0}, 0),
        ({"batches": 7}, 7),
    ],
)
def test_steps_follow_from_epochs_or_batches(config, steps):
    replay = replay_of(random_samples(TTT, 40), merge=False)
    assert trainer_of(batch_size=8, **config).train(replay, 0, stream()).steps == steps


def test_no_samples_are_said_in_a_sentence():
    with pytest.raises(
        AnyzeroError, match=r"no samples to train on: the games are too short \(selfplay.max_plies"
    ):
        trainer_of().train(replay_of(new_samples(TTT, 0)), 0, stream())


# --- sources


class OneBatch:
    """A source that always gives the same batch."""

    num, num_new = 16, 16

    def __init__(self, batch):
        self.given = batch

    def row_batches(self, steps, size, _rng):
        return iter([size] * steps)

    def order(self, _rows, _rng):
        return self.given

    def deliver(self, order):
        return order


def test_steps_of_adamw_are_those_of_its_paper():
    """Loshchilov and Hutter 2019, algorithm 2, with decoupled weight decay, in float64."""
    weight = torch.nn.Parameter(torch.tensor([[1.0, -2.0], [0.5, 0.0]]))
    untouched = torch.nn.Parameter(torch.ones(1))
    optimizer, gradients = (
        AdamW([weight, untouched], 0.1),
        [[[0.3, -1.0], [0.0, 2.0]], [[-0.2, 0.5], [1.0, 2.0]]],
    )
    wanted, mean, square = weight.detach().double().numpy(), 0.0, 0.0
    for step, gradient in enumerate(gradients, 1):
        rate, exact = 0.01 * step, np.array(gradient)
        weight.grad = torch.tensor(gradient)
        optimizer.step(rate)
        mean, square = 0.9 * mean + 0.1 * exact, 0.999 * square + 0.001 * exact**2
        ahead = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        wanted = wanted - rate * 0.1 * wanted - rate * ahead
        assert weight.detach().numpy() == pytest.approx(wanted, abs=1e-6)
    assert (untouched.item(), float(optimizer.state[weight]["step"])) == (1.0, 2.0)


def test_an_orthogonal_step_of_muon_has_singular_values_of_about_one():
    matrices = torch.randn(3, 4, 9, generator=torch.Generator().manual_seed(1))
    for some in (matrices, matrices.mT):
        found = orthogonal(some)
        assert found.shape == some.shape
        values = torch.linalg.svdvals(found)
        assert 0.6 < values.min() < values.max() < 1.3
    single = orthogonal(torch.diag(torch.tensor([2.0, 2.0]))[None])[0]  # its vectors are known
    assert single[0, 1] == single[1, 0] == 0.0


def test_muon_takes_steps_of_the_size_of_adamw_and_has_the_inner_matrices():
    """One step at rate 0.1: the root mean square of the change is 0.1 * 0.2 * about 1, whatever the
    gradient's size.
    """
    trainer = trainer_of(optimizer="muon", learning_rate=0.1, weight_decay=0.0)
    names = {name for name in trainer.parameters if f"momentum.{name}" in trainer.live_tensors()}
    assert names == {
        f"trunk.blocks.{n}.{part}.weight" for n in (0, 1) for part in ("first", "second")
    } | {"trunk.blocks.0.pooled.weight"}
    name = "trunk.blocks.0.first.weight"
    before = trainer.parameters[name].detach().clone()
    rng = torch.Generator().manual_seed(2)
    for weight in trainer.parameters.values():
        weight.grad = 1e-3 * torch.randn(weight.shape, generator=rng)
    trainer.step(0.1)
    change = (trainer.parameters[name].detach() - before).square().mean().sqrt()
    assert float(change) == pytest.approx(0.02, rel=0.3)


def test_learning_with_muon_goes_down_and_resumes_bit_for_bit():
    replay, reports, config = (
        replay_of(random_samples(TTT, 64), merge=False),
        [],
        {"optimizer": "muon"},
    )
    whole = trainer_of(batches=10, batch_size=32, learning_rate=5e-3, **config)
    again = trainer_of(batches=10, batch_size=32, learning_rate=5e-3, **config)
    for generation in (1, 2, 3):
        reports.append(whole.train(replay, generation, stream(generation)))
    again.train(replay, 1, stream(1))
    later = trainer_of(seed=5, batches=10, batch_size=32, learning_rate=5e-3, **config)
    later.load_state_tensors(load_tensors(save_tensors(again.state_tensors())))
    for generation in (2, 3):
        later.train(replay, generation, stream(generation))
    assert reports[-1].kl < reports[0].kl
    for name, tensor in whole.state_tensors().items():
        assert torch.equal(tensor, later.state_tensors()[name]), name


def test_steps_go_by_epochs_batches_or_how_often_a_sample_is_trained_on():
    """16 rows, all new, in batches of 8."""
    source = OneBatch(None)
    asked = [{}, {"epochs": 2.5}, {"batches": 7}, {"trainings": 4.0}, {"trainings": 0.1}]
    assert [num_steps(TrainerConfig(batch_size=8, **one), source) for one in asked] == [
        2,
        5,
        7,
        8,
        1,
    ]


def test_any_source_of_batches_will_do():
    batch = replay_of(random_samples(TTT, 16), merge=False).batch(np.arange(16), None)
    report = trainer_of(batches=60, learning_rate=5e-3).train(OneBatch(batch), 0, stream())
    assert report.steps == 60
    assert report.samples == 960
