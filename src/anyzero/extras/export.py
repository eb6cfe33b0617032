"""The public function `export`: a game or its net as files for other programs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.extras import find
from anyzero.core.base.files import write_whole
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.game.game import Game
from anyzero.core.game.guard import told
from anyzero.core.game.load import as_game
from anyzero.core.learning.find import BEST, find_network
from anyzero.core.nets.weights import StoredNetwork, read_network
from anyzero.tools.players.text import network_path, split_player


class Written(NamedTuple):
    """A written file, with a note about it."""

    file: Path
    size: int
    note: str


class Exported(Shown, list[Written]):
    def add(self, *files: tuple[Path, str]) -> None:
        self += [Written(path, path.stat().st_size, note) for path, note in files]

    def report(self) -> Iterator[Part]:
        yield Sheet(("file", "bytes", ""), [(file, f"{size:,}", note) for file, size, note in self])

    def to_json(self) -> list[Values]:
        return [{"file": str(file), "bytes": size, "note": note} for file, size, note in self]


# the players exported by default
COMPILED = "uct:10000"
IN_PYTHON = "uct:200"


def export(
    game: Game | str | Sequence[Game | str],
    *,
    net: str | None = None,
    player: str | None = None,
    onnx: Path | str | None = None,
    c: Path | str | None = None,
    wasm: Path | str | None = None,
    web: Path | str | None = None,
    bot: Path | str | None = None,
    max_characters: int | None = None,
) -> Exported:
    """Write a game and its net for other programs.

    `onnx` is a file for the net `net`: a run, a file, or by default the one in the package. `c` and
    `wasm` are folders for the rules and the search `player`, as an object file with a header or as
    WebAssembly with JavaScript. `web` is a folder for the page with a game or several, to be played
    without a server; a net `none` leaves nets out. `bot` is a file of Python that plays as `player`
    does, of at most `max_characters`.

    >>> export("connect_four", onnx="connect_four.onnx", c="in_c")
    """
    games = [as_game(each) for each in ([game] if isinstance(game, Game | str) else game)]
    if (onnx, c, wasm, web, bot) == (None,) * 5:
        raise BadOptionError(
            "nothing to export: name a target, such as --onnx FILE, --bot FILE.py or --web FOLDER"
        )
    if len(games) > 1 and (onnx, c, wasm, bot) != (None,) * 4:
        raise BadOptionError("several games can only be exported with --web")
    check_export_target("net", net, "--onnx or --web", onnx, web)
    check_export_target("player", player, "--bot, --c or --wasm", bot, c, wasm)
    check_export_target("max-characters", max_characters, "--bot", bot)
    first = games[0]
    net = net or BEST
    written = Exported()
    if web is not None:
        export_web = find("browser").exporter("web")
        # one line per game, not per file
        written += [Written(*each) for each in export_web(Path(web), games, net)]
    if onnx is not None:
        export_onnx = find("browser").exporter("onnx")
        written.add((Path(onnx), export_onnx(Path(onnx), network_for(first, net), first)))
    with told(first):
        if c is not None:
            written.add(*find("browser").exporter("c")(Path(c), first, player or COMPILED))
        if wasm is not None:
            written.add(*find("browser").exporter("wasm")(Path(wasm), first, player or COMPILED))
        if bot is not None:
            written.add(export_bot(Path(bot), first, player or IN_PYTHON, max_characters))
    return written


def export_bot(path: Path, game: Game, player: str, max_characters: int | None) -> tuple[Path, str]:
    """Write a file of Python that plays as this player does; returns it with a note."""
    player_text = split_player(player).in_game(game)
    network = None
    if player_text.network:
        network = network_for(game, str(network_path(player_text, game)))
    text, note = find("bots").make_bot(game, player, network, max_characters)
    write_whole(path, text.encode())
    return path, note


def check_export_target(name: str, value: Any, targets: str, *files: Any) -> None:
    """BadOptionError for an option that applies to none of the written targets."""
    if value is not None and files == (None,) * len(files):
        raise BadOptionError(f"--{name} does nothing here: it is for {targets}")


def network_for(game: Game, net: str) -> StoredNetwork:
    if game.num_values > 1:
        why = "nets are exported with one, for games of two seats"
        raise BadOptionError(f"{game.name} has a value for each seat: {why}")
    return read_network(find_network(net.removeprefix("@"), game), game)
