"""A game to start from: a file that plays, trains and is drawn as it is, and a test beside it."""

from pathlib import Path

from anyzero.errors import AnyzeroError, UnknownNameError, list_some, nearest_hint
from anyzero.files import write_whole
from anyzero.games.load import load

KINDS = ("placing", "moving", "dice")
STARTS = Path(__file__).parent / "starts"


def start_game(file: Path | str, kind: str = "placing") -> list[Path]:
    """Write a game of this kind and its test; AnyzeroError where a file is there already."""
    path = Path(file)
    if kind not in KINDS:
        raise UnknownNameError(f"there is no kind {kind!r}; {nearest_hint(kind, KINDS)}known: {list_some(KINDS)}")
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise AnyzeroError(f"{file!s} is no name for a game: letters, digits and _ with .py behind, like my_game.py")
    written = [path, path.with_name(f"test_{path.name}")]
    for one in written:
        if one.exists():
            raise AnyzeroError(f"{one} is there already, and nothing is written over")
    names = {"MY_GAME": path.stem, "MY_TITLE": path.stem.replace("_", " ").capitalize()}
    write_whole(path, fill_in(kind, names).encode())
    game = load(str(path.resolve()))
    moves = [game.format_action(game.initial_state(), action) for action in game.legal_actions(game.initial_state())]
    write_whole(written[1], fill_in("test", {**names, "MY_MOVES": " ".join(moves)}).encode())
    return written


def fill_in(name: str, words: dict[str, str]) -> str:
    text = (STARTS / f"{name}.txt").read_text(encoding="utf-8")
    for word, stands_for in words.items():
        text = text.replace(word, stands_for)
    return text
