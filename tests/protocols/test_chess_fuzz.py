"""Thousands of wrong lines: the engines live, answer each, and change nothing where they refuse."""

import random
import time

import pytest

from anyzero.protocols.gtp import GtpEngine
from anyzero.protocols.uci import UciEngine
from tests.protocols.fuzz import GTP_LINES, UCI_LINES, mutated
from tests.protocols.lines import Listener

HANGING_S = 10.0
"""Longer than any machine is busy with a line, however many others it serves."""
FEW = pytest.param(4_000, id="few")
MANY = pytest.param(100_000, id="many", marks=pytest.mark.slow)


def uci_state(engine):
    return engine.options, engine.position.start, engine.position.moves, engine.position.state.tobytes()


@pytest.mark.parametrize("count", [FEW, MANY])
def test_the_uci_engine_lives_through_any_lines(count):
    rng, listener, slowest = random.Random(count), Listener(UciEngine), ("", 0.0)
    engine = listener.engine
    listener.tell("isready")
    accepted = 0
    for _ in range(count):
        line = mutated(rng, UCI_LINES)
        if line.split()[:1] == ["quit"]:
            continue
        before, was_searching, start = uci_state(engine), engine.is_searching, time.perf_counter()
        sent = listener.tell(line)
        slowest = max(slowest, (line, time.perf_counter() - start), key=lambda pair: pair[1])
        refused = [text for text in sent if text.startswith("info string ") and "mate is no" not in text]
        assert not any("failed: " in text for text in sent), (line, sent)
        if refused and not was_searching:
            assert uci_state(engine) == before, (line, sent)
        if line.split()[:1] == ["go"] and not refused:
            accepted += 1
            listener.tell("stop")
    listener.tell("stop")
    assert sum(text.startswith("bestmove") for text in listener.sent) == accepted + none_moves(listener.sent)
    assert slowest[1] < HANGING_S, slowest


def none_moves(sent):
    """A `go` in a finished game counts as refused: it says so and answers `(none)`."""
    return sent.count("bestmove (none)")


def gtp_state(engine):
    return engine.game.text, engine.table.moves, engine.table.termination, tuple(engine.clocks), engine.text


@pytest.mark.parametrize("count", [FEW, MANY])
def test_the_gtp_engine_lives_through_any_lines(count):
    rng, listener, slowest = (
        random.Random(count),
        Listener(lambda send: GtpEngine("hex:size=3", "random", send)),
        ("", 0.0),
    )
    engine = listener.engine
    for _ in range(count):
        line = mutated(rng, GTP_LINES)
        before, start = gtp_state(engine), time.perf_counter()
        sent = listener.tell(line)
        slowest = max(slowest, (line, time.perf_counter() - start), key=lambda pair: pair[1])
        assert len(sent) <= 1
        for answer in sent:
            assert answer.startswith(("=", "?"))
            assert answer.endswith("\n")
            assert "\n\n" not in answer
            assert "failed: " not in answer, (line, answer)
            if answer.startswith("?"):
                assert gtp_state(engine) == before, (line, answer)
    assert slowest[1] < HANGING_S, slowest
