"""The moves of a main line of SGF as texts of our Hex, in the standard's dialect and in Little Golem's."""

import re
from dataclasses import dataclass, field

from anyzero.records.fields import FORFEIT, RESIGN, UNFINISHED, BadRecordError
from anyzero.records.sgf_tree import Node
from anyzero.views.boards import LETTERS, cell_name

COLOURS = "BW"
SETUP = ("AB", "AW", "AE", "PL")
ENDS = {"resign": RESIGN, "forfeit": FORFEIT}
SWAPS = ("swap", "swap-pieces", "swap-sides")
NUMBERED = re.compile("([a-z])([1-9][0-9]?)")
LETTERED = re.compile("([a-z])([a-z])")


@dataclass
class LineText:
    """What a main line says: moves, what was noted about each, and how its last node ended the game."""

    moves: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    colours: list[str] = field(default_factory=list)
    end: str = UNFINISHED
    lettered: bool = False
    """Whether cells are written with two letters, as Little Golem does."""
    sides_swapped: bool = False
    """After `swap-sides` the players have changed colours instead of the stone: every later cell is mirrored."""

    def add(self, colour: str, text: str, note: str) -> None:
        if self.end != UNFINISHED:
            raise BadRecordError(f"{text!r} comes after the end of the game")
        if text in ENDS:
            self.end = ENDS[text]
            return
        self.colours.append(colour)
        self.moves.append("swap" if text in SWAPS else self.read_cell(text))
        self.notes.append(note)
        self.sides_swapped |= text == "swap-sides"

    def read_cell(self, text: str) -> str:
        """The cell's name here; what is no cell is left as it is, for the rules to refuse."""
        if found := NUMBERED.fullmatch(text):
            row, column = int(found[2]) - 1, LETTERS.index(found[1])
        elif found := LETTERED.fullmatch(text):
            row, column, self.lettered = LETTERS.index(found[2]), LETTERS.index(found[1]), True
        else:
            return text
        if self.sides_swapped and row < len(LETTERS):
            row, column = column, row
        return cell_name(row, column)


def read_moves(nodes: list[Node]) -> LineText:
    """The moves of all nodes; colours must take turns, and black begins unless Little Golem wrote it."""
    line = LineText()
    for node in nodes:
        if node is not nodes[0] and set(SETUP) & set(node):
            raise BadRecordError("stones are set up in the middle of the game")
        for colour in COLOURS:
            for text in node.get(colour, []):
                line.add(colour, text.strip().lower(), " ".join(node.get("C", [])))
    check_turns(line, first=starting_colour(nodes[0]))
    return line


def starting_colour(root: Node) -> str:
    num_black, num_white = len(root.get("AB", [])), len(root.get("AW", []))
    return root.get("PL", [COLOURS[num_black > num_white]])[0].strip().upper()[:1]


def check_turns(line: LineText, first: str) -> None:
    if not line.colours or line.sides_swapped:
        return
    if line.colours[0] != first and not line.lettered:
        raise BadRecordError(f"{line.colours[0]} makes the first move, not {first}")
    for number, (colour, before) in enumerate(zip(line.colours[1:], line.colours, strict=False), start=2):
        if colour == before:
            raise BadRecordError(f"move {number}: {colour} moves twice in a row")
