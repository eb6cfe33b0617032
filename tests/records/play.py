"""Games for the tests of records: random ones, up to some length, with all that a record can
hold.
"""

import random
from functools import cache

import anyzero
from anyzero.app.records.files import READERS, read_chosen
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.record import Evaluation, GameRecord
from anyzero.core.game.play import Reason


@cache
def load(text: str):
    """A game, loaded once: its door is compiled after a while."""
    return anyzero.load(text)


def read_text(form: str, text: str) -> list[GameRecord]:
    """All games of a file's text."""
    return read_chosen(READERS[form](text, None), None)


def random_table(text: str, seed: int, most: int = 12, *, start=None) -> GameInProgress:
    """A table after some random moves, with clocks and evaluations on some of them, and perhaps an
    end.
    """
    draw = random.Random(seed)
    table = GameInProgress(
        load(text),
        start=start,
        players=('first \\ "[x]"', "sécond") if load(text).num_seats == 2 else ("one",),
        seed=draw.randrange(2**64),
        date=draw.choice(["", "2026-01-31"]),
    )
    for _ in range(draw.randrange(most + 1)):
        if table.is_over:
            break
        seconds = draw.choice([None, round(draw.random() * 4000, 3)])
        evaluation = draw.choice(
            [
                None,
                Evaluation(value=round(draw.uniform(-1, 1), 4), simulations=draw.randrange(10**6)),
            ]
        )
        table.play(draw.choice(table.legal_moves), seconds=seconds, evaluation=evaluation)
    if not table.is_over and draw.random() < 0.4:
        table.declare(
            draw.choice([Reason.RESIGNATION, Reason.FORFEIT]), draw.randrange(load(text).num_seats)
        )
    return table


def play_all(text: str, moves: str) -> GameInProgress:
    """A table after these moves, separated by spaces."""
    table = GameInProgress(load(text))
    for move in moves.split():
        table.play(move)
    return table
