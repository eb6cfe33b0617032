"""The colours behind the roles, in light and in dark.

The two seats are blue and orange of the palette by Okabe and Ito (2008), which people with any common colour blindness
tell apart; `series0` to `series8` are nine hues for counted things, each used with a number beside it.
"""

PALETTE: dict[str, tuple[str, str]] = {
    "page": ("#ffffff", "#16181d"),
    "board": ("#f0e6d2", "#3a3f4b"),
    "board-dark": ("#d9c7a3", "#2b2f38"),
    "line": ("#8a7a5c", "#6b7280"),
    "ink": ("#1f2328", "#e6e6e6"),
    "muted": ("#6b6f76", "#9aa0a8"),
    "seat0": ("#0072b2", "#4aa8e0"),
    "seat0-edge": ("#004b78", "#cfe9fa"),
    "seat1": ("#e69f00", "#f2b63c"),
    "seat1-edge": ("#8a5f00", "#5c3f00"),
    "white-piece": ("#ffffff", "#f4f4f4"),
    "black-piece": ("#22252b", "#101216"),
    "piece-edge": ("#22252b", "#8c929c"),
    "accent": ("#d55e00", "#ff8a3d"),
    "series0": ("#999999", "#a8a8a8"),
    "series1": ("#cc79a7", "#d991b8"),
    "series2": ("#56b4e9", "#56b4e9"),
    "series3": ("#009e73", "#1fbf92"),
    "series4": ("#0072b2", "#3a9bd6"),
    "series5": ("#d55e00", "#ee7a22"),
    "series6": ("#f0e442", "#f0e442"),
    "series7": ("#7b4fa3", "#a57bd0"),
    "series8": ("#e69f00", "#f2b63c"),
}
