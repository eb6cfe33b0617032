"""The seal of a run: the settings that it was begun with, so that a config that was edited or damaged is noticed."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyzero.errors import AnyzeroError
from anyzero.files import write_whole
from anyzero.learning.config import RunConfig, flatten, format_setting
from anyzero.networks.manifest import generation_numbers, generation_path, read_manifest
from anyzero.schema import read_toml, write_toml
from anyzero.sealed import DamagedError, read_sealed, seal_of, write_sealed

CONFIG, SEAL_FILE = "config.toml", "seal.json"
FORM = "anyzero run 1"
FREE = ("generations", "minutes", "keep", "tensorboard")
"""Settings that may change when a run goes on."""
GONE = object()

Settings = dict[str, Any]
"""What a config file says, by full names."""


def write_settings(run: Path, config: RunConfig) -> None:
    """Write the config after its seal, which also knows the earlier settings: those are there after a kill between."""
    text = write_toml(config.to_dict())
    earlier = read_settings(run) if (run / CONFIG).exists() else None
    write_sealed(run / SEAL_FILE, FORM, {"settings": flatten(tomllib.loads(text)), "earlier": earlier})
    write_whole(run / CONFIG, text.encode())


def read_settings(run: Path) -> Settings:
    return flatten(read_toml(run / CONFIG))


def check_settings(run: Path) -> str:
    """AnyzeroError unless the config is as it was sealed; a note if there is no seal that could say so."""
    settings = read_settings(run)
    try:
        seal = read_sealed(run / SEAL_FILE, FORM)
    except DamagedError as error:
        check_without_seal(run, settings)
        return f"{run}: {error}; its settings are taken as they stand in {CONFIG}"
    if settings not in (seal["settings"], seal["earlier"]):
        raise AnyzeroError(describe_change(run, settings, seal["settings"]))
    return ""


def check_without_seal(run: Path, settings: Settings) -> None:
    """The newest generation still knows the hash of the settings that it was made with."""
    for number in generation_numbers(run)[-1:]:
        try:
            known = read_manifest(generation_path(run, number)).facts.get("settings")
        except DamagedError:
            continue
        if known not in (None, hash_settings(settings)):
            raise AnyzeroError(
                f"{run / CONFIG} is not the one that generation {number} was made with; put a copy of the old one back"
            )


def describe_change(run: Path, found: Settings, sealed: Mapping[str, Any]) -> str:
    """The first setting that was changed by hand, and what to do about it."""
    key = next(key for key in {**sealed, **found} if found.get(key, GONE) != sealed.get(key, GONE))
    new, old = found.get(key, GONE), sealed.get(key, GONE)
    says = f"no longer says {key}" if new is GONE else f"says {key}={format_setting(new)}"
    begun = f"without {key}" if old is GONE else f"with {key}={format_setting(old)}"
    advice = (
        f"anyzero train --run {run} --set {key}=... changes it"
        if key in FREE
        else f"for other settings begin a run of another name: anyzero train --run NAME --config {run / CONFIG}"
    )
    return f"{run / CONFIG} {says}, but the run was begun {begun}: put it back; {advice}"


def hash_settings(settings: Mapping[str, Any]) -> str:
    """Of those that may never change."""
    return seal_of({key: value for key, value in settings.items() if key not in FREE})
