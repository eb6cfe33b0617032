"""The text of PGN taken apart: tags, moves with their comments, and the result of each game of a file.

Variations, numeric glyphs (`$1`), suffixes (`!?`) and move numbers are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from anyzero.records.fields import BadRecordError

TOKEN = re.compile(
    r"""
    (?P<space> \s+ | ^%[^\n]* )
    | (?P<comment> ;[^\n]* | \{[^}]*\} )
    | \[ \s* (?P<name> [A-Za-z0-9_]+ ) \s* "(?P<value> (?: [^"\\\r\n] | \\[^\r\n] )* )" \s* \]
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<result> (?: 1-0 | 0-1 | 1/2-1/2 ) (?![-/\w]) | \* )
    | (?P<number> [0-9]+ (?![-\w]) \.* | \.+ | \$[0-9]+ | [!?]+ | e\.p\. | <[^>\n]*> )
    | (?P<move> (?: [A-Za-z0-9] | -- ) [-A-Za-z0-9+\#=:@]* [!?]* )
    """,
    re.VERBOSE | re.MULTILINE,
)
ESCAPE = re.compile(r'\\(["\\])')


@dataclass
class MoveText:
    """A move as it is written, the line it stands on, and the comments after it."""

    text: str
    line: int
    comment: str = ""


@dataclass
class PgnGame:
    """One game of a file, not yet understood."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[MoveText] = field(default_factory=list)
    result: str | None = None
    depth: int = 0
    """How many variations are open."""

    @property
    def is_begun(self) -> bool:
        return bool(self.moves) or self.result is not None


def split_games(text: str) -> list[PgnGame]:
    """The games of a file, in order."""
    games, game = list[PgnGame](), PgnGame()
    for kind, found, line in tokens(text):
        if game.result is not None or (kind == "value" and game.is_begun and not game.depth):
            games.append(close(game, line))
            game = PgnGame()
        take(game, kind, found, line)
    if game.tags or game.is_begun or game.depth:
        games.append(close(game, text.count("\n") + 1))
    return games


def tokens(text: str) -> Iterator[tuple[str, re.Match[str], int]]:
    """Kind, match and line of each token; one sentence where the text is not PGN."""
    place, line = 0, 1
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            raise BadRecordError(f"line {line}: {unknown_words(text, place)}")
        kind = str(found.lastgroup)
        if kind != "space":
            yield kind, found, line
        line += found[0].count("\n")
        place = found.end()


def unknown_words(text: str, place: int) -> str:
    if text[place] == "{":
        return "a comment is not closed"
    word = text[place : place + 20].split()[0]
    return f'{word!r} is not a tag such as [Event "?"]' if word[0] == "[" else f"{word!r} is not PGN"


def take(game: PgnGame, kind: str, found: re.Match[str], line: int) -> None:
    """Add a token to the game; what stands in a variation is passed over."""
    if kind == "open":
        game.depth += 1
    elif kind == "close":
        game.depth -= 1
        if game.depth < 0:
            raise BadRecordError(f"line {line}: a variation is closed that was not opened")
    elif game.depth:
        return
    elif kind == "value":
        game.tags[found["name"]] = ESCAPE.sub(r"\1", found["value"])
    elif kind == "move":
        game.moves.append(MoveText(found[0].rstrip("!?"), line))
    elif kind == "comment" and game.moves:
        game.moves[-1].comment += found[0].strip("{};")
    elif kind == "result":
        game.result = found[0]


def close(game: PgnGame, line: int) -> PgnGame:
    if game.depth:
        raise BadRecordError(f"line {line}: a variation is not closed")
    return game
