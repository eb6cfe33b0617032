"""Schemas say in one sentence what is wrong, and survive the trip through TOML."""

from typing import Literal

import pytest
from pydantic import Field

from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError, nearest_hint
from anyzero.core.base.schema import Schema, parse_value, read_toml, settings_of, write_toml


class Inner(Schema):
    games: int = Field(64, ge=0, le=1000)
    """Games of a contest."""
    rate: float = Field(0.5, gt=0)
    method: Literal["puct", "gumbel"] = "gumbel"
    names: tuple[str, ...] = ("a",)
    on: bool = True


class Outer(Schema):
    noun = "the run"
    seed: int = 0
    inner: Inner = Inner()


def sentence(**values):
    with pytest.raises(AnyzeroError) as error:
        Outer(**values)
    return str(error.value)


def test_each_fault_is_one_sentence_with_what_would_be_right():
    assert sentence(sed=1) == "the run has no setting 'sed'; did you mean seed? known: seed, inner"
    assert sentence(inner={"game": 1}).startswith(
        "inner has no setting 'game'; did you mean games? known: games"
    )
    assert sentence(inner={"games": 2000}) == "inner.games must be from 0 to 1000, not 2000"
    assert sentence(inner={"rate": 0}) == "inner.rate must be more than 0, not 0"
    assert sentence(inner={"rate": float("nan")}) == "inner.rate must be a finite number, not nan"
    assert sentence(inner={"games": True}) == "inner.games must be a whole number, not True"
    assert (
        sentence(inner={"method": "puckt"})
        == "inner.method cannot be 'puckt'; did you mean puct? known: puct, gumbel"
    )
    assert sentence(inner={"names": [1]}) == "inner.names.0 must be a text, not 1"
    assert sentence(inner=3) == "inner must be an object with keys, not 3"
    assert sentence(seed="x" * 500).endswith("...")


def test_kinds_of_faults_have_kinds_of_errors():
    with pytest.raises(UnknownNameError, match="file: the run has no setting"):
        Outer.parse({"x": 1}, "file")
    with pytest.raises(BadOptionError, match="the run must be an object with keys, not 3"):
        Outer.parse(3)


def test_lists_of_files_become_tuples_and_ints_may_be_floats():
    found = Outer.parse({"inner": {"names": ["b", "c"], "rate": 1}})
    assert (found.inner.names, found.inner.rate) == (("b", "c"), 1.0)


def test_a_change_is_checked_and_leaves_the_rest():
    assert Outer(seed=3).change(inner=Inner(games=2)) == Outer(seed=3, inner=Inner(games=2))
    with pytest.raises(BadOptionError):
        Inner().change(games=-1)


def test_texts_become_the_type_of_their_setting():
    assert parse_value(Outer, "inner.games", "7") == 7
    assert parse_value(Outer, "inner.on", "false") is False
    assert (
        parse_value(Outer, "inner.names", "x; y")
        == parse_value(Outer, "inner.names", "['x', 'y']")
        == ("x", "y")
    )
    for key, text, said in (
        ("inner.games", "many", "inner.games must be a whole number, not 'many'"),
        ("inner.games", "9" * 5000, "inner.games must be"),
        ("inner.games", "-1", "inner.games must be from 0 to 1000"),
        ("inner.gams", "1", "did you mean inner.games?"),
        ("inner.names", "['x'", "must be a list"),
    ):
        with pytest.raises(AnyzeroError) as error:
            parse_value(Outer, key, text)
        assert said in str(error.value)


def test_toml_gives_back_what_was_written(tmp_path):
    odd = Outer(seed=5, inner=Inner(names=('a "b"', "\x7f", "ü\n"), rate=1e-5))
    path = tmp_path / "config.toml"
    path.write_text(write_toml(odd.to_dict()), encoding="utf-8")
    assert Outer.parse(read_toml(path)) == odd


@pytest.mark.parametrize(
    "content", [b"a = ", b"a = " + b"9" * 5000, b"\xff", b"a = " + b"[" * 9999]
)
def test_a_file_that_is_not_toml_is_one_sentence(tmp_path, content):
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(BadOptionError, match="is not a TOML file"):
        read_toml(path)


def test_settings_list_their_meanings():
    games = {setting.key: setting for setting in settings_of(Outer)}["inner.games"]
    assert (games.default, games.meaning) == (64, "Games of a contest.")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("selfplay.sims", "selfplay.simulations"),
        ("lr", "trainer.learning_rate"),
        ("trainer.batchsize", "trainer.batch_size"),
        ("selfplay.batch_size", "trainer.batch_size"),
        ("simulatons", "simulations"),
    ],
)
def test_a_suggestion_goes_by_what_is_meant(text, meant):
    names = [
        "seed",
        "simulations",
        "selfplay.simulations",
        "selfplay.at_once",
        "trainer.learning_rate",
        "trainer.batch_size",
    ]
    assert nearest_hint(text, names) == f"did you mean {meant}? "
