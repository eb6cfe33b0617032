"""From a name or a file to a `Game`: `hex`, `hex:size=7`, `./my_game.py:size=4`, or an installed
entry point.
"""

import builtins
import hashlib
import importlib
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import replace
from importlib import resources
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.metadata import entry_points
from importlib.util import find_spec
from io import StringIO
from numbers import Integral, Real
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from anyzero.core.base.errors import (
    BadGameError,
    BadOptionError,
    UnknownNameError,
    check_name,
    nearest_hint,
    text_of,
)
from anyzero.core.base.files import from_home
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.game.definition import split_options, split_text
from anyzero.core.game.game import Game, State
from anyzero.core.game.guard import CHECKED, compile_counted, is_trusted, one_sentence, source_key

GALLERY = "anyzero.games"
"""The folder of the package's games, and the group of entry points of others."""
HAS_MAKER = re.compile(r"^def make\(", re.MULTILINE)

Maker = Callable[..., Game]
LOADING = RLock()  # other threads must not see half of a file, nor print while output is redirected


def gallery() -> tuple[str, ...]:
    """The names of the package's games: each file of its folder that defines `make` is one.

    The files are read, but no game is imported.
    """
    if find_spec(GALLERY) is None:
        return ()
    files = [file for file in resources.files(GALLERY).iterdir() if file.name.endswith(".py")]
    texts = {file.name.removesuffix(".py"): file.read_text(encoding="utf-8") for file in files}
    return tuple(sorted(name for name, text in texts.items() if HAS_MAKER.search(text)))


BUILT_IN = gallery()


def load(text: str | Path, **options: Any) -> Game:
    """The game named by a text, with its options from the text or by keyword.

    >>> load("breakthrough:rows=6", columns=6).text
    'breakthrough:rows=6,columns=6'

    A file whose current source has not been checked runs guarded: slower, with faults reported.
    """
    game = load_trusted(text_of("the game", text), options)
    is_checked = game.is_from_file and is_trusted(
        source_key(load_file(Path(game.source)), game.options), CHECKED
    )
    return game if is_checked else with_guards(game)


def with_guards(game: Game) -> Game:
    """The same game with guards, if it comes from a file."""
    if game.unchecked or not game.is_from_file:
        return game
    key = source_key(load_file(Path(game.source)), game.options)
    with LOADING, loading_again():
        counted = load_trusted(game.source, game.options, counted=True)
        return replace(counted, unchecked=key, unguarded=game)


@contextmanager
def loading_again() -> Iterator[None]:
    """While a file is loaded once more: what it prints and warns of has been said already."""
    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def load_trusted(text: str, options: NamedValues | None = None, *, counted: bool = False) -> Game:
    """The same without guards: for the processes that check it."""
    name, written = split_text(text)
    make = find_maker(name, counted=counted)
    for key, default in default_options(make).items():
        if default is None or default is inspect.Parameter.empty:
            says = (
                f"{name}: the option {key} of make() needs a default value, which says "
                f"its type, as in {key}=3"
            )
            raise BadGameError(says)
    chosen_options = parse_options(name, make, written, options)
    with one_sentence(f"{name}: make() failed") if name.endswith(".py") else nullcontext():
        game = make(**chosen_options)
    if not isinstance(game, Game):
        raise BadGameError(f"{name}: make() returned {type(game).__name__}, not a Game")
    # In a user's file, the rules may stand at the top.
    about = make.__doc__ or sys.modules[make.__module__].__doc__ or ""
    return replace(
        game,
        options={**default_options(make), **chosen_options},
        source=name,
        about=inspect.cleandoc(about),
    )


def find_maker(name: str, *, counted: bool = False) -> Maker:
    """The function that makes a game; a file's loops are limited if `counted`."""
    if name.endswith(".py"):
        return maker_of(load_file(Path(name), counted=counted), name)
    if name in BUILT_IN:
        return maker_of(importlib.import_module(f"{GALLERY}.{name}"), name)
    installed = {entry.name: entry for entry in entry_points(group=GALLERY)}
    check_name("game", name, [*BUILT_IN, *installed], ", or a path to a .py file")
    loaded = installed[name].load()
    return maker_of(loaded, name) if isinstance(loaded, ModuleType) else loaded


def game_names() -> list[str]:
    """The package's games and those of other installed packages, in alphabetical order each."""
    return [*BUILT_IN, *(entry.name for entry in entry_points(group=GALLERY))]


def games_with(fact: str) -> Iterator[Game]:
    """The games that have this one of the facts; each is loaded only when it is asked for."""
    games = map(load, game_names())
    return (game for game in games if getattr(game.facts, fact))


def names_with(fact: str) -> list[str]:
    return [game.name for game in games_with(fact)]


def maker_of(module: ModuleType, name: str) -> Maker:
    make = getattr(module, "make", None)
    if not callable(make):
        raise BadGameError(f"{name} has no function make() that returns a Game")
    return make  # type: ignore[no-any-return]


def load_file(path: Path, *, counted: bool = False) -> ModuleType:
    """The module of a game file, under a name that is the same in every process (compiled code
    refers to it).
    """
    asked = path
    try:
        path = Path(os.path.realpath(from_home(path)))
        source = path.read_bytes()
    except (OSError, ValueError) as error:  # a ValueError: a name with a zero byte
        reason = getattr(error, "strerror", None) or error
        raise UnknownNameError(f"cannot read the game file {asked}: {reason}") from None
    name = f"anyzero_file_{path.stem}_{short_hash(path)}{'_counted' * counted}"
    with LOADING:
        loaded = sys.modules.get(name)
        if loaded is not None and getattr(loaded, "anyzero_source", None) == source:
            return loaded
        module = sys.modules[name] = ModuleType(name)
        module.__file__, module.anyzero_source = str(path), source  # type: ignore[attr-defined]
        vars(module)["__builtins__"] = names_beside(path.parent)
        try:
            with one_sentence(f"{path} cannot be loaded"):
                code = (
                    compile_counted(source, str(path))
                    if counted
                    else compile(source, str(path), "exec")
                )
                exec(code, vars(module))
        except BaseException:
            del sys.modules[name]
            raise
        return module


def short_hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


# --- a file's imports from its own folder


FOLDER = "anyzero_folder_"


def names_beside(folder: Path) -> Values:
    """The builtins of a file in this folder, whose `import` looks there first.

    A module found there belongs to a package that represents the folder: files of two folders may
    both `import helper`, each its own, and compiled code that names a class of such a module names
    the right one.
    """
    package = f"{FOLDER}{short_hash(folder)}"
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [str(folder)]
        sys.meta_path[:0] = [] if FINDER in sys.meta_path else [FINDER]

    def import_here(
        name: str, names: Any = None, local: Any = None, parts: Any = (), level: int = 0
    ) -> Any:
        first = name.partition(".")[0]
        if level > 0 or not is_beside(first, folder):
            return __import__(name, names, local, parts, level)
        module = __import__(f"{package}.{name}", names, local, parts)
        beside = sys.modules[f"{package}.{first}"]
        if names is not None:
            # So that `source_key` sees the module even if only a number is imported from it.
            names[beside.__name__] = beside
        return module if parts else beside

    return {**vars(builtins), "__import__": import_here}


def is_beside(name: str, folder: Path) -> bool:
    """Whether an import of this name in a file of the folder means a module there."""
    spec = PathFinder.find_spec(name, [str(folder)])
    if spec is None:
        return False
    if spec.loader is None:  # a folder without __init__.py comes last, as always in Python
        return find_spec(name) is None
    # The program may have loaded it from there: this package, for example.
    return getattr(sys.modules.get(name), "__file__", None) != spec.origin


class FolderFinder(MetaPathFinder):
    """Finds modules of such packages, which import in the same way."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith(FOLDER) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = FolderLoader(spec.loader.name, spec.loader.path)
        return spec


class FolderLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        folder = sys.modules[module.__name__.partition(".")[0]].__path__[0]
        vars(module)["__builtins__"] = names_beside(Path(folder))
        super().exec_module(module)


FINDER = FolderFinder()


# --- options


def default_options(make: Maker) -> Values:
    """The options of a game, with their defaults, from its maker's signature."""
    return {
        name: parameter.default for name, parameter in inspect.signature(make).parameters.items()
    }


def parse_options(name: str, make: Maker, text: str, given: NamedValues | None = None) -> Values:
    """`size=7,swap=true`, and the options in `given`, as values of the right type."""
    defaults = default_options(make)
    options = {**split_options(name, filter(None, text.split(","))), **(given or {})}
    for key in options:
        if key not in defaults:
            allowed = ", ".join(defaults) or "none"
            raise UnknownNameError(
                f"{name} has no option {key!r}; {nearest_hint(key, defaults)}its options: {allowed}"
            )
    values = {}
    choices = option_choices(make)
    for key, value in options.items():
        values[key] = convert_option(name, key, value, defaults[key])
        if key in choices and str(values[key]) not in choices[key]:
            raise BadOptionError(
                f"{name}: {key} must be one of {', '.join(choices[key])}, not {values[key]!r}"
            )
    return values


def option_choices(make: Maker) -> dict[str, tuple[str, ...]]:
    """The possible values, as texts, of options that are annotated as a Literal."""
    kinds = {
        name: parameter.annotation for name, parameter in inspect.signature(make).parameters.items()
    }
    # An annotation may be a text that is no code, or names what only a type checker imports.
    with suppress(Exception):
        # `from __future__ import annotations` makes all of them texts.
        kinds |= get_type_hints(make)
    return {
        name: tuple(map(str, get_args(kind)))
        for name, kind in kinds.items()
        if get_origin(kind) is Literal
    }


def convert_option(name: str, key: str, value: Any, default: Any) -> Any:
    kind = type(default)
    if kind is bool and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if type(value) is kind:
        return value
    readable = (str, NUMBERS.get(kind, str))
    if kind is not bool and isinstance(value, readable) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            return kind(value)
    raise BadOptionError(
        f"{name}: the option {key} needs {KINDS.get(kind, kind.__name__)}, not {value!r}"
    )


NUMBERS: dict[type, type] = {int: Integral, float: Real}  # 7 is a value for both, and so is NumPy's
KINDS: dict[type, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
}


def as_game(game: Game | str) -> Game:
    """The game itself, or the one named by a text."""
    return game if isinstance(game, Game) else load(game)


def position_of(game: Game | str, state: State | str | None = None) -> tuple[Game, State]:
    """A game and a position of it, either of which may be text; by default the initial position.

    A game from a file runs guarded from a position that is text: no check has seen where that may
    lead.
    """
    game = as_game(game)
    if isinstance(state, str):
        game = with_guards(game)
        return game, game.parse_state(state)
    return game, game.initial_state() if state is None else state


def files_of(name: str) -> list[Path]:
    """The files another machine needs for a game or player in a file: it, and its folder's modules
    and packages.
    """
    if not name.endswith(".py"):
        return []
    folder = Path(name).parent
    packages = [path.parent for path in folder.glob("*/__init__.py")]
    return sorted(
        {
            Path(name),
            *folder.glob("*.py"),
            *(path for part in packages for path in part.rglob("*.py")),
        }
    )
