"""All that leans on private names of Numba, and all that we change in other people's packages.

Tested with Numba 0.65 to 0.68, numba-cuda 0.30 and NumPy 2.1 to 2.5. Where a later version has no
such name any more, kernels are compiled by stock `njit` instead: the answers are the same, but
nothing is kept on disk, and compiling takes two to three times as long.
"""

import hashlib
import sys
from types import ModuleType

import numpy as np
from numba import types
from numba.np import linalg

from anyzero.core.base.nouns import NumbaType


def own_compiler() -> ModuleType | None:
    """How kernels of a hundred functions are compiled; None where Numba lacks what that needs."""
    try:
        from anyzero.core.compile import callees
    except (ImportError, AttributeError):
        return None
    return callees


def name_of_record(record: NumbaType) -> tuple[str, tuple[int]]:
    """The name of a record in symbols, by its fields.

    Numba instead counts the records met by the process: code from two processes, for two board
    sizes, could share a name, and code loaded second would call the first.
    """
    return "Record", (int(hashlib.sha256(record.name.encode()).hexdigest()[:15], 16),)


def name_records_by_fields() -> None:
    types.Record.mangling_args = property(name_of_record)


def look_for_blas_later() -> None:
    """Numba looks for BLAS before it loads or compiles anything, which imports SciPy: a third of
    the time to a first call. Kernels do not need it; a user's function that does makes Numba look
    again.
    """
    look = getattr(linalg, "ensure_blas", None)
    if look is None or "numba.np.arraymath" in sys.modules:  # the module that looks for it
        return

    def find_none() -> None:
        linalg.ensure_blas = look
        raise ImportError

    linalg.ensure_blas = find_none


def give_numpy_names_back() -> None:
    """numba-cuda 0.30 uses three names that NumPy 2.5 dropped."""
    for gone, now in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, gone):
            setattr(np, gone, getattr(np, now))
