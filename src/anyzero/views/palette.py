"""The colours behind the roles, in light (warm wood) and in dark (calm slate).

The two seats are a blue and an orange that people with any common colour blindness tell apart, on both tones of the
board; the tests measure it. `series1` to `series9` are hues for numbers on a `tile`; their numbers stand beside them.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

PALETTE: Mapping[str, tuple[str, str]] = {
    # role: (light, dark)
    "page": ("#ffffff", "#15181d"),
    "ink": ("#26221c", "#eceae4"),
    "muted": ("#564d40", "#cccfd4"),
    # boards
    "board": ("#f5e6c8", "#4d5766"),
    "board-dark": ("#dcbd8e", "#39424f"),
    "frame": ("#9c7343", "#262c35"),
    "line": ("#a9854f", "#2b323c"),
    "grid": ("#8a6a3c", "#8e98a8"),
    # what belongs to the seats
    "seat0": ("#0f5c9c", "#5ab1ef"),
    "seat0-edge": ("#07355c", "#0c2c47"),
    "seat1": ("#d2500a", "#ffb45e"),
    "seat1-edge": ("#6e2503", "#4f2600"),
    "seat2": ("#14110e", "#14110e"),
    "seat2-edge": ("#000000", "#c9ccd2"),
    # white and black pieces, with their outlines and inner lines
    "white-piece": ("#fffdf8", "#f3f0e8"),
    "piece-edge": ("#2b2621", "#1c1f24"),
    "black-piece": ("#2b2621", "#16181c"),
    "black-edge": ("#14110e", "#c9ccd2"),
    "black-inner": ("#f0e4cc", "#c9ccd2"),
    # what the eye shall find first
    "accent": ("#a3195b", "#ff9cc8"),
    # tiles with numbers
    "tile": ("#343a45", "#262c35"),
    "tile-edge": ("#1f242c", "#6b7686"),
    "tile-ink": ("#15171b", "#15171b"),
    "series1": ("#9ca29c", "#9ca29c"),
    "series2": ("#ffa9d3", "#ffa9d3"),
    "series3": ("#ae8aba", "#ae8aba"),
    "series4": ("#6399fb", "#6399fb"),
    "series5": ("#3fdcf0", "#3fdcf0"),
    "series6": ("#dc5e57", "#dc5e57"),
    "series7": ("#c2eb6c", "#c2eb6c"),
    "series8": ("#f68c41", "#f68c41"),
    "series9": ("#f9ce00", "#f9ce00"),
}

LIGHT: Mapping[str, str] = {role: light for role, (light, _) in PALETTE.items()}
DARK: Mapping[str, str] = {role: dark for role, (_, dark) in PALETTE.items()}


def check_roles(roles: Iterable[str]) -> None:
    """ValueError for a role without a colour, with the nearest that has one."""
    for role in sorted(set(roles) - {*PALETTE, "none"}):
        near = get_close_matches(role, PALETTE, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(PALETTE)}"
        raise ValueError(f"there is no colour role {role!r}; {hint}")
