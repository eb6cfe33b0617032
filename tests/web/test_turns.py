"""Turns go round between the clients."""

import threading
import time

from anyzero.web.turns import Turnstile


def take_turns(turns, client, num, order, start):
    def run():
        start.wait()
        for _ in range(num):
            with turns.turn(client):
                order.append(client)
                time.sleep(0.001)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_client_with_many_jobs_gets_no_more_turns_than_one_with_a_single_job():
    turns, order, start = Turnstile(1), [], threading.Event()
    threads = [take_turns(turns, "many", 40, order, start) for _ in range(8)]
    threads.append(take_turns(turns, "one", 20, order, start))
    start.set()
    for thread in threads:
        thread.join()
    first, last = order.index("one"), len(order) - 1 - order[::-1].index("one")
    between = order[first : last + 1].count("many")
    # in rotation one turn of the others comes between two of its own; a thread that wakes up late costs one more
    assert between <= 2 * 20


def test_no_more_turns_run_at_a_time_than_there_are_slots():
    turns, running, most, lock = Turnstile(2), [], [], threading.Lock()

    def run(name):
        for _ in range(10):
            with turns.turn(name):
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


def test_a_turn_that_fails_is_given_back():
    turns = Turnstile(1)
    for _ in range(3):
        try:
            with turns.turn("a"):
                raise ValueError
        except ValueError:
            pass
    assert turns.free == 1
    assert not turns.waiting


def test_a_client_that_computes_already_lets_another_go_first():
    turns, order = Turnstile(2), []
    leave, waits = threading.Event(), threading.Event()

    def hold(client):
        with turns.turn(client):
            order.append(client)
            leave.wait(10)

    def take(client):
        with turns.turn(client):
            order.append(client)
            waits.wait(10)

    threads = [threading.Thread(target=hold, args=(name,)) for name in ("greedy", "greedy")]
    for thread in threads:
        thread.start()
    for client in ("greedy", "patient"):  # in this order
        thread = threading.Thread(target=take, args=(client,))
        thread.start()
        threads.append(thread)
        while len(turns.waiting.get(client, ())) != 1:
            time.sleep(0.001)
    with turns.changed:
        assert list(turns.waiting) == ["greedy", "patient"]
        assert not turns.is_next("greedy", turns.waiting["greedy"][0])
        assert turns.is_next("patient", turns.waiting["patient"][0])
    leave.set()
    waits.set()
    for thread in threads:
        thread.join()
    assert sorted(order) == ["greedy", "greedy", "greedy", "patient"]
