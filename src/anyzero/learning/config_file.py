"""The config of a run as a file (TOML), and single settings as texts: `selfplay.simulations=64`."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyzero.errors import AnyzeroError, BadOptionError
from anyzero.learning.config import MEANINGS, RunConfig, all_keys, change, check_value
from anyzero.networks.config import NetworkConfig, parse_network


def write_config(config: RunConfig) -> str:
    """All settings, those of the run first, then one table for each part; `read_config` gives them back exactly."""
    values = config.to_dict()
    tables = {name: part for name, part in values.items() if isinstance(part, dict)}
    blocks = [write_lines({name: value for name, value in values.items() if name not in tables})]
    blocks += [f"[{name}]\n{write_lines(part)}" for name, part in tables.items()]
    return "\n".join(blocks)


def write_lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {write_value(value)}\n" for name, value in values.items())


def write_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return write_text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(write_value, value))}]"
    return repr(value)


def write_text(text: str) -> str:
    """In quotes; JSON escapes what TOML does, save for the sign DEL."""
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise BadOptionError(f"a config cannot hold the text {text!r}, which is no Unicode")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# --- reading


def read_config(path: Path | str) -> dict[str, Any]:
    """The changes that a file asks for, as `change` takes them; only the settings that it names."""
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise AnyzeroError(f"cannot read {path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadOptionError(f"{path} is not a TOML file: {error}") from None
    if isinstance(values.get("network"), str):
        values["network"] = parse_network(values["network"]).to_dict()
    return values


def load_config(path: Path | str) -> RunConfig:
    """The config in a file, with defaults for what it leaves out."""
    changes = read_config(path)
    try:
        return change(RunConfig(), changes)
    except AnyzeroError as error:
        raise type(error)(f"{path}: {error}") from None


# --- single settings


def parse_setting(text: str) -> tuple[str, Any]:
    """A key and its value, of the type that the setting has; lists are `a;b`, or as TOML writes them.

    >>> parse_setting("selfplay.simulations=64")
    ('selfplay.simulations', 64)
    """
    key, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise BadOptionError(f"{text!r} is not of the form setting=value, like selfplay.simulations=64")
    if key == "network":
        return key, parse_network(written).to_dict()
    wanted = type(default_of(key))
    value = convert(key, written, wanted)
    if key.startswith("network."):
        change(RunConfig(), {key: value})
    else:
        check_value(key, value, wanted)  # alone: what it goes together with may come from elsewhere
    return key, value


def format_setting(value: Any) -> str:
    """A value as `parse_setting` reads it."""
    if isinstance(value, list | tuple):
        return ";".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_of(key: str) -> Any:
    """What a setting is if nobody changes it; an unknown one is an error with the nearest name."""
    if key not in (*all_keys(), *(f"network.{name}" for name in NetworkConfig.model_fields)):
        change(RunConfig(), {key: None})
        raise AssertionError(f"{key} was taken for a setting")
    part, _, name = key.rpartition(".")
    return getattr(getattr(RunConfig(), part) if part else RunConfig(), name)


def convert(key: str, text: str, wanted: type) -> Any:
    """A text as the type of a setting."""
    if wanted is str:
        return text
    if wanted is tuple:
        return tuple(parse_list(key, text))
    if wanted is bool and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if wanted in (int, float) and text.isascii():
        try:
            return wanted(text)
        except ValueError:
            pass
    raise BadOptionError(f"{key} must be {MEANINGS[wanted]}, not {text!r}")


def parse_list(key: str, text: str) -> list[Any]:
    if not text.startswith("["):
        return [part.strip() for part in text.split(";") if part.strip()]
    try:
        found: list[Any] = tomllib.loads(f"list = {text}")["list"]
    except (tomllib.TOMLDecodeError, RecursionError):
        raise BadOptionError(f"{key} must be a list like a;b or ['a', 'b'], not {text!r}") from None
    return found
