"""The text of SGF taken apart: the main line of each game of a file, node by node, as lists of values by property."""

import re

from anyzero.records.fields import BadRecordError

Node = dict[str, list[str]]

TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<open>\()|(?P<close>\))|(?P<node>;)|(?P<name>[A-Za-z]+)|\[(?P<value>(?:[^\\\]]|\\.)*)\]",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)


class Reader:
    """Follows the text; nodes of variations after the first are passed over."""

    def __init__(self) -> None:
        self.games: list[list[Node]] = []
        self.num_variations: list[int] = []
        """For each open tree, how many variations it has had."""
        self.passed_over = 0
        """How many open trees are not part of the main line."""
        self.name = ""
        """The property whose values come."""
        self.has_node = False

    def take(self, kind: str, found: str) -> str:
        """Read a token; returns what is wrong with it, or nothing."""
        if kind == "open":
            return self.open()
        if not self.num_variations:
            return f"{found[:20]!r} stands outside of a game"
        if kind == "close":
            self.num_variations.pop()
            self.passed_over -= self.passed_over > 0
            self.has_node = True
        elif kind == "node":
            self.name, self.has_node = "", True
            if not self.passed_over:
                self.games[-1].append({})
        elif not self.has_node:
            return f"{found[:20]!r} stands before the first node"
        elif kind == "name":
            self.name = "".join(letter for letter in found if letter.isupper())
        elif not self.name:
            return f"{found[:20]!r} belongs to no property"
        elif not self.passed_over:
            self.games[-1][-1].setdefault(self.name, []).append(unescape(found))
        return ""

    def open(self) -> str:
        self.name = ""
        if not self.num_variations:
            self.games.append([])
        elif not self.has_node:
            return "a variation stands before the first node"
        else:
            self.num_variations[-1] += 1
            self.passed_over += self.passed_over > 0 or self.num_variations[-1] > 1
        self.num_variations.append(0)
        self.has_node = False
        return ""


def unescape(text: str) -> str:
    """The value that is meant: a backslash keeps the next letter as it is, and takes a line break away."""
    return ESCAPE.sub(lambda found: "" if found[1][0] in "\r\n" else found[1], text)


def main_lines(text: str) -> list[list[Node]]:
    """The main line of each game; one sentence where the text is not SGF."""
    reader, place = Reader(), 0
    while place < len(text):
        found = TOKEN.match(text, place)
        wrong = f"{text[place : place + 20]!r} is not SGF"
        if found is not None:
            kind = str(found.lastgroup)
            wrong = "" if kind == "space" else reader.take(kind, found[kind])
        if found is None or wrong:
            raise BadRecordError(f"line {text.count(chr(10), 0, place) + 1}: {wrong}")
        place = found.end()
    if reader.num_variations:
        raise BadRecordError("a game is not closed")
    return reader.games
