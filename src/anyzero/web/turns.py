"""Who may compute next: short turns, handed round between the clients, so that a huge search delays nobody for long.

Laws: a client that computes already gets another turn only if no other client waits that does not; among equals, the
one whose last turn is longest ago comes first.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Turnstile:
    """At most `slots` turns at a time; waiting clients get theirs in rotation, each client's jobs in their order."""

    def __init__(self, slots: int) -> None:
        self.free = slots
        self.waiting: OrderedDict[str, deque[object]] = OrderedDict()
        self.running: Counter[str] = Counter()
        self.changed = Condition()

    @contextmanager
    def turn(self, client: str) -> Iterator[None]:
        """Wait for a turn, and end it."""
        ticket = object()
        with self.changed:
            self.waiting.setdefault(client, deque()).append(ticket)
            self.changed.wait_for(lambda: self.free > 0 and self.is_next(client, ticket))
            self.begin(client)
        try:
            yield
        finally:
            with self.changed:
                self.end(client)

    def is_next(self, client: str, ticket: object) -> bool:
        chosen = next((name for name in self.waiting if not self.running[name]), next(iter(self.waiting)))
        return chosen == client and self.waiting[client][0] is ticket

    def begin(self, client: str) -> None:
        """The client goes to the end of the rotation if it has more that waits."""
        self.free -= 1
        self.running[client] += 1
        queue = self.waiting.pop(client)
        queue.popleft()
        if queue:
            self.waiting[client] = queue
        self.changed.notify_all()

    def end(self, client: str) -> None:
        self.free += 1
        self.running[client] -= 1
        if not self.running[client]:
            del self.running[client]
        self.changed.notify_all()
