"""From a file to an experiment: TOML is the form of our own, JSON that of Hex students."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anyzero.errors import AnyzeroError, BadOptionError
from anyzero.experiments.grid import Experiment
from anyzero.experiments.json_form import read_json_form
from anyzero.experiments.toml_form import read_toml_form

FORMS: dict[str, tuple[Callable[[str], Any], Callable[[str, Any], Experiment]]] = {
    ".toml": (tomllib.loads, read_toml_form),
    ".json": (json.loads, read_json_form),
}
"""How the text is read and what is made of it, by the end of the file's name."""


def load_experiment(path: Path | str) -> Experiment:
    """The experiment of a config file; everything that can be wrong with it is found here, before a game is played."""
    path = Path(path)
    if path.suffix.lower() not in FORMS:
        raise BadOptionError(f"{path}: an experiment is a .toml or a .json file")
    parse, read_form = FORMS[path.suffix.lower()]
    try:
        values = parse(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise AnyzeroError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadOptionError(f"{path} is not {path.suffix[1:].upper()}: {error}") from None
    return read_form(str(path), values)
