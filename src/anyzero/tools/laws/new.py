"""Templates for new games, each with a test."""

from pathlib import Path

from anyzero.core.base.errors import BadOptionError, check_name
from anyzero.core.base.files import write_whole
from anyzero.core.game.load import load

START_KINDS = ("placing", "moving", "dice")
STARTS = Path(__file__).parent / "starts"


def start_game(file: Path | str, kind: str = "placing") -> list[Path]:
    """Write a game of this kind and its test; BadOptionError if a file already exists."""
    path = Path(file)
    check_name("kind", kind, START_KINDS)
    if path.suffix != ".py" or not (path.stem.isascii() and path.stem.isidentifier()):
        raise BadOptionError(
            f"{file} is not a name for a game: use letters, digits and _ before .py, like "
            "my_game.py"
        )
    files = [path, path.with_name(f"test_{path.name}")]
    for place in files:
        if place.exists():
            raise BadOptionError(f"{place} exists already, and nothing is overwritten")
    names = {"MY_GAME": path.stem, "MY_TITLE": path.stem.replace("_", " ").capitalize()}
    write_whole(path, fill_template(kind, names).encode())
    game = load(str(path.resolve()))
    moves = " ".join(game.legal_moves(game.initial_state()))
    write_whole(files[1], fill_template("test", {**names, "MY_MOVES": moves}).encode())
    return files


def fill_template(name: str, words: dict[str, str]) -> str:
    text = (STARTS / f"{name}.txt").read_text(encoding="utf-8")
    for word, stands_for in words.items():
        text = text.replace(word, stands_for)
    return text
