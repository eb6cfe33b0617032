"""Replay: merging, targets, weights and batches, by numbers worked out by hand."""

from dataclasses import asdict

import numpy as np
import pytest

from anyzero.core.game.load import load
from anyzero.core.learning.config import ReplayConfig
from anyzero.core.learning.replay import CHUNK, build_replay, merge
from anyzero.core.learning.samples import join, new_samples
from tests.learning.rows import plain_samples, random_samples

TTT = load("tic_tac_toe")
HEX = load("hex:size=5")


def replay_of(samples, generation=0, game=TTT, **config):
    return build_replay(game, samples, ReplayConfig(**config), generation)


# --- merging


def test_equal_positions_are_merged_into_one_with_the_mean_of_their_targets():
    """By hand: policies by weight (2 * (1, 0) + 1 * (0.25, 0.75)) / 3 = (0.75, 0.25)."""
    samples = plain_samples(
        TTT,
        [7, 5, 7, 7],
        policies=[[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.0, 1.0]],
        policy_weights=[2.0, 1.0, 1.0, 0.0],
        payoffs=[1.0, -1.0, -1.0, 1.0],
        values=[0.5, 0.25, 0.25, 0.0],
        generations=[1, 3, 2, 1],
        weights=[1.0, 1.0, 0.5, 0.0],
    )
    found = replay_of(samples, generation=3, payoff_share=0.5)
    assert found.samples.keys.tolist() == [7, 5]
    assert found.counts.tolist() == [3, 1]
    assert found.samples.policies[0, :2] == pytest.approx([0.75, 0.25], abs=1e-3)
    assert found.samples.policies[1, :2].tolist() == [0.5, 0.5]
    assert found.samples.policy_weights.tolist() == [1.0, 1.0]
    assert found.samples.payoffs == pytest.approx([1 / 3, -1.0])
    assert found.samples.values.tolist() == [0.25, 0.25]
    assert found.targets == pytest.approx([0.5 * 1 / 3 + 0.5 * 0.25, 0.5 * -1.0 + 0.5 * 0.25])
    assert found.samples.generations.tolist() == [2, 3]
    assert found.samples.weights == pytest.approx([0.5, 1.0])


def test_rows_without_any_policy_weight_keep_a_policy_and_no_weight():
    samples = plain_samples(
        TTT, [1, 1], policies=[[1.0, 0.0], [0.0, 1.0]], policy_weights=[0.0, 0.0]
    )
    found = replay_of(samples)
    assert found.samples.policies[0, :2].tolist() == [0.0, 1.0]
    assert found.samples.policy_weights.tolist() == [0.0]


def test_equal_keys_with_other_actions_are_not_merged():
    """Three kinds of rows share a key, two of them the sum of their actions; each kind twice, one
    after the other.
    """
    kinds = [[0, 3, -1], [1, 2, -1], [-1, -1, -1]]
    samples = plain_samples(
        TTT, [9] * 6, actions=kinds * 2, payoffs=[0.0, 0.25, 0.5, 1.0, 0.25, -0.5]
    )
    found = replay_of(samples)
    assert {tuple(row) for row in found.samples.actions[:, :3].tolist()} == {
        tuple(kind) for kind in kinds
    }
    for kind, wanted in (
        [[0, 3, -1], {0.0, 0.5, 1.0}],
        [[1, 2, -1], {0.25}],
        [[-1, -1, -1], {0.0}],
    ):
        mine = (found.samples.actions[:, :3] == kind).all(axis=1)
        assert set(found.targets[mine].tolist()) <= wanted


def test_merging_agrees_with_a_plain_loop():
    """Oracle: a dictionary by key and actions, on random games with many equal positions."""
    samples = random_samples(TTT, 400)
    rng = np.random.default_rng(1)
    samples.policy_weights[:] = rng.choice([0.0, 1.0], 400)
    samples.generations[:] = np.sort(rng.integers(0, 5, 400))
    groups = {}
    for row in range(400):
        groups.setdefault((samples.keys[row], samples.actions[row].tobytes()), []).append(row)
    found = merge(samples, samples.payoffs)
    assert found.samples.num == len(groups) < 300
    for place, rows in enumerate(groups.values()):
        weights = samples.policy_weights[rows]
        if weights.sum():
            wanted = (samples.policies[rows].astype(float) * weights[:, None]).sum(
                axis=0
            ) / weights.sum()
            assert found.samples.policies[place] == pytest.approx(wanted, abs=1e-3)
        assert found.counts[place] == len(rows)
        assert found.targets[place] == pytest.approx(samples.payoffs[rows].mean(), abs=1e-6)
        assert found.samples.generations[place] == samples.generations[rows].max()
        assert (found.samples.states[place] == samples.states[rows[-1]]).all()


def test_more_rows_than_a_chunk_are_merged_alike():
    """Twice 40,000 rows of five positions: 16,000 a position, their policies (j / 4, 1 - j / 4)."""
    keys = np.arange(80_000) % 5
    share = keys / 4
    samples = plain_samples(TTT, keys, policies=np.stack([share, 1 - share], axis=1))
    assert samples.num > CHUNK
    found = merge(samples, samples.payoffs)
    assert found.counts.tolist() == [16_000] * 5
    assert found.samples.policies[:, 0].tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_without_merging_every_row_stays():
    found = replay_of(plain_samples(TTT, [4, 4, 4]), merge=False)
    assert found.num == 3
    assert found.statistics.unique_share == pytest.approx(1 / 3)


def test_the_same_shards_give_the_same_replay():
    parts = [random_samples(TTT, 200, seed) for seed in (1, 2)]
    one, two = (replay_of(join(parts)) for _ in range(2))
    for name, column in one.samples._asdict().items():
        assert column.tobytes() == getattr(two.samples, name).tobytes(), name
    batches = [replay.batch(np.arange(50), np.random.default_rng(3)) for replay in (one, two)]
    assert all((left == right).all() for left, right in zip(*batches, strict=True))


def test_the_statistics_of_a_replay_are_of_its_window():
    """Rows of generations 2, 3, 3, 5 with keys 1, 2, 2, 2: ages 3, 2, 2, 0."""
    samples = plain_samples(TTT, [1, 2, 2, 2], generations=[2, 3, 3, 5])
    assert asdict(replay_of(samples, generation=5).statistics) == {
        "num": 4,
        "rows": 2,
        "unique_share": 0.5,
        "new_share": 0.25,
        "mean_age": 1.75,
    }


def test_no_samples_make_an_empty_replay():
    replay = replay_of(new_samples(TTT, 0))
    assert replay.num == 0
    assert replay.statistics.mean_age == 0.0


# --- targets and weights


def test_the_value_is_a_mixture_of_payoff_and_root_value():
    samples = plain_samples(TTT, [1, 2], payoffs=[1.0, -1.0], values=[0.5, 0.0])
    assert replay_of(samples, payoff_share=0.75).targets.tolist() == [0.875, -0.75]
    assert replay_of(samples).targets.tolist() == [1.0, -1.0]


def test_the_payoff_counts_more_towards_the_end_of_a_game():
    """A game of 5 plies, k from 0.5 at its first to 1 at its last: 0.5, 0.625, 0.75, 0.875, 1."""
    samples = plain_samples(TTT, range(5), payoffs=[1.0] * 5, plies=range(5), lengths=[5] * 5)
    found = replay_of(samples, payoff_share=0.5, payoff_share_end=1.0)
    assert found.targets.tolist() == [0.5, 0.625, 0.75, 0.875, 1.0]


def test_a_game_of_one_ply_is_all_beginning():
    samples = plain_samples(TTT, [1], payoffs=[1.0], plies=[0], lengths=[1])
    assert replay_of(samples, payoff_share=0.5, payoff_share_end=1.0).targets.tolist() == [0.5]


def test_old_samples_fade_from_the_replay_buffer_but_not_below_the_floor():
    samples = plain_samples(TTT, range(4), generations=[0, 2, 3, 4], weights=[1.0, 1.0, 0.5, 1.0])
    replay = replay_of(samples, generation=4, fade=0.2, fade_floor=0.5)
    assert replay.batch(np.arange(4), None).weights == pytest.approx([0.5, 0.6, 0.4, 1.0])


# --- drawing


def test_one_epoch_is_a_permutation_and_the_next_another():
    replay = replay_of(plain_samples(TTT, range(12)))
    batches = list(replay.row_batches(6, 4, np.random.default_rng(0)))
    assert [len(rows) for rows in batches] == [4] * 6
    first, second = np.concatenate(batches[:3]), np.concatenate(batches[3:])
    assert sorted(first) == sorted(second) == list(range(12))
    assert first.tolist() != second.tolist()


def test_batches_are_full_where_epochs_meet():
    replay = replay_of(plain_samples(TTT, range(5)))
    batches = list(replay.row_batches(5, 3, np.random.default_rng(0)))
    assert [len(rows) for rows in batches] == [3] * 5
    assert sorted(np.concatenate(batches)) == sorted(list(range(5)) * 3)


def test_a_replay_that_is_smaller_than_a_batch_is_one_batch():
    replay = replay_of(plain_samples(TTT, range(5)))
    assert [sorted(rows) for rows in replay.row_batches(2, 256, np.random.default_rng(0))] == [
        list(range(5))
    ] * 2


def test_rows_are_drawn_by_count():
    """100,000 draws with chances 1/8, 5/8, 2/8: a share is off by 0.0082, 5.3 sigma, once in 4
    million.
    """
    replay = replay_of(plain_samples(TTT, [1, 2, 2, 2, 2, 2, 3, 3]), by_count=True)
    rows = np.concatenate(list(replay.row_batches(33_334, 3, np.random.default_rng(0))))
    assert np.bincount(rows) / len(rows) == pytest.approx([1 / 8, 5 / 8, 2 / 8], abs=0.0082)


# --- batches


def test_a_batch_has_what_the_game_says():
    samples = random_samples(HEX, 20)
    replay = replay_of(samples, game=HEX, merge=False, symmetries=False)
    rows = np.array([3, 0, 17])
    batch = replay.batch(rows, np.random.default_rng(0))
    for place, row in enumerate(rows):
        state, count = samples.states[row], int((samples.actions[row] >= 0).sum())
        assert (batch.planes[place].numpy() == HEX.encode(state)).all()
        assert np.flatnonzero(batch.legal[place].numpy()).tolist() == sorted(
            HEX.legal_actions(state)
        )
        wanted = samples.policies[row, :count].astype(float)
        assert batch.policies[place][batch.legal[place]] == pytest.approx(
            wanted / wanted.sum(), abs=1e-6
        )
        assert batch.values[place] == samples.payoffs[row]
    assert batch.policies.sum(1) == pytest.approx([1.0] * 3, abs=1e-6)


def test_a_row_without_actions_has_no_policy():
    samples = plain_samples(
        TTT, [1], actions=[[-1, -1]], policies=[[0.0, 0.0]], policy_weights=[0.0]
    )
    batch = replay_of(samples).batch(np.array([0]), np.random.default_rng(0))
    assert not batch.legal.any()
    assert not batch.policies.any()


@pytest.mark.parametrize("text", ["tic_tac_toe", "hex:size=5", "connect_four", "take_it_easy"])
def test_a_row_under_a_symmetry_is_the_encoding_of_the_position_under_it(text):
    """Oracle: the same actions turned and played from the start reach the turned position (the law
    of symmetries).
    """
    game = load(text)
    rng = np.random.default_rng(0)
    state, others = game.initial_state(), [game.initial_state() for _ in game.symmetries]
    for _ in range(7):
        action, chance = int(rng.choice(game.legal_actions(state))), game.seat_to_move(state) < 0
        others = [
            game.play(other, action if chance else int(turn.actions[action]))
            for turn, other in zip(game.symmetries, others, strict=True)
        ]
        state = game.play(state, action)
    samples = plain_samples(game, [1])
    actions = sorted(game.legal_actions(state))
    samples.states[0] = state
    samples.actions[0, : len(actions)] = actions
    samples.policies[0, : len(actions)] = rng.dirichlet(np.ones(len(actions)))
    batch = replay_of(samples, game=game).batch(np.zeros(64 * (1 + len(others)), np.int64), rng)
    seen = set()
    for planes, legal, policy in zip(
        batch.planes.numpy(), batch.legal.numpy(), batch.policies.numpy(), strict=True
    ):
        for number, other in enumerate([state, *others]):
            if (planes == game.encode(other)).all():
                seen.add(number)
                turned = (
                    game.symmetries[number - 1].actions if number else np.arange(game.num_actions)
                )
                assert np.flatnonzero(legal).tolist() == sorted(turned[actions])
                assert policy[turned[actions]] == pytest.approx(
                    samples.policies[0, : len(actions)], abs=1e-3
                )
                break
        else:
            pytest.fail("a row that is no symmetry of its position")
    assert seen == set(range(1 + len(others)))


def test_without_a_stream_no_symmetry_is_drawn():
    replay = replay_of(random_samples(TTT, 30), merge=False)
    planes = replay.batch(np.arange(30), None).planes
    assert all(
        (planes[row].numpy() == TTT.encode(replay.samples.states[row])).all() for row in range(30)
    )


def test_a_replay_leaves_the_samples_alone():
    samples = random_samples(TTT, 100)
    before = [column.tobytes() for column in samples]
    for merged in (True, False):
        replay = replay_of(samples, merge=merged, fade=0.1, generation=3)
        replay.batch(np.arange(10), np.random.default_rng(0))
    assert [column.tobytes() for column in samples] == before
