"""From a name to a network's file: `gumbel:64@hex7` plays the champion of the run hex7."""

from pathlib import Path

from anyzero.errors import UnknownNameError, list_some, nearest_hint
from anyzero.files import is_file

RUNS, MODELS = Path("runs"), Path("models")
CHAMPION, SUFFIX = "champion.safetensors", ".safetensors"


def find_network(name: str) -> Path:
    """The file of a run's champion (`hex7`, `runs/hex7`), of one of its generations (`hex7/12`), or the file itself."""
    name = name.strip()
    for path in _possible_files(name):
        if is_file(path):
            return path
    known = known_names()
    hint = nearest_hint(name, known)
    listed = f"known: {list_some(known)}" if known else "no run and no model is here"
    raise UnknownNameError(f"there is no network {name!r}; {hint}{listed}; a path to a {SUFFIX} file will do too")


def _possible_files(name: str) -> list[Path]:
    """Where the network may be, the likeliest first."""
    found = [Path(name)] if name.endswith(SUFFIX) else []
    for folder in (RUNS / name, Path(name)):
        found.append(folder / CHAMPION)
    head, _, tail = name.rpartition("/")
    if head and tail.isascii() and tail.isdigit():
        for folder in (RUNS / head, Path(head)):
            found.append(folder / "generations" / f"{int(tail):04d}" / "network.safetensors")
    return [*found, MODELS / f"{name}{SUFFIX}"]


def known_names() -> list[str]:
    """Runs with a champion, and models."""
    runs = [path.parent.name for path in sorted(RUNS.glob(f"*/{CHAMPION}"))]
    return runs + [path.stem for path in sorted(MODELS.glob(f"*{SUFFIX}"))]
