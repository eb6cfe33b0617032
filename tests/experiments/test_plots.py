"""Figures, read back: the numbers that are drawn, where they stand, and whether everybody can tell
them apart.
"""

import csv
import itertools

import matplotlib
import pytest
from matplotlib.colors import to_hex

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.statistics import wilson_interval
from anyzero.tools.figures import COLOURS, parse_formats, save_figures
from anyzero.tools.lab.run import ExperimentResult
from anyzero.tools.lab.score_plots import (
    COLOUR_MAP,
    SCALE,
    ink_on,
    plot_rows,
)
from anyzero.tools.lab.table import GRID_COLUMNS, STUDENT_COLUMNS, read_rows
from tests.views.colour_vision import VISION, linear_rgb, seen

REST = (0,) * 7  # score, Elo and seconds are computed from the counts


def write_table(path, columns, rows, delimiter=","):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def grid_row(game, options, players, budgets, seat, tally):
    return [game, options, *players, *budgets, seat, sum(tally), *tally, *REST]


def rave_row(size, budgets, wins, games=20, seat="both"):
    players = (f"rave:{budgets[0]},bias=1e-5", f"uct:{budgets[1]}")
    return grid_row(
        "hex", f"size={size},swap=false", players, budgets, seat, (wins, 0, games - wins)
    )


def draw(path):
    return dict(plot_rows(read_rows(path)))


def texts_at(axes, x, y):
    return [
        text.get_text()
        for text in axes.texts
        if (text.get_position()[0], round(text.get_position()[1])) == (x, y)
    ]


def scores_in(axes):
    """As they are drawn, the lowest line first; None where there is no cell."""
    lines = axes.images[0].get_array().tolist()
    return [[None if score is None else round(score, 6) for score in line] for line in lines]


def labels(ticks):
    return [tick.get_text() for tick in ticks]


def test_a_heat_map_shows_each_score_at_its_budgets(tmp_path):
    wins = {(100, 100): 15, (100, 1000): 4, (1000, 100): 20, (1000, 1000): 11}
    rows = [rave_row(5, budgets, won) for budgets, won in wins.items()]
    figures = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))
    assert set(figures) == {
        "heat_map_hex_rave-bias-1e-5_uct",
        "budgets_hex_rave-bias-1e-5_uct",
        "table",
    }
    figure = figures["heat_map_hex_rave-bias-1e-5_uct"]
    axes, bar = figure.axes
    assert scores_in(axes) == [[75.0, 20.0], [100.0, 55.0]]
    assert labels(axes.get_xticklabels()) == labels(axes.get_yticklabels()) == ["100", "1000"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("budget of uct", "budget of rave,bias=1e-5")
    assert not axes.yaxis_inverted()
    assert texts_at(axes, 0, 0) == ["75", "53 to 89"]  # Wilson for 15 of 20: 53.1 to 88.8
    assert texts_at(axes, 1, 0) == ["20", "8 to 42"]
    assert texts_at(axes, 0, 1) == ["100", "84 to 100"]
    assert (axes.images[0].norm.vmin, axes.images[0].norm.vmax) == (0, 100)
    assert labels(bar.get_yticklabels()) == ["0", "25", "50", "75", "100"]
    caption = figure._supxlabel.get_text().replace("\n", " ")
    assert "n = 20 per cell, each player moving first in half of them" in caption
    assert "hex: size 5, swap false" in caption
    assert figure._suptitle.get_text() == "hex: rave,bias=1e-5 against uct"


def test_in_a_game_of_one_seat_nobody_moves_first(tmp_path):
    """Both play each of ten deals."""
    row = grid_row("take_it_easy", "", ("flat:9", "random"), (9, ""), "both", (8, 0, 2))
    row[GRID_COLUMNS.index("games")] = 20
    caption = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, [row]))[
        "table"
    ]._supxlabel.get_text()
    assert "n = 10 per cell. Small print" in caption.replace("\n", " ")


def test_first_seats_are_panels_and_cells_without_games_are_grey(tmp_path):
    rows = [rave_row(5, (10, 10), 12, seat="first"), rave_row(5, (20, 10), 14, seat="first")]
    rows += [rave_row(5, (10, 10), 8, 10, seat="second")]
    figure = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))[
        "heat_map_hex_rave-bias-1e-5_uct"
    ]
    first, second, _ = figure.axes
    assert first.get_title() == "rave,bias=1e-5 moves first"
    assert second.get_title() == "uct moves first"
    assert scores_in(first) == [[60.0], [70.0]]
    assert scores_in(second) == [[80.0], [None]]
    assert texts_at(second, 0, 1) == []
    caption = figure._supxlabel.get_text().replace("\n", " ")
    assert "n = 10 to 20 per cell" in caption
    assert "half of them" not in caption
    assert caption.endswith("Grey: no games.")


def test_beside_fixed_first_seats_the_panel_of_alternating_ones_has_its_title_too(tmp_path):
    budgets = itertools.product((10, 20), repeat=2)
    rows = [rave_row(5, pair, 12, seat=seat) for pair in budgets for seat in ("first", "both")]
    figures = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))
    for name in ("heat_map_hex_rave-bias-1e-5_uct", "budgets_hex_rave-bias-1e-5_uct"):
        titles = [axes.get_title() for axes in figures[name].axes[:2]]
        assert titles == ["rave,bias=1e-5 moves first", "the first move alternates"]


def test_curves_have_a_line_a_size_with_wilson_intervals(tmp_path):
    rows = [
        rave_row(size, (budget, budget), size + budget // 100)
        for size in (5, 7)
        for budget in (500, 100)
    ]
    rows += [rave_row(5, (100, 500), 3)]  # not an equal budget
    figure = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))[
        "budgets_hex_rave-bias-1e-5_uct"
    ]
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert axes.get_ylim() == (-3, 103)
    assert labels(axes.get_xticklabels()) == ["100", "500"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["size 5", "size 7"]
    for line, bars, wins in zip(axes.lines, axes.collections, ((6, 10), (8, 12)), strict=False):
        budgets, scores = line.get_data()
        assert budgets == pytest.approx([100, 500], rel=0.05)
        assert scores == pytest.approx([100 * won / 20 for won in wins])
        for (_, low), (_, high), won in zip(
            *zip(*bars.get_segments(), strict=True), wins, strict=True
        ):
            assert (low / 100, high / 100) == pytest.approx(wilson_interval(won / 20, 20)[1:])


def test_a_curve_against_a_player_without_a_budget_says_whose_budget_it_is(tmp_path):
    rows = [
        grid_row("oware", "", (f"uct:{budget}", "random"), (budget, ""), "both", (won, 2, 8 - won))
        for budget, won in (("1s", 8), ("0.5s", 3))
    ]
    figures = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))
    (axes,) = figures["budgets_oware_uct_random"].axes
    assert axes.get_xlabel() == "budget of uct, seconds per move"
    assert axes.lines[0].get_data()[0] == pytest.approx([0.5, 1.0])
    assert axes.lines[0].get_data()[1] == pytest.approx([40.0, 90.0])
    assert "heat_map_oware_uct_random" not in figures


def test_a_table_has_games_down_and_pairs_across(tmp_path):
    pairs = (("rave:1000", "uct:1000"), ("grave:1000", "rave:1000"))
    wins = {"atarigo": (300, 220), "domineering": (250, 210)}
    rows = [
        grid_row(game, "", pair, (1000, 1000), "both", (won, 20, 380 - won))
        for game, both in wins.items()
        for pair, won in zip(pairs, both, strict=True)
    ]
    figures = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))
    assert list(figures) == ["table"]
    axes, _ = figures["table"].axes
    assert labels(axes.get_xticklabels()) == ["rave\nv. uct\n1000", "grave\nv. rave\n1000"]
    assert labels(axes.get_yticklabels()) == ["domineering", "atarigo"]  # upwards
    assert scores_in(axes) == [[65.0, 55.0], [77.5, 57.5]]


def test_a_wide_table_is_split_by_pair(tmp_path):
    rows = [
        grid_row(
            "hex",
            f"size={size}",
            (f"{first}:{budget}", f"uct:{budget}"),
            (budget, budget),
            "both",
            (budget, 0, 10),
        )
        for size in (3, 4)
        for first in ("rave", "grave")
        for budget in (10, 20, 30, 40, 50)
    ]
    figures = draw(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))
    assert {name for name in figures if name.startswith("table")} == {
        "table_rave_uct",
        "table_grave_uct",
    }
    axes, _ = figures["table_rave_uct"].axes
    assert labels(axes.get_xticklabels()) == ["10", "20", "30", "40", "50"]
    assert axes.get_xlabel() == "budget of both players"
    assert scores_in(axes)[1] == [50.0, 66.666667, 75.0, 80.0, 83.333333]


# --- files that are read


def student_row(size, budgets, players, start, wins):
    return [size, *budgets, *players, sum(wins), start, *wins]


def test_the_students_table_is_read_from_its_counts_alone(tmp_path):
    rows = [
        student_row(3, (one, two), ("rave", "mcts"), start, (one // 10, two // 10))
        for one, two, start in itertools.product((10, 50), (10, 50), (1, 2))
    ]
    for delimiter in (",", ";"):
        figures = draw(write_table(tmp_path / "t.csv", STUDENT_COLUMNS[:9], rows, delimiter))
        first, second, _ = figures["heat_map_hex_rave-J1_mcts-J2"].axes
        assert first.get_title() == "rave (J1) moves first"
        assert second.get_title() == "mcts (J2) moves first"
        assert scores_in(first) == [[50.0, 16.666667], [83.333333, 50.0]]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not the table of an experiment"),
        ("a,b\n1,2\n", "not the table of an experiment"),
        (
            '{"form": "anyzero games 1", "game": "hex", "players": ["a", "b"]}\n{}\n',
            "holds games; the table of",
        ),
        (",".join(GRID_COLUMNS) + "\n", "holds no finished cell yet"),
        (
            ",".join(GRID_COLUMNS) + "\nhex,,a,b,,,both,1,one,0,0\n",
            "line 2 is not a row of results",
        ),
        (",".join(GRID_COLUMNS) + "\nhex,,a,b,,,both,0,0,0,0\n", "line 2 has no games"),
        (",".join(GRID_COLUMNS) + "\nhex,,a,b,,,everybody,1,1,0,0\n", "first_seat is 'everybody'"),
        (",".join(GRID_COLUMNS) + "\nhex,,a\n", "line 2 is not a row of results"),
        ("\0\0\0", "not the table of an experiment"),
    ],
)
def test_a_file_that_is_no_result_is_one_sentence(tmp_path, content, says):
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(AnyzeroError, match=says):
        read_rows(path)


# --- how it looks


def test_scores_are_told_apart_with_any_colour_vision():
    shades = [
        to_hex(matplotlib.colormaps[COLOUR_MAP](SCALE(score))) for score in (0, 25, 50, 75, 100)
    ]
    for vision in VISION:
        points = [seen(shade, vision) for shade in shades]
        distances = [
            float(((one - two) ** 2).sum() ** 0.5) for one, two in itertools.combinations(points, 2)
        ]
        assert min(distances) > 20  # CIELAB; 2.3 is just noticeable


def test_lines_are_told_apart_by_their_colour_or_at_least_by_their_marker():
    assert len(set(COLOURS)) == 7
    for vision in VISION:
        one, two = seen(COLOURS[0], vision), seen(COLOURS[1], vision)
        assert ((one - two) ** 2).sum() ** 0.5 > 20


def test_numbers_can_be_read_on_every_colour():
    """A contrast of 4 to 1 (WCAG 2: 4.5 for small text, 3 for large)."""
    for score in range(101):
        light = [
            float(linear_rgb(to_hex(colour)) @ [0.2126, 0.7152, 0.0722]) + 0.05
            for colour in (matplotlib.colormaps[COLOUR_MAP](SCALE(score)), ink_on(score))
        ]
        assert max(light) / min(light) > 4


def test_games_called_alike_each_have_their_picture(tmp_path):
    budgets = (("1", "2"), ("2", "1"))
    rows = [
        grid_row(f"{folder}/x.py", "", ("uct", "rave"), two, "both", (1, 0, 1))
        for folder in "ab"
        for two in budgets
    ]
    path = write_table(tmp_path / "t.csv", GRID_COLUMNS, rows)
    found = ExperimentResult(tmp_path / "t.toml", path, [], 8).plot()
    assert list(found) == ["heat_map_x_uct_rave", "heat_map_x_uct_rave-2", "table"]


def test_figures_are_written_in_each_format_without_touching_the_global_state(tmp_path):
    before = dict(matplotlib.rcParams)
    rows = [
        grid_row("a$b$.py", "x=$1", (f"./$x.py:n=1{end}", "random"), ("", ""), "both", (3, 1, 0))
        for end in ("", "$")
    ]
    found = read_rows(write_table(tmp_path / "t.csv", GRID_COLUMNS, rows))
    figures = [*plot_rows(found), *plot_rows(found)]
    files = save_figures(figures, tmp_path / "deep" / "out", parse_formats("png, svg,PDF"))
    assert [path.name for path in files] == [
        "table.png",
        "table.svg",
        "table.pdf",
        *(f"table-2.{e}" for e in ("png", "svg", "pdf")),
    ]
    png, svg, pdf, *again = (file.read_bytes() for file in files)
    assert again == [png, svg, pdf]  # the same picture is the same file
    assert png.startswith(b"\x89PNG")
    assert b"<svg" in svg
    assert pdf.startswith(b"%PDF")
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(AnyzeroError, match="cannot write"):
        save_figures(figures, tmp_path / "t.csv", [".png"])
