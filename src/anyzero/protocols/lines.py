"""Words of a line, as both protocols need them."""

import re

MOST_DIGITS = 12


def whole_number(word: str) -> int | None:
    """The number that a word is, or None; a sign is allowed."""
    return int(word) if re.fullmatch(rf"-?[0-9]{{1,{MOST_DIGITS}}}", word) else None


def on_one_line(text: str) -> str:
    return " ".join(text.split())
