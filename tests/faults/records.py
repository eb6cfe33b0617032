"""The record of a match, damaged or edited; then it is read again, as a match does that goes on."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from anyzero.core.base.sealed import SEAL
from anyzero.tools.arena.arena import match
from anyzero.tools.arena.plan import make_plan
from anyzero.tools.arena.record import Record
from tests.faults.damage import cut, flip_a_bit, write_zeros
from tests.faults.table import Table

WHO: Any = ("tic_tac_toe", ("uct:20", "random"))
GAMES = 8


def swap_payoffs(values: dict[str, Any]) -> None:
    values["payoffs"] = values["payoffs"][::-1] if any(values["payoffs"]) else [1.0, -1.0]


def spoil_payoffs(values: dict[str, Any]) -> None:
    values["payoffs"] = [float("nan"), 0.0]


def spoil_moves(values: dict[str, Any]) -> None:
    values["moves"] = [*values["moves"][:2], values["moves"][0], "nonsense"]


def swap_players(values: dict[str, Any]) -> None:
    values["players"] = values["players"][::-1]


EDITS = {edit.__name__: edit for edit in (swap_payoffs, spoil_payoffs, spoil_moves, swap_players)}
DAMAGES = {"flip": flip_a_bit, "cut": cut, "zeros": write_zeros}


def edited(content: str, edit: Callable[[dict[str, Any]], None], rng: random.Random) -> str:
    """With one game changed, with and without the seal that would tell of it."""
    lines = content.splitlines()
    number = rng.randrange(1, len(lines))
    values = json.loads(lines[number])
    edit(values)
    if rng.random() < 0.5:
        values.pop(SEAL)
    return "\n".join([*lines[:number], json.dumps(values), *lines[number + 1 :]]) + "\n"


def run_campaign(place: Path, table: Table, *, tries: int) -> None:
    """Each damage and each edit in turn; games that are read must be those that were played."""
    whole, path = place / "whole.jsonl", place / "games.jsonl"
    match(WHO[0], *WHO[1], games=GAMES, record=whole, workers=1, progress=False)
    plan = make_plan(*WHO, games=GAMES)
    played = read(whole, plan)
    assert len(played) == GAMES
    for number in table.turns(range(tries)):
        rng, picked = (
            np.random.default_rng([table.seed, number]),
            random.Random(f"{table.seed} {number}"),
        )
        for name, damage in DAMAGES.items():
            path.write_bytes(whole.read_bytes())
            damage(path, rng)
            judge(table, name, path, plan, played, number)
        for name, edit in EDITS.items():
            path.write_text(edited(whole.read_text(), edit, picked))
            judge(table, name, path, plan, played, number)


def judge(
    table: Table, name: str, path: Path, plan: Any, played: dict[Any, str], number: int
) -> None:
    table.judge(
        f"match record: {name}",
        lambda: read(path, plan).items() <= played.items(),
        True,
        str(number),
    )


def read(path: Path, plan: Any) -> dict[Any, str]:
    """The games that a match would take over; the others it plays again, to the same end."""
    record = Record([plan], path)
    record.close()
    return {match: json.dumps(result.to_json()) for match, result in record.results[plan].items()}
