"""Who computes next, and with how large a tree."""

import threading

import pytest

from anyzero.web.worker import LEAST_NODES, NodePool, Turns


def order_of_turns(searches, slots=1):
    """Whose turns follow each other; a search is a client, after how many turns it arrives, and how many it needs."""
    turns, coming = Turns(slots), sorted(searches, key=lambda search: search[1])
    here, order = [], []
    while coming or here:
        while coming and (not here or coming[0][1] <= len(order)):
            client, _, num = coming.pop(0)
            here.append([client, num, turns.queue(client)])
        search = next(search for search in here if search[2].is_set())
        order.append(search[0])
        search[1] -= 1
        if search[1] > 0:
            search[2] = turns.queue(search[0], ended=1)
        else:
            here.remove(search)
            turns.end()
    assert turns.free == slots
    assert not turns.waiting
    return order


def test_clients_take_turns():
    order = order_of_turns([("one", 0, 4), ("other", 1, 3)])
    rounds = [set(order[first : first + 2]) for first in (1, 3, 5)]
    assert rounds == [{"one", "other"}] * 3


def test_a_search_of_one_turn_is_next_however_many_huge_ones_there_are():
    order = order_of_turns([*((f"huge {number}", 0, 100) for number in range(6)), ("short", 300, 1)])
    assert order[301] == "short"  # after the turn under way


def test_a_longer_search_has_one_turn_in_a_round():
    order = order_of_turns([*((f"huge {number}", 0, 100) for number in range(6)), ("short", 300, 5)])
    assert order[301 : 301 + 5 * 7].count("short") == 5


def test_a_client_with_one_short_search_after_another_has_one_turn_in_a_round():
    order = order_of_turns([("huge", 0, 40), *(("short", number, 1) for number in range(0, 40, 2))])
    assert order[:20].count("huge") >= 9


def test_a_client_with_many_searches_gets_no_more_than_one_with_a_single_one():
    order = order_of_turns([*(("many", 0, 40) for _ in range(8)), ("one", 0, 40)])
    assert 39 <= order[:80].count("one") <= 40


def test_all_searches_of_a_client_get_on():
    order = order_of_turns([("many", 0, 2), ("many", 0, 2), ("one", 0, 4)], slots=2)
    assert sorted(order) == ["many"] * 4 + ["one"] * 4


def test_no_more_turns_run_at_a_time_than_there_are_slots():
    turns, running, most, lock = Turns(2), [], [], threading.Lock()

    def run(name):
        with turns.turn(name) as give_way:
            for _ in range(10):
                give_way()
                with lock:
                    running.append(name)
                    most.append(len(running))
                with lock:
                    running.remove(name)

    threads = [threading.Thread(target=run, args=(str(number),)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) <= 2
    assert turns.free == 2


def test_a_turn_that_fails_is_given_back():
    turns = Turns(1)
    for _ in range(3):
        with pytest.raises(ValueError, match="on purpose"), turns.turn("a"):
            raise ValueError("on purpose")
    assert turns.free == 1
    assert not turns.waiting


def test_a_search_that_comes_late_gets_a_smaller_tree_but_always_some():
    pool, least = NodePool(16_000_000), LEAST_NODES
    with pool.share(1_000) as small, pool.share(4_000_000) as first, pool.share(4_000_000) as second:
        assert (small, first) == (least, (16_000_000 - least) // 4)
        assert second == (16_000_000 - least - first) // 4
        assert pool.left == 16_000_000 - least - first - second
    assert pool.left == 16_000_000
    with NodePool(0).share(100) as smallest:
        assert smallest == least
