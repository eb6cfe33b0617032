"""Scenes as text, drawn in full."""

from textwrap import dedent

from anyzero.views import Cell, Kind, Label, Piece, Scene
from anyzero.views.boards import hexagon, rectangle, square_cells, square_labels, stone
from anyzero.views.text import scene_to_text


def drawn(text: str) -> str:
    return dedent(text).strip("\n")


def piece(cell: str, text: str) -> Piece:
    return Kind(text, text).on(cell)


def test_a_board_of_squares_has_its_labels_left_and_below():
    stones = (stone(0, text="X", name="cross").on("a1"), stone(1, text="O", name="nought").on("c3"))
    scene = Scene(square_cells(3, 3), stones, over=square_labels(3, 3), caption="X to move")
    assert scene_to_text(scene) == drawn("""
        3 . . O
        2 . . .
        1 X . .
          a b c
        X to move
    """)


def test_numbers_of_two_digits_keep_their_distance_from_the_board():
    scene = Scene(square_cells(10, 2), over=square_labels(10, 2))
    assert scene_to_text(scene).splitlines()[:2] == ["10 . .", " 9 . ."]


def test_rows_of_hexagons_are_shifted_against_each_other():
    cells = [
        Cell(f"{row}{column}", hexagon(column + row / 2, row * 0.87, 0.577))
        for row in range(3)
        for column in range(3)
    ]
    assert scene_to_text(Scene(tuple(cells), (piece("11", "X"),))) == drawn("""
        . . .
         . X .
          . . .
    """)


def test_a_board_makes_room_for_wide_pieces():
    scene = Scene(square_cells(2, 2), (piece("a2", "12"), piece("b2", "10"), piece("b1", "7")))
    assert scene_to_text(scene) == drawn("""
        12 10
         .  7
    """)


def test_a_board_makes_room_for_pieces_of_several_lines():
    tile = " 1\n2 3"
    cells = tuple(
        Cell(name, rectangle(x, y, 1, 1), text="--")
        for name, x, y in (("a", 0, 0), ("b", 1, 0), ("c", 1, 1))
    )
    scene = Scene(cells, (piece("a", tile), piece("b", tile), piece("c", "9")))
    assert scene_to_text(scene) == drawn("""
         1   1
        2 3 2 3

             9
    """)


def test_no_line_ends_in_a_space():
    cells = tuple(Cell(name, rectangle(x, 0, 1, 1), text=" ") for x, name in enumerate("abc"))
    assert (
        scene_to_text(Scene(cells, (piece("a", "x "),), over=(Label(0, 1, "left "),))) == " x\nleft"
    )


def test_a_cell_covers_a_label_that_lies_under_it():
    assert scene_to_text(Scene(square_cells(1, 1), over=(Label(0, 0, "z"),))) == "."


def test_letters_that_move_the_cursor_are_replaced():
    scene = Scene(square_cells(1, 1), (piece("a1", "\x1b"),), caption="a\rb")
    assert scene_to_text(scene) == "\ufffd\na\ufffdb"


def test_a_scene_without_cells_is_its_caption():
    assert scene_to_text(Scene((), caption="nothing to see")) == "nothing to see"


def test_a_picture_prints_itself_as_text():
    assert str(Scene(square_cells(1, 2))) == ". ."


def test_marked_cells_stand_in_brackets():
    scene = Scene(
        square_cells(2, 3), (piece("a1", "X"), piece("c2", "O")), over=square_labels(2, 3)
    )
    assert scene_to_text(scene, ("a1", "c2")) == drawn("""
        2 . .[O]
        1[X]. .
          a b c
    """)


def test_marked_neighbours_share_a_bar():
    assert scene_to_text(Scene(square_cells(1, 3)), ("a1", "b1")) == "[.|.]."


def test_brackets_go_around_the_middle_of_a_tall_piece():
    assert (
        scene_to_text(Scene(square_cells(1, 1), (piece("a1", " 1\n2 3"),)), ("a1",)) == "  1\n[2 3]"
    )
