"""Memory for the trees of all searches together: one that comes late gets a smaller tree, but always some."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

PART = 4
"""One search gets at most this part of what is left, so that something always is."""
LEAST = 5_000


class NodePool:
    """Nodes that may still be used."""

    def __init__(self, num_nodes: int) -> None:
        self.left, self.lock = num_nodes, Lock()

    @contextmanager
    def share(self, wanted: int) -> Iterator[int]:
        """As many nodes as are wanted, or as there are to be had, until the end of the block."""
        with self.lock:
            num_nodes = max(LEAST, min(wanted, self.left // PART))
            self.left -= num_nodes
        try:
            yield num_nodes
        finally:
            with self.lock:
                self.left += num_nodes
