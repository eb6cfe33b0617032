"""From a name to a network's file: `gumbel:64@hex7` plays the champion of the run hex7, `@best` the
bundled net.
"""

import hashlib
import sys
import tomllib
from pathlib import Path

from anyzero.core.base.errors import UnknownNameError, list_some, unknown_name
from anyzero.core.base.files import is_file, reading
from anyzero.core.base.sealed import DamagedError
from anyzero.core.game.game import Game
from anyzero.core.learning.manifest import CHAMPION, GENERATIONS, NETWORK, Generations

BEST = "best"
RUNS = Path("runs")
MODELS = Path("models")
SUFFIX = ".safetensors"
FOLDER = Path(__file__).parents[2] / "games" / "nets"
"""The bundled nets: one per game, beside its card. Their weights are 16-bit numbers."""
HASH_DIGITS = 12
MOST_DIGITS = 9  # of a generation number
COPIES: dict[str, str] = {}
"""In a process of a match: the files to read instead, by name, the same for all its processes."""


def find_network(name: str, game: Game | None = None) -> Path:
    """The file of a run's champion (`hex7`, `runs/hex7`), of one of its generations (`hex7/12`), or
    the file itself.

    Files of a run are checked against its manifest. If the game is known, `best` is its bundled
    net.
    """
    name = name.strip()
    if name in COPIES:
        return Path(COPIES[name])
    if name == BEST and game is not None:
        return best_network(game)
    for path in _possible_files(name):
        if is_file(path):
            return _as_the_run_wrote_it(path)
    more = f"; a path to a {SUFFIX} file works too"
    names = [BEST] * (name != BEST) + known_names()
    raise unknown_name("network", name, names, more, none="there are no runs or models here")


def _possible_files(name: str) -> list[Path]:
    """Possible paths of the network, likeliest first."""
    paths = [Path(name)] if name.endswith(SUFFIX) else []
    paths += [folder / CHAMPION for folder in (RUNS / name, Path(name))]
    head, _, tail = name.rpartition("/")
    if head and tail.isascii() and tail.isdigit() and len(tail) <= MOST_DIGITS:
        folders = RUNS / head, Path(head)
        paths += [Generations(folder).generation_path(int(tail)) / NETWORK for folder in folders]
    return [*paths, MODELS / f"{name}{SUFFIX}"]


def _as_the_run_wrote_it(path: Path) -> Path:
    """The file, or another with the bytes it should have; DamagedError if there is none."""
    number = path.parent.name
    generations = path.parent.parent
    intact = path
    if path.name == CHAMPION:
        intact = Generations(path.parent).champion_file()
    elif path.name == NETWORK and number.isdecimal() and generations.name == GENERATIONS:
        intact = Generations(generations.parent).network(int(number))
    if intact != path:
        print(f"anyzero: {path} is not what the run wrote; using {intact} instead", file=sys.stderr)
    return intact


def known_names() -> list[str]:
    runs = [path.parent.name for path in sorted(RUNS.glob(f"*/{CHAMPION}"))]
    return runs + [path.stem for path in sorted(MODELS.glob(f"*{SUFFIX}"))]


# --- the bundled nets


def net_file(name: str) -> Path:
    return FOLDER / f"{name}{SUFFIX}"


def best_network(game: Game) -> Path:
    """The bundled net for this game, with the hash that its card says; what else the card says is
    not read here.
    """
    path = net_file(game.name)
    card = path.with_suffix(".toml")
    if not card.is_file():
        names = sorted(file.stem for file in FOLDER.glob("*.toml"))
        raise UnknownNameError(f"there is no bundled net for {game.name}; nets: {list_some(names)}")
    if hash_of(path) != _described_hash(card):
        raise DamagedError(f"{path} is not the net that its card describes; reinstall anyzero")
    return path


def _described_hash(card: Path) -> object:
    try:
        with reading(card):
            return tomllib.loads(card.read_text(encoding="utf-8")).get("network")
    except ValueError:  # no TOML, or no text
        return None


def hash_of(path: Path) -> str:
    """The hash by which a card or a record identifies a net."""
    with reading(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()[:HASH_DIGITS]
