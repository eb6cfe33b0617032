"""Curves, read back from the figures: the numbers that are drawn and the words around them."""

import pytest
from matplotlib.colors import to_hex
from matplotlib.image import imread

from anyzero.core.base.errors import AnyzeroError, UnknownNameError
from anyzero.tools.figures import FEW, save_figure
from anyzero.tools.lab.history import make_rows
from anyzero.tools.lab.plots import RunCurves, draw_runs
from tests.learning.reports import make_report


def curves(name="mine", numbers=range(1, 5), threshold=0.55, **changes):
    champions = {number: number if number != 3 else 2 for number in numbers}
    reports = [
        make_report(number, champions[number], **{"benchmark": None, **changes})
        for number in numbers
    ]
    return RunCurves(name, "hex:size=5", threshold, make_rows(reports))


def panels(figure):
    return {axes.get_title(): axes for axes in figure.axes if axes.get_title()}


def points(line):
    return [tuple(point) for point in line.get_xydata()]


def test_strength_is_drawn_with_its_interval():
    axes = panels(draw_runs([curves()]))["Strength, with 95 % interval"]
    assert points(axes.lines[0]) == [(1, 100), (2, 200), (3, 300), (4, 400)]
    bars = [segment.tolist() for segment in axes.collections[0].get_segments()]
    assert bars[0] == [[1, 60], [1, 140]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("generation", "Elo")


def test_many_points_have_a_band_instead_of_bars():
    axes = panels(draw_runs([curves(numbers=range(FEW + 1))]))["Strength, with 95 % interval"]
    band = axes.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (-40, 100 * FEW + 40)


def test_the_axis_can_be_minutes():
    """Each generation took 40 seconds."""
    axes = panels(draw_runs([curves()], by="minutes"))["Strength, with 95 % interval"]
    assert [round(60 * x) for x, _ in points(axes.lines[0])] == [40, 80, 120, 160]
    assert axes.get_xlabel() == "minutes of training"


def test_the_gate_shows_its_threshold_and_who_was_promoted():
    run = curves(threshold=0.75)
    axes = panels(draw_runs([run]))["Gate: threshold 75 %, filled where promoted"]
    assert axes.collections[0].get_offsets().tolist() == [[1, 60], [2, 60], [3, 60], [4, 60]]
    fills = [to_hex(colour) for colour in axes.collections[0].get_facecolors()]
    assert [fill == "#ffffff" for fill in fills] == [False, False, True, False]
    assert axes.lines[1].get_ydata() == [75, 75]


def test_every_loss_has_its_panel():
    found = panels(draw_runs([curves()]))
    drawn = {
        name: points(found[f"Loss: {name}"].lines[0])[0][1]
        for name in ("policy", "KL to the search", "value")
    }
    assert drawn == {"policy": 1.5, "KL to the search": 0.5, "value": 0.25}


def test_what_was_never_measured_has_no_panel():
    alone = curves(gate=None, league=None, benchmark={"mean": 130.0, "low": None, "high": None})
    kinds = [title.partition(":")[0] for title in panels(draw_runs([alone]))]
    assert kinds == ["Benchmark, with 95 % interval", *["Loss"] * 3, *["Speed"] * 2]
    assert "Benchmark, with 95 % interval" not in panels(draw_runs([curves()]))


def test_the_title_says_which_run_it_is_and_how_far():
    assert (
        draw_runs([curves()])._suptitle.get_text()
        == "hex:size=5: run mine, generation 4 after 2.7 minutes"
    )
    assert (
        draw_runs([curves("a"), curves("b")])._suptitle.get_text() == "hex:size=5: 2 runs compared"
    )


def test_several_runs_have_a_colour_each_in_every_panel():
    figure = draw_runs([curves("one"), curves("two", range(1, 9)), curves("three")])
    (legend,) = figure.legends
    colours = [line.get_color() for line in legend.get_lines()]
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two", "three"]
    assert len(set(colours)) == 3
    for axes in figure.axes:
        assert [line.get_color() for line in axes.lines] == colours
        assert axes.get_xlim() == (0, pytest.approx(8.24))


def test_ten_runs_can_be_told_apart():
    (legend,) = draw_runs([curves(f"run {number}") for number in range(10)]).legends
    assert len({(line.get_color(), line.get_linestyle()) for line in legend.get_lines()}) == 10


def test_nothing_to_draw_is_one_sentence():
    with pytest.raises(AnyzeroError, match="nothing to draw yet in mine"):
        draw_runs([curves(numbers=[])])
    with pytest.raises(UnknownNameError, match="known: generations, minutes"):
        draw_runs([curves()], by="hours")


def test_a_run_that_has_not_begun_does_not_keep_others_from_being_drawn():
    figure = draw_runs([curves("new", numbers=[]), curves("old")])
    assert [len(points(line)) for line in figure.axes[0].lines] == [0, 4]


def test_a_picture_is_the_same_file_every_time(tmp_path):
    for name in ("one.svg", "two.svg", "one.png"):
        save_figure(draw_runs([curves()]), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert imread(tmp_path / "one.png").std() > 0.05  # it is not blank


def test_a_wrong_name_of_a_picture_is_one_sentence(tmp_path):
    with pytest.raises(UnknownNameError, match=r"must end in .png, .svg, .pdf"):
        save_figure(draw_runs([curves()]), tmp_path / "one.gif")
    with pytest.raises(AnyzeroError, match="cannot write"):
        save_figure(draw_runs([curves()]), tmp_path / "nowhere" / "one.png")
