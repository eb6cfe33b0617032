"""The games of a match or tournament, as `--record` keeps them: a line that says what is played, then a line a game."""

from typing import Any, NoReturn

from anyzero.files import parse_object
from anyzero.games.game import Game
from anyzero.games.load import split_text
from anyzero.records.fields import FORFEIT, FORMAT, RESIGN, RULES, BadRecordError, pick
from anyzero.records.record import GameRecord
from anyzero.records.replay import load_named

FORM = "anyzero games 1"
ENDS = {"normal": RULES, "resignation": RESIGN}
"""How a game ended that was no forfeit."""


def read_lines(text: str, number: int | None, game: Game | None) -> list[GameRecord]:
    """The finished games of such a file; a last line that is not whole is left out, as when a match goes on."""
    lines = text.split("\n")
    header, games = parse_object(lines[0]), lines[1:-1]
    if header is None or header.get("form") != FORM or not isinstance(header.get("game"), str):
        raise BadRecordError("it is not a record of games")
    game = load_named(header["game"]) if game is None else game
    check_header(header["game"], game)
    return [read_line(line, place, header, game) for place, line in pick(games, number)]


def check_header(text: str, game: Game) -> None:
    """The games must be of this one; a file may have been moved since."""
    (name, options), (own_name, own_options) = split_text(text), split_text(game.text)
    is_same = name == own_name or (name.endswith(".py") and game.is_from_file)
    if not is_same or options != own_options:
        raise BadRecordError(f"the record is of {text}, which is not {game.text}")


def read_line(line: str, number: int, header: dict[str, Any], game: Game) -> GameRecord:
    values = parse_object(line)
    if values is None:
        raise BadRecordError(f"line {number + 1} is not a finished game")
    record = {
        "format": FORMAT,
        "game": header["game"],
        "rules": {"name": game.name, "options": dict(game.options)},
        "players": values.get("players"),
        "seed": header.get("seed"),
        "moves": values.get("moves"),
        "result": {"payoffs": values.get("payoffs"), "termination": ENDS.get(str(values.get("reason")), FORFEIT)},
        "tags": {"Round": str(number), "Termination": str(values.get("reason"))},
    }
    try:
        return GameRecord.from_json(record, game)
    except BadRecordError as error:
        raise BadRecordError(f"game {number}: {error}") from None


def write_lines(record: GameRecord) -> NoReturn:
    raise BadRecordError("matches and tournaments write .jsonl files by --record; a single game goes into a .json file")
