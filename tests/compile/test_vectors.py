"""Vector code of the CPU does what the plain functions say."""

import numpy as np
import pytest

from anyzero.core.compile import Unit, compile_kernel
from anyzero.core.compile.bits import MOST_COUNT, best_index, count_small_set


def find_best(scores, count):
    return best_index(scores, count)


def count_all(keys, members, counts, sums, amount, num):
    count_small_set(keys, members, counts, sums, amount, num)


UNIT = Unit("vectors", {}, (__name__,))


@pytest.mark.parametrize("spread", [3, 1000])
def test_the_best_is_the_first_of_the_greatest(spread):
    """Few different numbers: many equals. Beyond the count there is something greater."""
    kernel, random = compile_kernel(find_best, UNIT), np.random.default_rng(1)
    for count in [*range(1, 50), 121, 128]:
        scores = random.integers(-spread, spread, 160).astype(np.float32)
        scores[count:] = 9_999
        assert kernel(scores, count) == scores[:count].argmax() == best_index(scores, count)


def test_very_low_scores_are_compared_too():
    kernel = compile_kernel(find_best, UNIT)
    assert kernel(np.full(20, -1e30, np.float32), 20) == 0
    assert kernel(np.array([-1e30, -2e30, -9e29], np.float32), 3) == 2


@pytest.mark.parametrize("num", [1, 15, 16, 17, 121])
def test_members_are_counted_and_summed(num):
    kernel, random = compile_kernel(count_all, UNIT), np.random.default_rng(num)
    keys = random.permutation(512)[:num].astype(np.int32)
    members = random.integers(0, 2**63, 8).astype(np.uint64)
    found = np.zeros(num + 4, np.float32), np.full(num + 4, 2.0, np.float32)
    kernel(keys, members, *found, np.float32(-0.5), num)
    is_member = np.array([int(members[key // 64]) >> (key % 64) & 1 for key in keys.tolist()])
    assert found[0].tolist() == [*is_member, 0, 0, 0, 0]
    assert found[1].tolist() == [*(2.0 - 0.5 * is_member), 2, 2, 2, 2]


def test_counting_ends_before_floats_cannot_count():
    kernel = compile_kernel(count_all, UNIT)
    for num in (1, 16):
        counts, sums = np.full(num, MOST_COUNT, np.float32), np.full(num, 7.0, np.float32)
        kernel(np.zeros(num, np.int32), np.ones(8, np.uint64), counts, sums, np.float32(1.0), num)
        assert set(counts.tolist()) == {16_000_000.0}
        assert set(sums.tolist()) == {7.0}
