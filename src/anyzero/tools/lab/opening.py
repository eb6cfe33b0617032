"""How people open a run and continue it: its config from a preset, a file and single changes, with
everything left open decided; by name, a new run or one that exists and matches.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from anyzero.core.base.errors import BadOptionError, whole
from anyzero.core.base.nouns import NamedValues
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import count_cores
from anyzero.core.learning.config import (
    ONLY_FOR,
    RunConfig,
    SelfPlayConfig,
    change,
    flatten,
    read_settings,
)
from anyzero.core.learning.find import find_network
from anyzero.core.learning.folder import OtherRunError, RunFolder, is_run, run_path
from anyzero.core.learning.generation import Progress
from anyzero.core.learning.orders import Elsewhere, start_states
from anyzero.core.learning.run import Training
from anyzero.core.learning.run_seal import FREE
from anyzero.core.learning.search_text import unused_by
from anyzero.core.nets.config import resolve
from anyzero.core.nets.evaluator import check_device
from anyzero.core.nets.models import load_network
from anyzero.tools.lab.history import rebuild_history
from anyzero.tools.presets import preset_config

PLANNED = ("minutes", "trainer.horizon", "selfplay.at_once", "selfplay.games")
"""Settings that a run keeps as planned, or as the device allowed, when its recipe is named again.
"""
MOST_SETTINGS = 3  # maximum differences named when a run cannot resume


def open_run(
    game: str | None = None,
    *,
    run: str | None = None,
    generations: int | None = None,
    minutes: float | None = None,
    **recipe: Any,
) -> RunFolder:
    """The run of this name if it exists and matches the request, else a new one; without a name,
    the first of the default names that is free or whose run matches.

    Its schedule covers the given minutes or generations; an existing run is rescheduled if given
    more minutes. The recipe is as in `make_config`.
    """
    if generations is not None:
        change(
            RunConfig(), {"generations": whole("generations", generations)}
        )  # raises an error if out of range
    other = (recipe.get("changes") or {}).get("game", game)
    if game is not None and load(game).text != load(str(other)).text:
        raise BadOptionError(f"two games are named: {game} and, as a setting, game={other}")
    if run is not None and is_run(run_path(run)):
        return reopen(run_path(run), game, minutes, **recipe)
    config = make_config(game, **recipe)
    for path in map(
        run_path, [run] if run is not None else default_names(config, recipe.get("preset"))
    ):
        if not is_run(path):  # its schedule covers the whole run, unless a setting says otherwise
            asked = asked_for(recipe.get("config_file"), recipe.get("changes"))
            planned = config.generations if "generations" in asked else generations
            if minutes and "minutes" not in asked:
                config = config.change(minutes=minutes)
            elif planned and not config.minutes and "trainer.horizon" not in asked:
                config = change(config, {"trainer.horizon": planned})
            check_used(config, flatten(recipe.get("changes") or {}))
            return RunFolder.create(path, fill_in(config))
        with suppress(OtherRunError):
            return reopen(path, game, minutes, **recipe)
    raise AssertionError("there is always another name")


def train_on(
    folder: RunFolder,
    *,
    generations: int | None = None,
    minutes: float | None = None,
    progress: Progress | None = None,
    elsewhere: Elsewhere | None = None,
) -> str:
    """Resume a run until this many generations or minutes in total; returns why it ended."""
    with folder.locked():
        try:
            return Training(folder, progress, elsewhere).run(generations, minutes)
        finally:
            rebuild_history(folder)


def asked_for(config_file: Path | str | None, changes: NamedValues | None) -> list[str]:
    return [
        *(read_settings(config_file) if config_file is not None else ()),
        *flatten(changes or {}),
    ]


def make_config(
    game: str | None = None,
    *,
    preset: str | None = None,
    config_file: Path | str | None = None,
    changes: NamedValues | None = None,
) -> RunConfig:
    """A preset, then a file, then single changes; later ones override earlier ones."""
    written = read_settings(config_file) if config_file is not None else {}
    text = written.pop("game", None)
    named = changes or {}
    if game is None and text is None and preset is None:
        raise BadOptionError("name a game, a preset, or a config file that names a game")
    config = preset_config(preset, game or text, {**written, **named}.get("device", "cpu"))
    asked = {*written, *flatten(named)}
    if asked.intersection(AMOUNTS):  # these override the recipe
        config = change(config, {key: 0 for key in AMOUNTS[:2] if key not in asked})
    config = change(change(config, written), named)
    check_form(config, {**written, **named})
    return config


AMOUNTS = ("trainer.batches", "trainer.trainings", "trainer.epochs")
"""Settings for the amount of training; the first that is not 0 applies."""


def check_form(config: RunConfig, changes: NamedValues) -> None:
    """Raise an error if a network is configured in addition to the one that the run begins with."""
    named = [key for key in flatten(changes) if key.startswith("network.")]
    if config.begin_with and named:
        raise BadOptionError(f"{config.begin_with} has its own architecture: do not set {named[0]}")


def check_used(config: RunConfig, asked: NamedValues) -> None:
    """Raise an error if a setting that was asked for changes nothing, since the method does not use
    it.
    """
    method = config.selfplay.method
    settings = {key.removeprefix("selfplay."): value for key, value in asked.items()}
    unused = unused_by(method, settings)
    for name, methods in ONLY_FOR.items():
        is_changed = name in settings and settings[name] != getattr(SelfPlayConfig(), name)
        if is_changed and method not in methods:
            unused[name] = methods
    for name, users in unused.items():
        words = f"selfplay.{name} does nothing with selfplay.method={method}"
        raise BadOptionError(f"{words}; it is for {' and '.join(users)}")


def default_names(config: RunConfig, preset: str | None) -> Iterator[str]:
    """The name of the preset or game, with the options that differ; then the same with a number:
    `hex-7-2`.
    """
    game = load(config.game)
    usual = load(game.source).options
    words = [game.name]
    for key, value in game.options.items():
        if value != usual.get(key):  # `swap`, `no-swap`, or the value
            words.append((key if value else f"no-{key}") if isinstance(value, bool) else str(value))
    first = preset or re.sub(r"[^A-Za-z0-9]+", "-", "-".join(words)).strip("-")
    return (first if number == 1 else f"{first}-{number}" for number in count(1))


def fill_in(config: RunConfig, begun: RunConfig | None = None) -> RunConfig:
    """Decide everything left to the machine now, so that the numbers stay the same whenever the run
    resumes.

    Decisions of a run that has `begun` stay, even on another machine, and its network may be gone
    when it resumes.
    """
    game = load(config.game)
    check_device(config.device)
    start_states(game, config.selfplay.starts)  # raises errors before there is a run
    if config.selfplay.method == "expectimax" and not game.num_outcomes:
        raise BadOptionError(
            f"selfplay.method=expectimax is for games of chance, and {game.name} has none"
        )
    has_policy = config.selfplay.method != "expectimax"
    if begun is not None:
        config = config.change(threads=config.threads or begun.threads)
        has_policy = begun.network.has_policy
    threads = config.threads or count_cores()
    if begun is not None and config.begin_with == begun.begin_with != "":
        network = begun.network
    elif config.begin_with:
        network = load_network(find_network(config.begin_with, game), game).config
    else:
        network = resolve(config.network, game)
    return config.change(
        game=game.text, network=network.change(has_policy=has_policy), threads=threads
    )


def reopen(
    path: Path,
    game: str | None,
    minutes: float | None,
    preset: str | None = None,
    config_file: Path | str | None = None,
    changes: NamedValues | None = None,
) -> RunFolder:
    """An existing run, if it matches the request."""
    folder = RunFolder.open(path)
    changes = changes or {}
    if minutes and 0 < folder.config.minutes < minutes:  # extend the plan of a run that had one
        changes = {"minutes": minutes, **changes}
    if game not in (None, folder.config.game):
        ours = load(folder.config.game)
        other = load(game)
        if (ours.name, ours.options) != (other.name, other.options):
            raise OtherRunError(f"{path} is a run of {ours.text}, not of {other.text}")
    if preset is not None or config_file is not None:
        config = make_config(
            folder.config.game, preset=preset, config_file=config_file, changes=changes
        )
        begun = flatten(folder.config.to_dict())
        asked = asked_for(config_file, changes)
        config = change(config, {key: begun[key] for key in PLANNED if key not in asked})
    else:
        config = change(folder.config, changes)
        check_form(config, changes)
    old_settings, new_settings = (
        flatten(each.to_dict()) for each in (folder.config, fill_in(config, folder.config))
    )
    changed = [
        key for key, value in new_settings.items() if old_settings[key] != value and key not in FREE
    ]
    if changed:
        named = ", ".join(f"{key}={old_settings[key]}" for key in changed[:MOST_SETTINGS])
        more = f" and {len(changed) - MOST_SETTINGS} more" if len(changed) > MOST_SETTINGS else ""
        raise OtherRunError(
            f"{path} was started with {named}{more}; use another name for another run"
        )
    new = change(folder.config, {key: new_settings[key] for key in FREE})
    if new != folder.config:
        with folder.locked():
            folder.write_config(new)
    return folder
