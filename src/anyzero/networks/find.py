"""From a name to a network's file: `gumbel:64@hex7` plays the champion of the run hex7."""

import sys
from pathlib import Path

from anyzero.errors import UnknownNameError, list_some, nearest_hint
from anyzero.files import is_file
from anyzero.games.game import Game
from anyzero.networks.box import BEST, best_network
from anyzero.networks.manifest import CHAMPION, GENERATIONS, NETWORK, champion_file, network_file
from anyzero.schema import show

RUNS, MODELS = Path("runs"), Path("models")
SUFFIX = ".safetensors"
MOST_DIGITS = 9
"""Of a generation's number."""


def find_network(name: str, game: Game | None = None) -> Path:
    """The file of a run's champion (`hex7`, `runs/hex7`), of one of its generations (`hex7/12`), or the file itself.

    What a run wrote is compared with its manifest. Where the game is known, `best` is its net in the box.
    """
    name = name.strip()
    if name == BEST and game is not None:
        return best_network(game)
    for path in _possible_files(name):
        if is_file(path):
            return _as_the_run_wrote_it(path)
    known = known_names()
    hint = nearest_hint(name, known)
    listed = f"known: {list_some(known)}" if known else "no run and no model is here"
    raise UnknownNameError(f"there is no network {show(name)}; {hint}{listed}; a path to a {SUFFIX} file will do too")


def _possible_files(name: str) -> list[Path]:
    """Where the network may be, the likeliest first."""
    found = [Path(name)] if name.endswith(SUFFIX) else []
    for folder in (RUNS / name, Path(name)):
        found.append(folder / CHAMPION)
    head, _, tail = name.rpartition("/")
    if head and tail.isascii() and tail.isdigit() and len(tail) <= MOST_DIGITS:
        for folder in (RUNS / head, Path(head)):
            found.append(folder / GENERATIONS / f"{int(tail):04d}" / NETWORK)
    return [*found, MODELS / f"{name}{SUFFIX}"]


def _as_the_run_wrote_it(path: Path) -> Path:
    """The file, or one with the bytes that it should have; DamagedError if there is none."""
    number, generations = path.parent.name, path.parent.parent
    found = path
    if path.name == CHAMPION:
        found = champion_file(path.parent)
    elif path.name == NETWORK and number.isdecimal() and generations.name == GENERATIONS:
        found = network_file(generations.parent, int(number))
    if found != path:
        print(f"anyzero: {path} is not what the run wrote; {found}, which is, stands in for it", file=sys.stderr)
    return found


def known_names() -> list[str]:
    """Runs with a champion, and models."""
    runs = [path.parent.name for path in sorted(RUNS.glob(f"*/{CHAMPION}"))]
    return runs + [path.stem for path in sorted(MODELS.glob(f"*{SUFFIX}"))]
