"""Who computes next: those who have computed least lately, one turn a client before a second for anybody."""

import threading
import time

import pytest

from anyzero.web.turns import HALF_S, Turnstile

PIECE_S = 0.02


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def order_of_turns(searches):
    """Whose turns follow each other on one core; a search is a client, when it arrives, and how many turns it needs."""
    turns, clock = Turnstile(1, clock := Clock()), clock
    coming = sorted(searches, key=lambda search: search[1])
    here, order = [], []
    while coming or here:
        while coming and (not here or coming[0][1] <= len(order)):
            client, _, num = coming.pop(0)
            here.append([turns.queue(client), num])
        search = next(search for search in here if search[0].called.is_set())
        client = search[0].client
        order.append(client)
        search[1] -= 1
        clock.now += PIECE_S
        if search[1] > 0:
            search[0] = turns.queue_again(client, PIECE_S)
        else:
            here.remove(search)
            turns.end(client, PIECE_S)
    return order


def test_a_short_search_that_arrives_after_a_huge_one_ends_before_it():
    order = order_of_turns([("huge", 0, 100), ("short", 50, 5)])
    # the turn under way when it arrives has its end first
    assert order == ["huge"] * 51 + ["short"] * 5 + ["huge"] * 49


def test_a_short_search_is_not_slower_beside_six_huge_ones_than_beside_one():
    order = order_of_turns([*((f"huge {number}", 0, 100) for number in range(6)), ("short", 300, 5)])
    assert order[301:306] == ["short"] * 5


def test_two_huge_searches_share_the_time():
    order = order_of_turns([("one", 0, 200), ("other", 100, 200)])
    # the second catches up at first; then each turn of the one is followed by one of the other
    assert order[250:340].count("one") == 45


def test_a_client_with_many_searches_gets_no_more_than_one_with_a_single_one():
    order = order_of_turns([*(("many", 0, 40) for _ in range(8)), ("one", 0, 40)])
    assert order[:80].count("one") == 40


def test_a_client_that_computes_already_lets_another_go_first():
    turns = Turnstile(2, Clock())
    assert all(turns.queue("greedy").called.is_set() for _ in range(2))
    again, patient = turns.queue("greedy"), turns.queue("patient")
    turns.used["patient"] = 1000.0, 100.0  # though it has used more
    turns.end("greedy", 0.0)
    assert (again.called.is_set(), patient.called.is_set()) == (False, True)


def test_what_a_client_used_counts_half_after_a_while():
    turns, clock = Turnstile(1, clock := Clock()), clock
    with turns.turn("a"):
        clock.now += 1.0
    assert turns.use_of("a") == 1.0
    clock.now += 2 * HALF_S
    assert turns.use_of("a") == pytest.approx(0.25)
    assert turns.use_of("b") == 0.0


def test_no_more_turns_run_at_a_time_than_there_are_slots():
    turns, running, most, lock = Turnstile(2), [], [], threading.Lock()

    def run(name):
        with turns.turn(name) as turn:
            for _ in range(10):
                turn.give_way()
                with lock:
                    running.append(name)
                    most.append(len(running))
                time.sleep(0.001)
                with lock:
                    running.remove(name)

    threads = [threading.Thread(target=run, args=(str(number),)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 2
    assert turns.free == 2


def test_a_turn_that_fails_is_given_back():
    turns = Turnstile(1)
    for _ in range(3):
        with pytest.raises(ValueError, match="on purpose"), turns.turn("a"):
            raise ValueError("on purpose")
    assert turns.free == 1
    assert not turns.waiting
