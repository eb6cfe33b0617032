"""Records whose fields are attributes."""

import copy
import pickle

import numpy as np
import pytest

from anyzero.core.base.structs import struct_of, struct_of_words

FIELDS = [("cells", np.int8, 3), ("mover", np.int16), ("score", np.int32)]


def new_struct():
    return np.zeros(2, struct_of(FIELDS))[0]


def test_fields_are_attributes_that_change_the_array():
    array = np.zeros(2, struct_of(FIELDS))
    one = array[1]
    one.mover, one.cells[2] = 7, 5
    one.cells |= 1
    assert (array["mover"].tolist(), array["cells"][1].tolist()) == ([0, 7], [1, 1, 5])
    assert (type(one.mover), one.cells.base is not None) == (np.int16, True)


def test_what_is_no_field_is_no_attribute():
    one = new_struct()
    with pytest.raises(AttributeError, match="'record' object has no attribute 'movr'"):
        _ = one.movr
    with pytest.raises(AttributeError, match="'record' object has no attribute 'movr'"):
        one.movr = 1
    with pytest.raises(ValueError, match="broadcast"):
        one.cells = [1, 2]
    assert not hasattr(one, "movr")


def test_structs_are_copied_and_pickled_as_such():
    one = new_struct()
    one.mover = 3
    for other in (one.copy(), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (type(other), other.mover, other == one) == (type(one), 3, True)


def test_structs_of_words_are_padded_with_fields_which_numpy_copies():
    kind = struct_of_words(FIELDS[:2])
    assert kind.itemsize == 8
    assert [(name, kind.fields[name][1]) for name in kind.names] == [
        *(("cells", 0), ("unused_3", 3), ("mover", 4), ("unused_6", 6)),
    ]
