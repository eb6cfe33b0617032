"""Tree reuse: the next search of a game starts from the last one's results."""

from anyzero.core.search.backup import best_proof
from anyzero.core.search.priors import mean_value
from anyzero.core.search.tree import NO_TABLE, UNKNOWN, Tree, is_full, plant, root_of

INLINED = True  # these functions are compiled into their callers: see compile.kernels


def copy_subtree(old: Tree, new: Tree, node: int, number: int) -> None:
    """Kernel: make `node` of the old tree the root of the new one; leaves that do not fit are cut
    off.

    A node's children are copied when the scan reaches it, so that the new tree is its own queue.
    """
    plant(new, number)
    root = root_of(new, number)
    copy_node(old, new, number, node, root)
    end = root + 1
    scan = root
    while scan < end:
        count = new.num_children[scan]
        first = new.first[scan]
        if count > 0 and end + count <= root_of(new, number + 1):
            new.first[scan] = end
            for index in range(count):
                copy_node(old, new, number, first + index, end + index)
            end += count
        elif count > 0:
            new.num_children[scan] = 0
        scan += 1
    new.used[number, 0] = end
    # A root's value and proof are for the seat to move there, like its children's; without children
    # it is new.
    first = new.first[root]
    count = new.num_children[root]
    new.value[root] = mean_value(
        new.visits[first : first + count], new.value[first : first + count]
    )
    new.proven[root] = best_proof(new, root) if count > 0 else UNKNOWN
    if count == 0:
        new.visits[root] = 0


def copy_node(old: Tree, new: Tree, number: int, source: int, target: int) -> None:
    new.visits[target] = old.visits[source]
    new.value[target] = old.value[source]
    new.prior[target] = old.prior[source]
    new.action[target] = old.action[source]
    new.first[target] = old.first[source]
    new.num_children[target] = old.num_children[source]
    new.proven[target] = old.proven[source]
    new.marks[target] = old.marks[source]
    if new.raw.shape[0] > 0:
        new.raw[target] = old.raw[source]
    if new.amaf_key.shape[0] > 0:
        new.amaf_key[target] = old.amaf_key[source]
    if new.amaf_visits.shape[0] > 0:
        new.amaf_visits[target] = old.amaf_visits[source]
        new.amaf_value[target] = old.amaf_value[source]
    if new.table.shape[0] == 0:
        return
    new.table[target] = NO_TABLE
    if old.table[source] == NO_TABLE or is_full(
        new, number
    ):  # GRAVE: the node's AMAF table, while there is room
        return
    row = new.used[number, 1]
    old_row = old.table[source]
    new.table[target] = row
    new.used[number, 1] = row + 1
    new.table_start[row] = old.table_start[old_row]
    for seat in range(new.table_visits.shape[1]):
        for key in range(new.table_visits.shape[2]):
            new.table_visits[row, seat, key] = old.table_visits[old_row, seat, key]
            new.table_value[row, seat, key] = old.table_value[old_row, seat, key]
