"""Hex games as SGF (GM[11]): `B[d4]`, `W[swap-pieces]`; black is the first seat and connects top
and bottom.

The dialect of Little Golem is also read: two letters for a cell (`cd` is c4), `swap`, and moves
that begin with W although player PB began.
"""

import re
from functools import partial
from typing import NamedTuple

from anyzero.app.records.in_progress import GameInProgress, replay_record
from anyzero.app.records.pgn import CONTROL, Unread, format_note, parse_note, read_seed
from anyzero.app.records.record import BadRecordError, GameRecord, read_day, within
from anyzero.core.base.cells import LETTERS, cell_name
from anyzero.core.base.errors import list_some
from anyzero.core.game.game import Game
from anyzero.core.game.load import games_with, load
from anyzero.core.game.play import FAULTS, Reason, loss_payoffs
from anyzero.games.grid import EMPTY, cell_index, format_grid, parse_grid

Node = dict[str, list[str]]  # the values of each property

COLOURS = "BW"
STONES = "xo"
USUAL_SIZE = "11"
SWAP_RULES = {True: "swap", False: "no swap"}
SWAPS = ("swap", "swap-pieces")
LAST_MOVES = {"resign": Reason.RESIGNATION, "forfeit": Reason.FORFEIT}
OWN_PROPERTIES = (
    "FF",
    "GM",
    "CA",
    "SZ",
    "RU",
    "PB",
    "PW",
    "RE",
    "AB",
    "AW",
    "PL",
    "B",
    "W",
    "C",
    "SEED",
)
"""Properties of the first node that are stored in a record's own fields."""
RESULT = re.compile(r"([BW])(?:\+(.*))?", re.IGNORECASE)
REASON_WORDS = {Reason.RULES: "", Reason.RESIGNATION: "R", **dict.fromkeys(FAULTS, "F")}
DRAWS = ("0", "draw")  # Hex has no draws by its rules, but two players may agree on one
FAULT_WORDS = ("f", "forfeit", "t", "time")
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\\\]]|\\.)*)\])\s*", re.DOTALL)
ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)


# --- parsing


def main_lines(text: str) -> list[list[Node]]:
    """The nodes of each game's main line; an error if the text is not SGF."""
    games: list[list[Node]] = []
    place = len(text) - len(text.lstrip())
    open_trees: list[bool] = []
    """For each open tree, whether a variation of it has been closed: what follows is skipped."""
    name = ""
    node: Node | None = None
    while place < len(text):
        token = TOKEN.match(text, place)
        try:
            if token is None:
                raise BadRecordError(f"{text[place : place + 20]!r} is not SGF")
            sign, word, value = token.groups()
            if sign == "(":
                if open_trees and node is None:
                    raise BadRecordError("a variation stands before the first node")
                games += [] if open_trees else [list[Node]()]
                open_trees.append(False)
                name = ""
                node = None
            elif not open_trees:
                raise BadRecordError(f"{token[0].strip()[:20]!r} stands outside of a game")
            elif sign == ")":
                open_trees.pop()
                open_trees[-1:] = [True] * len(open_trees[-1:])
                node = {}
            elif sign == ";":
                name = ""
                node = {}
                games[-1] += [] if any(open_trees) else [node]
            elif node is None:
                raise BadRecordError(f"{token[0].strip()[:20]!r} stands before the first node")
            elif word:
                name = "".join(letter for letter in word if letter.isupper())
            elif not name:
                raise BadRecordError(f"{value[:20]!r} belongs to no property")
            else:
                # a backslash escapes the next character, and removes a line break
                unescaped = ESCAPE.sub(lambda kept: "" if kept[1][0] in "\r\n" else kept[1], value)
                node.setdefault(name, []).append(unescaped)
        except BadRecordError as error:
            raise BadRecordError(f"line {text.count(chr(10), 0, place) + 1}: {error}") from None
        place = token.end()
    if open_trees:
        raise BadRecordError("a game is not closed")
    return games


class LineText(NamedTuple):
    """The content of a main line: moves, their notes, and how its last node ended the game."""

    moves: list[str]
    notes: list[str]
    end: Reason


def read_moves(nodes: list[Node]) -> LineText:
    """The moves of all nodes; colours must alternate, and black begins except in files of Little
    Golem.
    """
    moves = list[str]()
    notes = list[str]()
    colours = list[str]()
    end = Reason.UNFINISHED
    lettered = False
    for node in nodes:
        if node is not nodes[0] and {"AB", "AW", "AE", "PL"} & set(node):
            raise BadRecordError("stones are set up in the middle of the game")
        placed = [(colour, text) for colour in COLOURS for text in node.get(colour, [])]
        for colour, written in placed:
            text = written.strip().lower()
            if end is not Reason.UNFINISHED:
                raise BadRecordError(f"{text!r} comes after the end of the game")
            if text in LAST_MOVES:
                end = LAST_MOVES[text]
                continue
            if re.fullmatch("[a-z]{2}", text):  # Little Golem's notation of cells
                text = cell_name(LETTERS.index(text[1]), LETTERS.index(text[0]))
                lettered = True
            if colours and colour == colours[-1]:
                raise BadRecordError(f"move {len(moves) + 1}: {colour} moves twice in a row")
            colours.append(colour)
            moves.append("swap" if text in SWAPS else text)
            notes.append(" ".join(node.get("C", [])))
    first = side_to_begin(nodes[0])
    if colours and colours[0] != first and not lettered:
        raise BadRecordError(f"{colours[0]} makes the first move, not {first}")
    return LineText(moves, notes, end)


def side_to_begin(root: Node) -> str:
    ahead = len(root.get("AB", [])) > len(root.get("AW", []))
    return value(root, "PL", COLOURS[ahead]).strip().upper()[:1]


# --- reading


def read_sgf(text: str) -> list[Unread]:
    return [
        partial(read_sgf_game, nodes, number)
        for number, nodes in enumerate(main_lines(text), start=1)
    ]


def read_sgf_game(nodes: list[Node], number: int) -> GameRecord:
    with within(f"game {number}"):
        root = nodes[0] if nodes else {}
        name = game_of_number(value(root, "GM").strip()) if nodes else ""
        if not name:
            games = [f"{game.title}, GM[{game.facts.sgf}]" for game in games_with("sgf")]
            raise BadRecordError(f"it is not a game of {list_some(games)}")
        line = read_moves(nodes)
        swaps = (
            value(root, "RU", SWAP_RULES["swap" in line.moves]).strip().lower() != SWAP_RULES[False]
        )
        game = load(name, size=read_size(value(root, "SZ", USUAL_SIZE).strip()), swap=swaps)
        table = GameInProgress.played(
            game, read_start(root, game), line.moves, [*map(parse_note, line.notes)]
        )
        end_sgf_game(value(root, "RE").strip(), line.end, table)
        date = value(root, "DT").strip()
        table.seed = read_seed(value(root, "SEED").strip())
        read_names = OWN_PROPERTIES if read_day(date) != date else (*OWN_PROPERTIES, "DT")
        table.tags = {name: value(root, name) for name in root if name not in read_names}
        table.players = (value(root, "PB", "?"), value(root, "PW", "?"))
        table.date = read_day(date)
        return table.to_record()


def game_of_number(number: str) -> str:
    """The name of the game with this number, by default the first; empty if there is none."""
    games = (game for game in games_with("sgf") if number in ("", str(game.facts.sgf)))
    return next((game.name for game in games), "")


def value(node: Node, name: str, default: str = "") -> str:
    """A property's value on one line; the first if there are several."""
    return CONTROL.sub(" ", node.get(name, [default])[0])


def read_size(text: str) -> int:
    """`13`, or `13:13`."""
    columns, _, rows = text.partition(":")
    if not re.fullmatch("[0-9]{1,3}", columns) or (rows or columns) != columns:
        raise BadRecordError(f"the size {text!r} is not a number of rows and columns")
    return int(columns)


def read_start(root: Node, game: Game) -> str | None:
    """The position set up by the first node; None: the empty board."""
    if not {"AB", "AW", "PL"} & set(root):
        return None
    size = game.options["size"]
    cells = [EMPTY] * size**2
    for stone, name in zip(STONES, ("AB", "AW"), strict=True):
        for point in root.get(name, []):
            try:
                cells[cell_index(point.strip().lower(), size, size)] = stone
            except ValueError as error:
                raise BadRecordError(f"{name}: {error}") from None
    return (
        f"{format_grid(cells, size, bottom_up=False)} {STONES[side_to_begin(root) == COLOURS[1]]}"
    )


def end_sgf_game(result: str, last_move: Reason, table: GameInProgress) -> None:
    """How it ended: by the rules, the last node, or the property RE: `B+`, `W+R`, only the winner's
    letter, or `0`.
    """
    if last_move is not Reason.UNFINISHED and not table.is_over:
        table.declare(last_move)
    if result.lower() in ("", "?", "void"):
        return
    drawn = result.lower() in DRAWS
    parts = RESULT.fullmatch(result)
    if parts is None and not drawn:
        raise BadRecordError(f"the result {result!r} is not like B+, W+R, 0 or ?")
    loser = 0 if parts is None else 1 - COLOURS.index(parts[1].upper())
    if not table.is_over:
        is_fault = parts is not None and (parts[2] or "").lower() in FAULT_WORDS
        reason = Reason.FORFEIT if is_fault else Reason.RESIGNATION
        table.declare(Reason.AGREEMENT if drawn else reason, loser)
    if table.payoffs != ((0.0, 0.0) if drawn else loss_payoffs(2, loser)):
        raise BadRecordError(f"the result {result} does not fit the moves")


# --- writing


def write_sgf(record: GameRecord) -> str:
    games = {game.name: game for game in games_with("sgf")}
    if record.rules.name not in games:
        titles = list_some([game.title for game in games.values()])
        raise BadRecordError(
            f"SGF is for {titles}, this is a game of {record.rules.name}; .json is for every game"
        )
    table = replay_record(record)
    lines = [node_text(root_node(record, games[record.rules.name].facts.sgf, table.end.reason))]
    for _, ply in table.steps():
        node = {COLOURS[ply.seat]: ["swap-pieces" if ply.move == "swap" else ply.move]}
        note = format_note(ply)
        lines.append(node_text({**node, **({"C": [note]} if note else {})}))
    return "\n".join([f"({lines[0]}", *lines[1:], ")", ""])


def root_node(record: GameRecord, number: int, reason: Reason) -> Node:
    size = str(record.rules.options["size"])
    swap = bool(record.rules.options["swap"])
    root = {
        "FF": "4",
        "GM": str(number),
        "CA": "UTF-8",
        "SZ": size,
        "RU": SWAP_RULES[swap],
        "PB": record.players[0],
        "PW": record.players[1],
        "RE": "?",
    }
    if reason is Reason.AGREEMENT:
        root["RE"] = DRAWS[0]
    elif record.payoffs is not None:
        root["RE"] = f"{COLOURS[record.payoffs[1] > 0]}+{REASON_WORDS[reason]}"
    if record.date:
        root["DT"] = record.date
    if record.seed is not None:
        root["SEED"] = str(record.seed)
    for name, text in record.tags.items():
        if re.fullmatch("[A-Z]+", name) and name not in (*root, *OWN_PROPERTIES):
            root[name] = text
    return {**{name: [text] for name, text in root.items()}, **setup_of(record)}


def setup_of(record: GameRecord) -> Node:
    if record.start is None:
        return {}
    size, (board, side) = int(record.rules.options["size"]), record.start.split()
    cells = parse_grid(board, size, size, STONES, bottom_up=False)
    points = [
        [cell_name(*divmod(cell, size)) for cell, content in enumerate(cells) if content == stone]
        for stone in STONES
    ]
    stones = {name: named for name, named in zip(("AB", "AW"), points, strict=True) if named}
    return {**stones, "PL": [COLOURS[STONES.index(side)]]}


def node_text(node: Node) -> str:
    escaped = {
        name: [text.replace("\\", "\\\\").replace("]", "\\]") for text in texts]
        for name, texts in node.items()
    }
    return ";" + "".join(
        name + "".join(f"[{text}]" for text in texts) for name, texts in escaped.items()
    )
