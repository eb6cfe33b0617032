"""Games of chess as PGN: comments, glyphs and variations are passed over, and what is written reads back the same.

Two tags are our own: `After` (the moves before the position of the tag FEN, which count for repetitions) and `Seed`.
"""

import re

from anyzero.errors import AnyzeroError
from anyzero.games.chess_text import format_san
from anyzero.games.game import Game, State
from anyzero.games.load import load
from anyzero.records.fields import (
    AGREEMENT,
    CONTROL,
    FORFEIT,
    RESIGN,
    RULES,
    UNFINISHED,
    BadRecordError,
    day,
    pick,
    read_seed,
)
from anyzero.records.notes import note_of, parse_note
from anyzero.records.pgn_tokens import PgnGame, split_games
from anyzero.records.record import GameRecord
from anyzero.records.replay import Played, find_start, known, play_line, replay, rule_payoffs, start_text

PAYOFFS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}
RESULTS = {payoffs: text for text, payoffs in PAYOFFS.items()}
UNDECIDED = "*"
ENDS = {RULES: "normal", RESIGN: "normal", AGREEMENT: "normal", FORFEIT: "rules infraction", UNFINISHED: "unterminated"}
"""What the tag Termination says."""
NOBODYS_FAULT = ("normal", "adjudication", "unterminated", "")
UNKNOWN = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"}
ROSTER = (*UNKNOWN, "White", "Black", "Result")
"""The tags that every game has, in their order."""
OWN_TAGS = ("White", "Black", "Result", "FEN", "SetUp", "After", "Seed")
"""Tags for which a record has a field."""
STANDARD = ("standard", "chess", "normal", "from position", "")
WIDTH = 79


# --- reading


def read_pgn(text: str, number: int | None = None) -> list[GameRecord]:
    """The games of a file, or one of them; one sentence for the first thing that is wrong."""
    game = load("chess")
    return [read_game(game, found, index) for index, found in pick(split_games(text), number)]


def read_game(game: Game, found: PgnGame, number: int) -> GameRecord:
    try:
        if found.tags.get("Variant", "").lower() not in STANDARD:
            raise BadRecordError(f"the variant {found.tags['Variant']!r} is not chess as it is played here")
        start = find_start(read_start(found.tags), game)
        words = [
            move.text if "O" in move.text or "0" in move.text else move.text.replace("-", "") for move in found.moves
        ]
        line = play_line(game, start, words, [f"line {move.line}" for move in found.moves])
        return make_record(game, found, line)
    except AnyzeroError as error:
        raise BadRecordError(f"game {number}: {error}") from None


def make_record(game: Game, found: PgnGame, line: Played) -> GameRecord:
    facts = {name: CONTROL.sub(" ", text) for name, text in found.tags.items()}
    tags = {name: text for name, text in facts.items() if name not in OWN_TAGS and UNKNOWN.get(name) != text}
    payoffs, termination = read_end(found, game, line.states[-1])
    if tags.get("Termination", "").lower() in ("", ENDS[termination]):
        tags.pop("Termination", None)
    notes = [parse_note(move.comment) for move in found.moves]
    return GameRecord(
        game=game.text,
        rules=game.name,
        options=dict(game.options),
        players=(facts.get("White", "?"), facts.get("Black", "?")),
        moves=tuple(line.moves),
        start=start_text(line.states[0], game),
        clocks=known(tuple(seconds for seconds, _ in notes)),
        evaluations=known(tuple(evaluation for _, evaluation in notes)),
        payoffs=payoffs,
        termination=termination,
        date=take_day(tags),
        seed=read_seed(found.tags.get("Seed", "")),
        tags=tags,
    )


def read_start(tags: dict[str, str]) -> str | None:
    """The position that the tags name; None: the initial one."""
    if "FEN" not in tags:
        return None
    return f"{tags['FEN']} after {tags['After']}" if "After" in tags else tags["FEN"]


def read_end(found: PgnGame, game: Game, last: State) -> tuple[tuple[float, ...] | None, str]:
    """Payoffs and termination; the result at the end of the moves and the one of the tag must not differ."""
    written = {
        result for result in (found.result, found.tags.get("Result")) if result not in (None, "", "?", UNDECIDED)
    }
    for result in sorted(map(str, written - set(PAYOFFS))):
        raise BadRecordError(f"the result {result!r} is not one of {', '.join(PAYOFFS)}, *")
    if len(written) > 1:
        raise BadRecordError(f"its results differ: {' and '.join(sorted(map(str, written)))}")
    payoffs = PAYOFFS[str(written.pop())] if written else None
    if game.is_over(last):
        end = rule_payoffs(game, last)
        if payoffs not in (None, end):
            raise BadRecordError(f"the result is {RESULTS[payoffs]}, but by the rules it is {RESULTS[end]}")  # type: ignore[index]
        return end, RULES
    if payoffs is None:
        return None, UNFINISHED
    if payoffs == PAYOFFS["1/2-1/2"]:
        return payoffs, AGREEMENT
    return payoffs, RESIGN if found.tags.get("Termination", "").lower() in NOBODYS_FAULT else FORFEIT


def take_day(tags: dict[str, str]) -> str:
    """The day of the tag Date, taken out of the tags; a date that is not complete stays there."""
    try:
        found = day("Date", tags.get("Date", "").replace(".", "-"))
    except BadRecordError:
        return ""
    tags.pop("Date", None)
    return found


# --- writing


def write_pgn(record: GameRecord) -> str:
    """One game, ended by an empty line."""
    if record.rules != "chess":
        raise BadRecordError(f"PGN is for chess, this is a game of {record.rules}; .json is for every game")
    record, game, states, actions = replay(record)
    result = UNDECIDED if record.payoffs is None else RESULTS[record.payoffs]  # type: ignore[index]
    words: list[str] = []
    for index, (state, action) in enumerate(zip(states, actions, strict=False)):
        number, note = int(state.move_number), note_of(record.clocks, record.evaluations, index)
        if state.mover == 0 or index == 0 or words[-1].endswith("}"):
            words.append(f"{number}." if state.mover == 0 else f"{number}...")
        words += [format_san(game.rules, state, action), *([f"{{{note}}}"] if note else [])]
    return "\n".join([*tag_lines(record, result), "", *wrap([*words, result]), "", ""])


def tag_lines(record: GameRecord, result: str) -> list[str]:
    fen, _, after = (record.start or "").partition(" after ")
    tags = {**UNKNOWN, "White": record.players[0], "Black": record.players[1], "Result": result}
    tags |= {"Date": record.date.replace("-", ".")} if record.date else {}
    tags |= {"SetUp": "1", "FEN": fen} if fen else {}
    tags |= {"After": after} if after else {}
    tags |= {"Seed": str(record.seed)} if record.seed is not None else {}
    tags |= {"Termination": ENDS[record.termination]}
    tags |= {name: text for name, text in record.tags.items() if re.fullmatch("[A-Za-z0-9_]+", name)}
    escaped = {name: text.replace("\\", "\\\\").replace('"', '\\"') for name, text in tags.items()}
    return [f'[{name} "{text}"]' for name, text in escaped.items()]


def wrap(words: list[str]) -> list[str]:
    """The words on lines of at most so many letters, as far as they let themselves."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines
