"""Who may compute next: short turns, handed round between the clients, so that a huge search delays nobody for long.

Law: while a client waits, no other client gets two turns that begin after the wait began, on any one slot.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Turnstile:
    """At most `slots` turns at a time; waiting clients get theirs in rotation, each client's jobs in their order."""

    def __init__(self, slots: int) -> None:
        self.free = slots
        self.waiting: OrderedDict[str, deque[object]] = OrderedDict()
        self.changed = Condition()

    @contextmanager
    def turn(self, client: str) -> Iterator[None]:
        """Wait for a turn, and end it."""
        ticket = object()
        with self.changed:
            self.waiting.setdefault(client, deque()).append(ticket)
            self.changed.wait_for(lambda: self.free > 0 and self.is_next(client, ticket))
            self.free -= 1
            self.leave(client)
            self.changed.notify_all()
        try:
            yield
        finally:
            with self.changed:
                self.free += 1
                self.changed.notify_all()

    def is_next(self, client: str, ticket: object) -> bool:
        return next(iter(self.waiting)) == client and self.waiting[client][0] is ticket

    def leave(self, client: str) -> None:
        """The client goes to the end of the rotation if it has more that waits."""
        queue = self.waiting.pop(client)
        queue.popleft()
        if queue:
            self.waiting[client] = queue
