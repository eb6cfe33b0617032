"""The door of `anyzero export`: a game or its net as files for other programs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.errors import BadOptionError
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.networks.find import BEST, find_network
from anyzero.networks.weights import StoredNetwork, read_network
from anyzero.players.text import split_player
from anyzero.report import Part, Sheet, Shown


@dataclass(frozen=True)
class Written:
    """A file that was written, and what is good to know about it."""

    file: Path
    size: int
    note: str


class Exported(Shown, list[Written]):
    """All files of an export."""

    def report(self) -> Iterator[Part]:
        yield Sheet(("file", "bytes", ""), [(written.file, f"{written.size:,}", written.note) for written in self])

    def to_json(self) -> list[dict[str, Any]]:
        return [{"file": str(written.file), "bytes": written.size, "note": written.note} for written in self]


COMPILED, IN_PYTHON = "uct:10000", "uct:200"
"""The players that are exported unless one is named."""


def export(
    game: Game | str | Sequence[Game | str],
    *,
    net: str = BEST,
    player: str | None = None,
    onnx: Path | str | None = None,
    c: Path | str | None = None,
    wasm: Path | str | None = None,
    web: Path | str | None = None,
    bot: Path | str | None = None,
    max_characters: int | None = None,
) -> Exported:
    """Write a game and its net for other programs.

    `onnx` is a file for the net `net`: a run, a file, or `best` for the one in the package. `c` and `wasm` are folders
    for the rules and the search `player`, as an object file with a header or as WebAssembly with JavaScript. `web` is a
    folder for the page with a game or several, to be played without a server; a net `none` leaves nets out. `bot` is a
    file of Python that plays as `player` does, of at most `max_characters`.

    >>> export("connect_four", onnx="connect_four.onnx", c="in_c")
    """
    games = [
        load(each) if isinstance(each, str) else each for each in ([game] if isinstance(game, Game | str) else game)
    ]
    if (onnx, c, wasm, web, bot) == (None,) * 5:
        raise BadOptionError("there is nothing to export: say what, as in --onnx FILE, --bot FILE.py or --web FOLDER")
    if len(games) > 1 and (onnx, c, wasm, bot) != (None,) * 4:
        raise BadOptionError("several games go into a folder for the web alone")
    first, written = games[0], [] if web is None else _write_web(Path(web), games, net)
    written += [] if onnx is None else [_write_onnx(Path(onnx), first, net)]
    written += [] if c is None else _write_c(Path(c), first, player or COMPILED)
    written += [] if wasm is None else _write_wasm(Path(wasm), first, player or COMPILED)
    written += [] if bot is None else [_write_bot(Path(bot), first, player or IN_PYTHON, max_characters)]
    return Exported(written)


def network_for(game: Game, net: str) -> StoredNetwork:
    """The net of this name."""
    if game.num_values > 1:
        raise BadOptionError(
            f"{game.name} has a value for each seat: nets are exported with one, for games of two seats"
        )
    name = net.removeprefix("@")
    return read_network(find_network(name, game), game)


def _write_onnx(path: Path, game: Game, net: str) -> Written:
    from anyzero.export.onnx import export_onnx

    size = export_onnx(path, network_for(game, net), game)
    return Written(path, size, "planes in, logits and value out; its metadata says what they mean")


def _write_c(folder: Path, game: Game, player: str) -> list[Written]:
    from anyzero.export.c import export_c

    return [Written(path, path.stat().st_size, note) for path, note in export_c(folder, game, player)]


def _write_wasm(folder: Path, game: Game, player: str) -> list[Written]:
    from anyzero.export.wasm import export_wasm

    return [Written(path, path.stat().st_size, note) for path, note in export_wasm(folder, game, player)]


def _write_web(folder: Path, games: list[Game], net: str) -> list[Written]:
    """The page, a line a game: a list of all files would be long."""
    from anyzero.export.web import export_web

    return [Written(path, size, note) for path, size, note in export_web(folder, games, net)]


def _write_bot(path: Path, game: Game, player: str, max_characters: int | None) -> Written:
    from anyzero.export.bot import export_bot

    net = split_player(player).in_game(game).network
    note = export_bot(path, game, player, network_for(game, net) if net else None, max_characters)
    return Written(path, path.stat().st_size, note)
