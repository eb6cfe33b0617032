"""Values of a config, checked one by one: each error names the file, the key, and what would have been right."""

from collections.abc import Sequence
from typing import Any

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.search.text import parse_budget


class Fields:
    """The keys of one table of a config; keys that are not known are refused at once."""

    def __init__(self, source: str, values: Any, known: Sequence[str]) -> None:
        self.source = source
        if not isinstance(values, dict):
            raise BadOptionError(f"{source} is not a table of keys and values")
        self.values: dict[str, Any] = values
        for key in values:
            if key not in known:
                hint = nearest_hint(key, known)
                raise UnknownNameError(f"{source} has no key {key!r}; {hint}its keys: {list_some(known)}")

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def require(self, key: str) -> Any:
        if key not in self.values:
            raise BadOptionError(f"{self.source}: the key {key} is missing")
        return self.values[key]

    def items(self, key: str) -> list[Any]:
        """A list with at least one value; a value alone is a list of one."""
        found = self.require(key)
        found = found if isinstance(found, list) else [found]
        if not found:
            raise BadOptionError(f"{self.source}: {key} is empty")
        return found

    def integer(self, key: str, default: int | None = None) -> int:
        return self.check_integer(key, self.require(key) if default is None else self.values.get(key, default))

    def integers(self, key: str) -> list[int]:
        return distinct([self.check_integer(key, value) for value in self.items(key)])

    def check_integer(self, key: str, value: Any) -> int:
        if type(value) is not int:
            raise BadOptionError(f"{self.source}: {key} wants a whole number, not {value!r}")
        return value

    def choices(self, key: str, known: Sequence[Any]) -> list[Any]:
        """Some of the known values."""
        for value in self.items(key):
            if value not in known or type(value) is not type(known[0]):
                hint = nearest_hint(str(value), map(str, known))
                known_texts = list_some(map(str, known))
                raise UnknownNameError(f"{self.source}: {key} cannot be {value!r}; {hint}known: {known_texts}")
        return distinct(self.items(key))

    def budgets(self, key: str) -> list[str]:
        """Simulations or, with an s, seconds, as the texts that a player is written with."""
        return distinct([self.check_budget(key, value) for value in self.items(key)])

    def check_budget(self, key: str, value: Any) -> str:
        if type(value) not in (int, str):
            raise BadOptionError(
                f"{self.source}: {key} wants numbers of simulations, or seconds like '2s', not {value!r}"
            )
        text = str(value).strip()
        parse_budget(f"{self.source}: {key}", text)
        return text


def distinct(values: list[Any]) -> list[Any]:
    """Each value once, in the order in which they come."""
    return list(dict.fromkeys(values))
