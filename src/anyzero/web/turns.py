"""Who may compute next: short turns, so that a huge search delays nobody for long.

Laws: a client that computes already gets another turn only if no other client waits that does not; among equals, the
one that has computed least lately comes first. So a short search overtakes long ones, many searches of one client get
no more than one search of another, and who has waited long enough is always next.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock
from typing import NamedTuple

HALF_S = 2.0
"""What a client has used counts half after this time."""
FORGOTTEN_S = 1e-3
MOST_KNOWN = 1000
"""Clients whose use is remembered before those that hardly used anything are forgotten."""


class Ticket(NamedTuple):
    """A place in the queue."""

    client: str
    number: int
    called: Event


class Turn:
    """A turn under way; between two pieces of work it gives way to those who come first."""

    def __init__(self, turns: "Turnstile", client: str) -> None:
        self.turns, self.client, self.start = turns, client, turns.clock()

    def give_way(self) -> None:
        """End this turn, and wait for the next one."""
        self.turns.queue_again(self.client, self.seconds).called.wait()
        self.start = self.turns.clock()

    @property
    def seconds(self) -> float:
        return self.turns.clock() - self.start


class Turnstile:
    """At most `slots` turns at a time."""

    def __init__(self, slots: int, clock: Callable[[], float] = time.perf_counter) -> None:
        self.free, self.clock, self.lock = slots, clock, Lock()
        self.waiting: list[Ticket] = []
        self.running: Counter[str] = Counter()
        self.used: dict[str, tuple[float, float]] = {}
        """For each client the seconds that it computed lately, as they counted at some time."""
        self.number = 0

    @contextmanager
    def turn(self, client: str) -> Iterator[Turn]:
        """Wait for a turn, and end it."""
        self.queue(client).called.wait()
        turn = Turn(self, client)
        try:
            yield turn
        finally:
            self.end(client, turn.seconds)

    def queue(self, client: str) -> Ticket:
        with self.lock:
            ticket = self.take_ticket(client)
            self.call_next()
        return ticket

    def queue_again(self, client: str, seconds: float) -> Ticket:
        """End a turn that was so long; who ends it is among those who wait for it."""
        with self.lock:
            ticket = self.take_ticket(client)
            self.count(client, seconds)
            self.call_next()
        return ticket

    def end(self, client: str, seconds: float) -> None:
        with self.lock:
            self.count(client, seconds)
            self.call_next()

    # --- within the lock

    def take_ticket(self, client: str) -> Ticket:
        self.number += 1
        self.waiting.append(Ticket(client, self.number, Event()))
        return self.waiting[-1]

    def count(self, client: str, seconds: float) -> None:
        """What a turn that has ended leaves behind."""
        self.free += 1
        self.running[client] -= 1
        if not self.running[client]:
            del self.running[client]
        self.used[client] = self.use_of(client) + seconds, self.clock()
        if len(self.used) > MOST_KNOWN:
            self.used = {client: use for client, use in self.used.items() if self.use_of(client) > FORGOTTEN_S}

    def call_next(self) -> None:
        while self.free > 0 and self.waiting:
            ticket = min(self.waiting, key=self.rank)
            self.waiting.remove(ticket)
            self.free -= 1
            self.running[ticket.client] += 1
            ticket.called.set()

    def rank(self, ticket: Ticket) -> tuple[int, float, int]:
        return self.running[ticket.client], self.use_of(ticket.client), ticket.number

    def use_of(self, client: str) -> float:
        """The seconds that a client has computed, older ones counted less."""
        seconds, since = self.used.get(client, (0.0, 0.0))
        return seconds * 0.5 ** ((self.clock() - since) / HALF_S) if seconds else 0.0
