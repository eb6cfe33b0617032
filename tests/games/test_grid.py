"""The readers and writers of boards: they undo each other, and refuse in a sentence whatever is no
board.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.cells import cell_name
from anyzero.games.grid import (
    cell_index,
    format_grid,
    parse_choice,
    parse_grid,
    parse_number,
    split_fields,
)
from tests.games.readers import ODD

SIZES = st.integers(1, 12)
TEXTS = st.one_of(st.text(max_size=30), st.text(st.sampled_from("wb" + ODD), max_size=30))


@given(st.data(), SIZES, SIZES, st.booleans())
def test_a_board_that_is_written_is_read_back(data, rows, columns, bottom_up):
    cells = data.draw(
        st.lists(st.sampled_from("wb."), min_size=rows * columns, max_size=rows * columns)
    )
    text = format_grid(cells, columns, bottom_up=bottom_up)
    assert parse_grid(text, rows, columns, "wb", bottom_up=bottom_up) == cells


def test_rows_are_written_from_the_top_and_empty_cells_are_counted():
    cells = list("..w." + "b..." + "....")
    assert format_grid(cells, 4, bottom_up=False) == "2w1/b3/4"
    assert format_grid(cells, 4) == "4/b3/2w1"


def test_empty_cells_may_be_counted_in_parts_or_drawn():
    assert parse_grid("..w./1b.1", 2, 4, "wb", bottom_up=False) == list("..w..b..")


def test_a_count_may_have_two_digits():
    assert parse_grid("12", 1, 12, "wb") == ["."] * 12


@given(TEXTS, SIZES, SIZES)
def test_any_text_is_a_board_or_refused(text, rows, columns):
    try:
        cells = parse_grid(text, rows, columns, "wb")
    except ValueError as error:
        refusal = str(error)
        assert "\n" not in refusal
    else:
        assert len(cells) == rows * columns
        assert set(cells) <= set("wb.")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("3/3", "3 rows, the text 2"),
        ("3/4/3", "'4' has 4 cells, not 3"),
        ("3/2/3", "'2' has 2 cells"),
        ("3/wwx/3", "'x', not one of w, b"),
        ("3/999/3", "has 999 cells, not 3"),
        (f"3/{'9' * 100_000}/3", "'9999'... is longer than 3 cells"),
        ("3/²1/3", "'²', not one of"),
        ("3/٣/3", "not one of"),
        ("3/1\n1/3", r"'\\n', not one of"),
    ],
)
def test_what_is_wrong_with_a_board_is_said(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        parse_grid(text, 3, 3, "wb")


@given(TEXTS, st.integers(0, 50), st.integers(50, 10**6))
def test_a_number_is_within_its_bounds_or_refused(text, low, high):
    try:
        number = parse_number(text, low, high, "the ply")
    except ValueError:
        return
    assert low <= number <= high
    assert text.isascii()


@given(st.integers(0, 999))
def test_a_number_that_is_written_is_read_back(number):
    assert parse_number(str(number), 0, 999, "the ply") == number


@pytest.mark.parametrize(
    "word", ["", "-1", "+1", "1.0", "1e2", "²", "٣", "1000", "9" * 5000, "1\n", " 1"]
)
def test_a_word_that_is_no_number_from_0_to_999_is_refused(word):
    with pytest.raises(ValueError, match="not a number from 0 to 999"):
        parse_number(word, 0, 999, "the ply")


@given(st.integers(0, 25), st.integers(0, 25))
def test_a_cell_is_found_by_its_name(row, column):
    assert cell_index(cell_name(row, column), 26, 26) == row * 26 + column


@given(TEXTS)
def test_any_text_is_a_cell_or_refused(text):
    try:
        cell = cell_index(text, 3, 5)
    except ValueError:
        return
    assert cell_name(*divmod(cell, 5)) == text or text[1:].startswith("0")


@pytest.mark.parametrize("name", ["a0", "f1", "a4", "A1", "a", "1a", "a1 ", "a²", "é1", "aa1"])
def test_a_name_outside_the_board_is_refused(name):
    with pytest.raises(ValueError, match="not a cell of a board of 3 rows and 5 columns"):
        cell_index(name, 3, 5)


def test_a_choice_is_one_whole_word():
    assert parse_choice("b", "wb", "the side to move") == 1
    assert parse_choice("ten", ("two", "ten"), "the count") == 1
    for word in ("wb", "", "W"):
        with pytest.raises(ValueError, match="the side to move is"):
            parse_choice(word, "wb", "the side to move")


@given(TEXTS)
def test_fields_are_as_many_as_their_names(text):
    try:
        words = split_fields(text, ("board", "side to move"))
    except ValueError:
        return
    assert len(words) == 2
    assert text.split() == words
