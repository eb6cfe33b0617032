"""Values from outside, described once: models whose fields have a type, a default, bounds and a
meaning.

A `Schema` is frozen and refuses unknown keys; the meaning of a field is the string below it. An
error is one sentence that names the key, what is allowed, and the nearest name. Lists are
`tuple[...]` and may be given as lists. A validator over several fields raises an AnyzeroError
itself.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from anyzero.core.base.errors import (
    AnyzeroError,
    BadOptionError,
    UnknownNameError,
    list_some,
    nearest_hint,
)
from anyzero.core.base.files import reading
from anyzero.core.base.nouns import NamedValues, Values


class Schema(BaseModel):
    """Base of everything that is read from a file, a message or text."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )
    noun: ClassVar[str] = "the config"  # its name in error messages about unknown keys

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**_lists_as_tuples(values))
        except ValidationError as error:
            raise _first_sentence(type(self), error) from None

    # Nested models are then validated by pydantic itself, which knows their place in the whole.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def parse(cls, values: object, where: str = "") -> Self:
        """The model made from plain values, as in TOML or JSON; `where` begins the error
        message.
        """
        if not isinstance(values, Mapping):
            raise BadOptionError(
                f"{where or cls.noun} must be an object with keys, not {show_value(values)}"
            )
        try:
            return cls(**{str(key): value for key, value in values.items()})
        except AnyzeroError as error:
            raise type(error)(f"{where}: {error}" if where else str(error)) from None

    def change(self, **values: Any) -> Self:
        """A copy with other values, validated again."""
        return type(self)(**{**dict(self), **values})

    def to_dict(self) -> Values:
        return self.model_dump()


class Setting(NamedTuple):
    """One field of a schema, for documentation and for texts like `selfplay.games=64`."""

    key: str
    default: Any
    meaning: str
    field: FieldInfo

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if get_origin(self.field.annotation) is Literal:
            return ", ".join(map(str, get_args(self.field.annotation)))
        plain = {bool: "true or false", str: "a text", tuple: "texts"}
        return _bounds(limits_of(self.field)) or plain.get(type(self.default), "")


def settings_of(model: type[Schema], prefix: str = "") -> Iterator[Setting]:
    """All fields; those of nested schemas are named `part.name`."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Schema):
            yield from settings_of(field.annotation, f"{prefix}{name}.")
        else:
            yield Setting(
                prefix + name,
                field.get_default(call_default_factory=True),
                " ".join((field.description or "").split()),
                field,
            )


def parse_value(model: type[Schema], key: str, text: str) -> Any:
    """Text converted to the type of that setting; lists are `a;b`, or in TOML syntax."""
    settings = {setting.key: setting for setting in settings_of(model)}
    if key not in settings:
        raise UnknownNameError(_unknown(model.noun, key, settings))
    field = settings[key].field
    adapter = TypeAdapter(field.rebuild_annotation())
    try:
        if isinstance(settings[key].default, tuple):
            return adapter.validate_python(_parse_list(key, text))
        return adapter.validate_strings(text)
    except ValidationError as error:
        raise _sentence(key, error.errors()[0], field, text) from None


def read_toml(path: Path | str) -> Values:
    try:
        with reading(Path(path)):
            return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadOptionError(f"{path} is not a TOML file: {error}") from None


def write_toml(values: NamedValues) -> str:
    """Plain values first, then a table for each mapping, alone or in a list; `read_toml` restores
    them exactly.
    """
    tables = [(f"[{name}]", value) for name, value in values.items() if isinstance(value, Mapping)]
    several = {
        name: value for name, value in values.items() if isinstance(value, list | tuple) and value
    }
    lists = {
        name: value
        for name, value in several.items()
        if all(isinstance(part, Mapping) for part in value)
    }
    tables += [(f"[[{name}]]", part) for name, value in lists.items() for part in value]
    plain = {
        name: value
        for name, value in values.items()
        if name not in lists and not isinstance(value, Mapping)
    }
    return "\n".join(
        [_toml_lines(plain), *(f"{head}\n{_toml_lines(part)}" for head, part in tables)]
    )


def show_value(value: object) -> str:
    """A value for a sentence, shortened if long."""
    try:
        shown = repr(value)
    except ValueError:  # a number of thousands of digits
        shown = "a number of very many digits"
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


# --- texts


def _toml_lines(values: NamedValues) -> str:
    return "".join(
        f"{name} = {_toml_value(value)}\n" for name, value in values.items() if value is not None
    )


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    if not isinstance(value, str):
        return repr(value)
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise BadOptionError(f"a config cannot hold the text {value!r}, which is not Unicode")
    return json.dumps(value, ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )  # the one character only TOML escapes


def _parse_list(key: str, text: str) -> tuple[Any, ...]:
    if not text.startswith("["):
        return tuple(part.strip() for part in text.split(";") if part.strip())
    try:
        return tuple(map(str, tomllib.loads(f"list = {text}")["list"]))
    except (ValueError, RecursionError):
        raise BadOptionError(
            f"{key} must be a list like a;b or ['a', 'b'], not {show_value(text)}"
        ) from None


def _lists_as_tuples(value: Any) -> Any:
    """TOML and JSON have only lists; frozen models hold tuples."""
    if isinstance(value, list | tuple):
        return tuple(map(_lists_as_tuples, value)) if type(value) in (list, tuple) else value
    return (
        {key: _lists_as_tuples(item) for key, item in value.items()}
        if type(value) is dict
        else value
    )


# --- sentences

_MEANINGS = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "bool": "true or false",
    "string": "a text",
    "tuple": "a list",
    "dict": "an object with keys",
    "model": "an object with keys",
}


def _first_sentence(model: type[Schema], error: ValidationError) -> AnyzeroError:
    fault = error.errors()[0]
    *path, last = fault["loc"] or ("",)
    noun = ".".join(map(str, path)) or model.noun
    fields = _model_at(model, path).model_fields
    if fault["type"] == "missing":
        return BadOptionError(f"{noun} has no {last}")
    if fault["type"] == "extra_forbidden":
        return UnknownNameError(_unknown(noun, str(last), fields))
    return _sentence(".".join(map(str, fault["loc"])), fault, fields.get(str(last)), fault["input"])


def _model_at(model: type[Schema], path: list[Any]) -> type[Schema]:
    """The schema of the part that a path of keys leads to, as far as it leads through schemas."""
    for key in path:
        field = model.model_fields.get(str(key))
        if field is None or not (
            isinstance(field.annotation, type) and issubclass(field.annotation, Schema)
        ):
            break
        model = field.annotation
    return model


MOST_LISTED = 20  # maximum names listed with a hint: no one searches a longer list


def _unknown(noun: str, key: str, settings: NamedValues) -> str:
    hint = nearest_hint(key, settings)
    rest = "" if hint and len(settings) > MOST_LISTED else f"known: {list_some(settings)}"
    return f"{noun} has no setting {show_value(key)}; {hint}{rest}".rstrip()


def _sentence(name: str, fault: Any, field: FieldInfo | None, value: object) -> AnyzeroError:
    kind = fault["type"]
    limits = _bounds(limits_of(field)) or _bounds(
        fault.get("ctx", {})
    )  # the second for the bounds of list items
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", fault["ctx"]["expected"])
        hint = nearest_hint(str(value), choices)
        return UnknownNameError(
            f"{name} cannot be {show_value(value)}; {hint}known: {list_some(choices)}"
        )
    if kind.startswith(("greater_than", "less_than")) and limits:
        return BadOptionError(f"{name} must be {limits}, not {show_value(value)}")
    meaning = _MEANINGS.get(kind.partition("_")[0])
    if meaning and kind != "string_too_long":
        return BadOptionError(f"{name} must be {meaning}, not {show_value(value)}")
    return BadOptionError(f"{name}: {fault['msg']}, not {show_value(value)}")


def _bounds(limits: NamedValues) -> str:
    """The range of a number, in words."""
    low = limits.get("ge", limits.get("gt"))
    high = limits.get("le", limits.get("lt"))
    if low is None and high is None:
        return ""
    if high is None:
        return f"{_plain(low)} or more" if "ge" in limits else f"more than {_plain(low)}"
    if low is None:
        return f"{_plain(high)} or less" if "le" in limits else f"less than {_plain(high)}"
    return f"from {_plain(low)} to {_plain(high)}"


def _plain(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"


def limits_of(field: FieldInfo | None) -> Values:
    items = field.metadata if field else ()
    bounds = [
        (name, getattr(item, name, None)) for item in items for name in ("ge", "gt", "le", "lt")
    ]
    return {name: bound for name, bound in bounds if bound is not None}
