"""The seal of a run: the settings it started with, so that an edited or damaged config is seen."""

import tomllib
from contextlib import suppress
from pathlib import Path

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.files import write_whole
from anyzero.core.base.nouns import NamedValues
from anyzero.core.base.schema import read_toml, write_toml
from anyzero.core.base.sealed import DamagedError, read_sealed, seal_of, write_sealed
from anyzero.core.learning.config import GONE, RunConfig, flatten, format_setting, load_config
from anyzero.core.learning.manifest import Generations

CONFIG = "config.toml"
SEAL_FILE = "seal.json"
RUN_FORM = "anyzero run 1"
FREE = ("generations", "minutes", "keep")  # settings that may change when a run resumes


def write_settings(run: Path, config: RunConfig) -> None:
    """Write the seal, then the config. The seal also has the earlier settings, still in force after
    a kill between.
    """
    values = config.to_dict()
    earlier = read_toml(run / CONFIG) if (run / CONFIG).exists() else None
    if earlier is not None:  # the others stay as they were written, perhaps by another version
        values = earlier | {key: values[key] for key in FREE}
    text = write_toml(values)
    seal = {
        "settings": flatten(tomllib.loads(text)),
        "earlier": None if earlier is None else flatten(earlier),
    }
    write_sealed(run / SEAL_FILE, RUN_FORM, seal)
    write_whole(run / CONFIG, text.encode())


def open_config(run: Path) -> tuple[RunConfig, str]:
    """The config if it matches its seal, else AnyzeroError; and a note if there is no seal to
    compare with.
    """
    config = load_config(run / CONFIG)
    settings = flatten(read_toml(run / CONFIG))
    try:
        seal = read_sealed(run / SEAL_FILE, RUN_FORM)
    except DamagedError as error:
        generations = Generations(run)
        with suppress(DamagedError):
            for number in generations.numbers()[
                -1:
            ]:  # it still has the hash of the settings it was made with
                if generations.generation(number).facts.get("settings") not in (
                    None,
                    settings_hash(run),
                ):
                    words = f"{run / CONFIG} is not the one used for generation {number}"
                    raise AnyzeroError(f"{words}; restore a copy of the old one") from None
        return config, f"{run}: {error}; its settings are read from {CONFIG}"
    if settings not in (seal["settings"], seal["earlier"]):
        raise AnyzeroError(describe_change(run, settings, seal["settings"]))
    return config, ""


def describe_change(run: Path, settings: NamedValues, sealed: NamedValues) -> str:
    """The first setting that was changed by hand, and how to fix it."""
    key = next(
        key for key in {**sealed, **settings} if settings.get(key, GONE) != sealed.get(key, GONE)
    )
    new = settings.get(key, GONE)
    old = sealed.get(key, GONE)
    says = f"no longer says {key}" if new is GONE else f"says {key}={format_setting(new)}"
    begun = f"without {key}" if old is GONE else f"with {key}={format_setting(old)}"
    advice = (
        "for other settings start a run with another name: anyzero train --run NAME "
        f"--config {run / CONFIG}"
    )
    if key in FREE:
        advice = f"anyzero train --run {run} --set {key}=... changes it"
    return f"{run / CONFIG} {says}, but the run began {begun}: restore it; {advice}"


def settings_hash(run: Path) -> str:
    """The hash of the settings that may never change."""
    return seal_of(
        {key: value for key, value in flatten(read_toml(run / CONFIG)).items() if key not in FREE}
    )
