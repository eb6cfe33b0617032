"""The style of all figures, and how they are saved. No global state of matplotlib is changed.

Modules that draw take its classes from here: without matplotlib their import is one sentence.
"""

import io
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anyzero.core.base.errors import AnyzeroError, UnknownNameError, check_name, list_some
from anyzero.core.base.extras import MissingPartError, needs_package
from anyzero.core.base.files import write_whole, writing
from anyzero.core.base.nouns import Values

try:
    import matplotlib as matplotlib
    from matplotlib.axes import Axes as Axes
    from matplotlib.colors import Normalize as Normalize
    from matplotlib.figure import Figure as Figure
    from matplotlib.lines import Line2D as Line2D
    from matplotlib.ticker import MaxNLocator as MaxNLocator
    from matplotlib.ticker import NullLocator as NullLocator
except ModuleNotFoundError as missing:
    raise MissingPartError(needs_package("matplotlib")) from missing

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Palette of Okabe and Ito 2008."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("solid", "dashed", "dotted")
"""Dashes change once the colours are used up."""
# font sizes, in points
TITLE = 11
LABEL = 9
SMALL = 7
CHARACTER = 0.055  # approximate width of a character of small print, in inches
FEW = 30  # with more points, curves have no markers, and a band instead of error bars
GUIDE: Values = {"color": "#7f7f7f", "linewidth": 0.8, "linestyle": (0, (4, 3))}
"""A reference line."""
FORMATS: dict[str, Values] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""With metadata that makes a file independent of its date."""
DOTS_PER_INCH = 150
ON_SCREEN = 80


Figures = Iterator[tuple[str, Figure]]  # each with the name of its file, without the suffix


class SeenFigure(Figure):
    """A figure that a notebook shows, whatever the backend."""

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=ON_SCREEN)
        return content.getvalue()


def new_figure(width: float, height: float, title: str, caption: str = "") -> Figure:
    """A figure with its title above and its caption below, which adds to its height."""
    lines = textwrap.wrap(caption, int(width / CHARACTER) - 3)
    figure = SeenFigure(figsize=(width, height + 0.14 * len(lines)), layout="constrained")
    figure.suptitle(title, fontsize=TITLE)
    if lines:
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=SMALL, color="#404040")
    return figure


def style_of(number: int) -> Values:
    colour = COLOURS[number % len(COLOURS)]
    marker = MARKERS[number % len(MARKERS)]
    dashes = DASHES[number // len(COLOURS) % len(DASHES)]
    return {
        "color": colour,
        "marker": marker,
        "linestyle": dashes,
        "linewidth": 1.4,
        "markersize": 4,
    }


def draw_curve(
    axes: Axes, number: int, points: Sequence[Sequence[float | None]], label: str = ""
) -> None:
    """A line through points (x, value, low, high), with their intervals if low and high are not
    None.
    """
    x, value, low, high = np.array([tuple(point) for point in points], float).reshape(-1, 4).T
    style = style_of(number)
    has_limits = np.isfinite(low) & np.isfinite(high)
    if len(points) > FEW:
        style["marker"] = ""
    axes.plot(x, value, label=label or None, **style)
    limits = (x[has_limits], low[has_limits], high[has_limits])
    colour = style["color"]
    if has_limits.any() and len(points) <= FEW:
        axes.vlines(*limits, color=colour, linewidth=1)
    elif has_limits.any():
        axes.fill_between(*limits, color=colour, alpha=0.2, linewidth=0)


def finish_axes(axes: Axes, title: str, across: str, up: str) -> None:
    """The labels of a panel of curves, and a light grid."""
    axes.set_title(title, fontsize=LABEL)
    axes.set_xlabel(across, fontsize=LABEL)
    axes.set_ylabel(up, fontsize=LABEL)
    axes.tick_params(labelsize=LABEL)
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def add_legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str]) -> None:
    figure.legend(handles, labels, loc="outside right upper", fontsize=LABEL, frameon=False)


def draw_ranking(
    players: Sequence[tuple[str, Sequence[float] | None]], *, title: str, unit: str
) -> Figure:
    """A row per player, best on top: its value, and a line from low to high. Players may have the
    same name.
    """
    figure = new_figure(6.0, 0.8 + 0.3 * len(players), title)
    axes = figure.subplots()
    for place, (_, interval) in enumerate(players):
        if interval is not None:
            value, low, high = interval
            axes.hlines(place, low, high, color=COLOURS[0], linewidth=1.4)
            axes.plot([value], [place], color=COLOURS[0], marker=MARKERS[0], markersize=5)
    finish_axes(axes, "", f"{unit}, with 95 % interval", "")
    axes.set_yticks(range(len(players)), [name for name, _ in players])
    axes.set_ylim(len(players) - 0.5, -0.5)
    return figure


def keep(figure: Figure, file: Path | str | None) -> Figure:
    """The figure, also saved if a file is named."""
    if file is not None:
        save_figure(figure, Path(file))
    return figure


def check_picture(path: Path) -> None:
    """Check the file's format and that its folder exists, before the work instead of after it."""
    if path.suffix.lower() not in FORMATS:
        raise UnknownNameError(
            f"a picture cannot be written to {path}; its name must end in {list_some(FORMATS)}"
        )
    if not path.parent.is_dir():
        raise AnyzeroError(f"cannot write {path}: there is no folder {path.parent}")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure atomically; the suffix of its name determines the format."""
    check_picture(path)
    suffix = path.suffix.lower()
    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "anyzero"}):  # the same figure gives the same file
        figure.savefig(content, format=suffix[1:], dpi=DOTS_PER_INCH, metadata=FORMATS[suffix])
    write_whole(path, content.getvalue())


# --- several figures


def parse_formats(text: str) -> list[str]:
    """`png,svg` as suffixes."""
    names = [part.strip().lower() for part in text.split(",")]
    for name in names:
        check_name("format", name, [form[1:] for form in FORMATS])
    return [f".{name}" for name in dict.fromkeys(names)]


def named_apart(figures: Iterable[tuple[str, Figure]]) -> Figures:
    """The figures under distinct names, however similar the names of their games and players."""
    taken: set[str] = set()
    for name, figure in figures:
        while name in taken:
            name += "-2"
        taken.add(name)
        yield name, figure


def save_figures(
    figures: Iterable[tuple[str, Figure]], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Write each figure in each format as it comes; returns the files."""
    files: list[Path] = []
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, figure in named_apart(figures):
        for form in formats:
            files.append(folder / f"{name}{form}")
            save_figure(figure, files[-1])
    return files
