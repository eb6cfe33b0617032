"""Games of Hex as SGF (GM[11]): `B[d4]`, `W[swap-pieces]`; black is the first seat and joins top and bottom.

The dialect of Little Golem is read as well: two letters for a cell (`cd` is c4), `swap`, and moves that begin with W
although it is the player PB who began.
"""

import re

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game, State
from anyzero.games.grid import EMPTY, cell_index, format_grid, parse_grid
from anyzero.games.load import load
from anyzero.records.fields import CONTROL, FORFEIT, RESIGN, RULES, UNFINISHED, BadRecordError, day, pick, read_seed
from anyzero.records.notes import note_of, parse_note
from anyzero.records.record import GameRecord
from anyzero.records.replay import find_start, known, loss_payoffs, play_line, replay, rule_payoffs, start_text
from anyzero.records.sgf_moves import COLOURS, LineText, read_moves
from anyzero.records.sgf_tree import Node, main_lines
from anyzero.views.boards import cell_name

LETTERS = "xo"
GAME_NUMBER = "11"
USUAL_SIZE = "11"
SWAP_RULES = {True: "swap", False: "no swap"}
OWN_PROPERTIES = ("FF", "GM", "CA", "SZ", "RU", "PB", "PW", "DT", "RE", "AB", "AW", "PL", "B", "W", "C", "SEED")
"""Properties of the first node for which a record has a field."""
RESULT = re.compile(r"([BW])(?:\+(.*))?", re.IGNORECASE)
ENDS = {RULES: "", RESIGN: "R", FORFEIT: "F"}
End = tuple[tuple[float, ...] | None, str]
"""Payoffs and termination."""
FAULTS = ("f", "forfeit", "t", "time")


# --- reading


def read_sgf(text: str, number: int | None = None) -> list[GameRecord]:
    """The games of a file, or one of them; one sentence for the first thing that is wrong."""
    return [read_game(nodes, index) for index, nodes in pick(main_lines(text), number)]


def read_game(nodes: list[Node], number: int) -> GameRecord:
    try:
        if not nodes or value(nodes[0], "GM", GAME_NUMBER).strip() != GAME_NUMBER:
            raise BadRecordError("it is not a game of Hex, GM[11]")
        return make_record(nodes[0], read_moves(nodes))
    except AnyzeroError as error:
        raise BadRecordError(f"game {number}: {error}") from None


def value(node: Node, name: str, default: str = "") -> str:
    """A property's value on one line; the first if there are several."""
    return CONTROL.sub(" ", node.get(name, [default])[0])


def make_record(root: Node, found: LineText) -> GameRecord:
    swaps = value(root, "RU", SWAP_RULES["swap" in found.moves]).strip().lower() != SWAP_RULES[False]
    game = load("hex", size=read_size(value(root, "SZ", USUAL_SIZE).strip()), swap=swaps)
    line = play_line(game, find_start(read_start(root, game), game), found.moves)
    payoffs, termination = read_end(value(root, "RE").strip(), found, game, line.states[-1])
    notes = [parse_note(note) for note in found.notes]
    return GameRecord(
        game=game.text,
        rules=game.name,
        options=dict(game.options),
        players=(value(root, "PB", "?"), value(root, "PW", "?")),
        moves=tuple(line.moves),
        start=start_text(line.states[0], game),
        clocks=known(tuple(seconds for seconds, _ in notes)),
        evaluations=known(tuple(evaluation for _, evaluation in notes)),
        payoffs=payoffs,
        termination=termination,
        date=read_day(value(root, "DT").strip()),
        seed=read_seed(value(root, "SEED").strip()),
        tags={name: value(root, name) for name in root if name not in OWN_PROPERTIES} | other_date(root),
    )


def other_date(root: Node) -> dict[str, str]:
    """The date, if it is not a single day."""
    text = value(root, "DT").strip()
    return {} if read_day(text) == text else {"DT": text}


def read_size(text: str) -> int:
    """`13`, or `13:13`."""
    columns, _, rows = text.partition(":")
    if not re.fullmatch("[0-9]{1,3}", columns) or (rows or columns) != columns:
        raise BadRecordError(f"the size {text!r} is not a number of rows and columns")
    return int(columns)


def read_start(root: Node, game: Game) -> str | None:
    """The position that the first node sets up; None: the empty board."""
    if not {"AB", "AW", "PL"} & set(root):
        return None
    size = game.options["size"]
    cells = [EMPTY] * size**2
    for letter, name in zip(LETTERS, ("AB", "AW"), strict=True):
        for point in root.get(name, []):
            try:
                cells[cell_index(point.strip().lower(), size, size)] = letter
            except ValueError as error:
                raise BadRecordError(f"{name}: {error}") from None
    ahead = cells.count(LETTERS[0]) > cells.count(LETTERS[1])
    side = value(root, "PL", COLOURS[ahead]).strip().upper()[:1]
    return f"{format_grid(cells, size, bottom_up=False)} {LETTERS[side == COLOURS[1]]}"


def read_end(result: str, found: LineText, game: Game, last: State) -> End:
    """Payoffs and termination, by the rules, by the last node, or by the property RE; they must not differ."""
    seat, claims = game.seat_to_move(last), list[End]()
    if seat < 0:
        claims.append((rule_payoffs(game, last), RULES))
    elif found.end != UNFINISHED:
        claims.append((loss_payoffs(2, seat), found.end))
    if result.lower() not in ("", "?", "void"):
        claims.append(read_result(result, found))
    if claims and claims[0][0] != claims[-1][0]:
        raise BadRecordError(f"the result {result} does not fit the moves")
    return claims[0] if claims else (None, UNFINISHED)


def read_result(text: str, found: LineText) -> End:
    """Payoffs and termination as RE has them: `B+`, `W+R`, `B+F`, or only the winner's letter."""
    parts = RESULT.fullmatch(text)
    if parts is None:
        raise BadRecordError(f"the result {text!r} is not like B+, W+R or ?")
    winner = COLOURS.index(parts[1].upper()) ^ found.sides_swapped
    return loss_payoffs(2, 1 - winner), FORFEIT if (parts[2] or "").lower() in FAULTS else RESIGN


def read_day(text: str) -> str:
    """The day; nothing if the text is not a single one."""
    try:
        return day("DT", text)
    except BadRecordError:
        return ""


# --- writing


def write_sgf(record: GameRecord) -> str:
    """One game, a line for each move."""
    if record.rules != "hex":
        raise BadRecordError(f"SGF is for Hex, this is a game of {record.rules}; .json is for every game")
    record, game, states, _ = replay(record)
    lines = [node_text(root_of(record))]
    for index, (state, move) in enumerate(zip(states, record.moves, strict=False)):
        node = {COLOURS[game.seat_to_move(state)]: ["swap-pieces" if move == "swap" else move]}
        note = note_of(record.clocks, record.evaluations, index)
        lines.append(node_text({**node, **({"C": [note]} if note else {})}))
    return "\n".join([f"({lines[0]}", *lines[1:], ")", ""])


def root_of(record: GameRecord) -> Node:
    """What is said before the first move."""
    options, (first, second) = record.options, record.players
    root = {"FF": "4", "GM": GAME_NUMBER, "CA": "UTF-8", "SZ": str(options["size"]), "RU": SWAP_RULES[options["swap"]]}
    root |= {"PB": first, "PW": second, "RE": "?"}
    if record.payoffs is not None:
        root["RE"] = f"{COLOURS[record.payoffs[1] > 0]}+{ENDS[record.termination]}"
    root |= {"DT": record.date} if record.date else {}
    root |= {"SEED": str(record.seed)} if record.seed is not None else {}
    root |= {name: text for name, text in record.tags.items() if re.fullmatch("[A-Z]+", name) and name not in root}
    return {**{name: [text] for name, text in root.items()}, **setup_of(record)}


def setup_of(record: GameRecord) -> Node:
    """The stones of the start position and the side to move."""
    if record.start is None:
        return {}
    size, (board, side) = record.options["size"], record.start.split()
    cells = parse_grid(board, size, size, LETTERS, bottom_up=False)
    points = [[cell_name(*divmod(cell, size)) for cell, found in enumerate(cells) if found == one] for one in LETTERS]
    stones = {name: named for name, named in zip(("AB", "AW"), points, strict=True) if named}
    return {**stones, "PL": [COLOURS[LETTERS.index(side)]]}


def node_text(node: Node) -> str:
    texts = {name: "".join(f"[{escape(text)}]" for text in texts) for name, texts in node.items()}
    return ";" + "".join(name + text for name, text in texts.items())


def escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
