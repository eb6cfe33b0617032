"""Who sits at a table, as text: a person, or a player by its text."""

from collections.abc import Callable

from anyzero.core.base.errors import AnyzeroError

HUMAN = "human"  # a person
OPPONENT = "level:medium"  # who plays against a person if nobody was named


def check_own_player(text: str) -> str:
    """The text of one of our own players: asking it runs nobody's code and no command."""
    from anyzero.tools.players.text import OWN_KINDS, split_player  # only once one is named

    return split_player(text, OWN_KINDS).text


def known_player(name: str, check: Callable[[str], str] = check_own_player) -> str | None:
    """A name in a file as a person or as a player that passes this check; None if it is neither."""
    name = name.strip()
    try:
        return name if name == HUMAN else check(name)
    except AnyzeroError:
        return None
