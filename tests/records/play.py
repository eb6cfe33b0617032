"""Games for the tests of records: random ones, up to some length, with all that a record can hold."""

import random
from functools import cache

import anyzero
from anyzero.records import BadRecordError, Evaluation, GameInProgress, read_records


@cache
def load(text: str):
    """A game, loaded once: its door is compiled after a while."""
    return anyzero.load(text)


def random_table(text: str, seed: int, most: int = 12, *, start=None) -> GameInProgress:
    """A table after some random moves, with clocks and evaluations on some of them, and perhaps an end."""
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
        evaluation = draw.choice([None, Evaluation(round(draw.uniform(-1, 1), 4), draw.randrange(10**6))])
        table.play(draw.choice(table.legal_moves), seconds=seconds, evaluation=evaluation)
    if not table.is_over and draw.random() < 0.4:
        draw.choice([table.resign, table.forfeit])(draw.randrange(load(text).num_seats))
    return table


def play_all(text: str, moves: str) -> GameInProgress:
    """A table after these moves, separated by spaces."""
    table = GameInProgress(load(text))
    for move in moves.split():
        table.play(move)
    return table


def mutate(content: bytes, seed: int) -> bytes:
    """The bytes with a few places changed, cut out, doubled or added."""
    draw = random.Random(seed)
    changed = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(changed) + 1)
        end = min(len(changed), at + draw.choice([0, 1, 1, 2, 30]))
        part = bytes(changed[at:end])
        changed[at:end] = draw.choice([b"", part * 2, draw.choice(PIECES), bytes(draw.randrange(256) for _ in part)])
    return bytes(changed)


def read_or_refuse(path):
    """The games of a file and None, or None and the sentence that refuses it."""
    try:
        return read_records(path), None
    except BadRecordError as error:
        return None, str(error)


PIECES = [
    b'"',
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b"\\",
    b"-1",
    b"1e999",
    b"null",
    b"NaN",
    b"[[[[[[[",
    b"\xff",
    b"%",
]
PIECES += [
    b"0",
    b"B",
    b"\n",
    b"\x00",
    b"9" * 5000,
    b"\xd9\xa3",
    b"hex:size=19",
    b"./evil.py",
    b"1-0",
    b"$3",
    b"Z0",
    b"--",
]
