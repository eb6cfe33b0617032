"""Who may compute next, and with how large a tree.

Turns are short and go round robin by client. Laws: no more turns at a time than there are slots; a client that waits
gets a turn before another gets two, however many searches the other has.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock


class Turns:
    def __init__(self, slots: int) -> None:
        self.free, self.lock = slots, Lock()
        self.waiting: OrderedDict[str, deque[Event]] = OrderedDict()
        """By client, the next one first."""

    @contextmanager
    def turn(self, client: str) -> Iterator[Callable[[], object]]:
        """Wait for a turn; what comes back is called between two pieces of work, and waits for the next turn."""
        self.queue(client).wait()
        try:
            yield lambda: self.queue(client, ended=1).wait()
        finally:
            self.end()

    def queue(self, client: str, ended: int = 0) -> Event:
        """A place in the queue; who ends a turn is in it before the next one is called."""
        called = Event()
        with self.lock:
            self.waiting.setdefault(client, deque()).append(called)
            self.free += ended
            self.call_next()
        return called

    def end(self) -> None:
        with self.lock:
            self.free += 1
            self.call_next()

    def call_next(self) -> None:
        """Call as many as there are free slots; a client's other searches wait behind everybody else's."""
        while self.free > 0 and self.waiting:
            client, searches = self.waiting.popitem(last=False)
            searches.popleft().set()
            self.free -= 1
            if searches:
                self.waiting[client] = searches


LEAST_NODES = 5_000


class NodePool:
    """Memory for the trees of all searches together: one that comes late gets a smaller tree, but always some."""

    def __init__(self, num_nodes: int) -> None:
        self.left, self.lock = num_nodes, Lock()

    @contextmanager
    def share(self, wanted: int) -> Iterator[int]:
        """As many nodes as are wanted, at most a quarter of what is left, until the end of the block."""
        with self.lock:
            num_nodes = max(LEAST_NODES, min(wanted, self.left // 4))
            self.left -= num_nodes
        try:
            yield num_nodes
        finally:
            with self.lock:
                self.left += num_nodes
