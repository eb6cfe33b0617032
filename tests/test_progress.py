"""Bars: what they say is made when it is shown, and costs a small share of the time."""

from contextlib import nullcontext

import pytest

from anyzero.tools import progress


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(progress, "time", found)
    return found


def test_where_nobody_looks_no_words_are_made():
    with progress.progress("playing", 3, shown=False) as tell:
        tell(1, words=lambda: pytest.fail("nobody reads it"))


def test_words_that_take_long_are_made_seldom(clock, monkeypatch):
    shown = []

    def words():
        clock.now += 1.0
        return "+1 =0 -0"

    def keep(_done, _total, said):
        shown.append((clock.now, said))

    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "_in_terminal", lambda: nullcontext(keep))

    with progress.progress("playing", 1000) as tell:
        for done in range(1, 100):
            tell(done, words=words)
            clock.now += 0.5
    assert shown == [
        (101.0, "+1 =0 -0 1/1000"),
        (121.5, "+1 =0 -0 40/1000"),
        (142.0, "+1 =0 -0 79/1000"),
    ]
