"""What is kept outside of runs, damaged: games, records of contests, nets, the web app's file; then
it is used.
"""

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from anyzero.app.records.files import read_records, write_record
from anyzero.app.web.catalog import ServerConfig
from anyzero.app.web.forms import Message
from anyzero.app.web.room import Rooms
from anyzero.core.base.sealed import DamagedError
from anyzero.core.game.load import load
from anyzero.core.learning import find
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import save_network
from anyzero.tools.arena import cards
from anyzero.tools.arena.arena import match, tournament
from anyzero.tools.lab.run import experiment
from anyzero.tools.search import search
from tests.faults.damage import DAMAGES
from tests.faults.table import Table
from tests.records.play import random_table

GAME = "tic_tac_toe"
PLAYERS = ("uct:20", "random", "flat:9")
ALONE: Any = {"games": 4, "workers": 1, "progress": False}
GRID = (
    "games_per_cell = 2\nbudgets = [5, 9]\npairs = [['uct:{budget}', "
    "'random']]\n[[games]]\nname = 'tic_tac_toe'\n"
)
SWAPPED = "other"
"""The file of the same name that another run of the same kind has made."""
WAYS = tuple(SWAPPED if way == "another" else way for way in DAMAGES)


def play_match(place: Path, seed: int) -> object:
    return match(GAME, *PLAYERS[:2], record=place / "match.jsonl", seed=seed, **ALONE).to_json()


def play_tournament(place: Path, seed: int) -> object:
    return tournament(
        GAME, PLAYERS, record=place / "tournament.jsonl", seed=seed, **ALONE
    ).to_json()


def run_experiment(place: Path, seed: int) -> object:
    """What the table says, without times."""
    config = place / "grid.toml"
    if not config.exists():
        config.write_text(f"seed = {seed}\n{GRID}")
    rows = experiment(config, place / "grid.csv", workers=1, progress=False).rows
    return [
        [value for name, value in row.items() if "second" not in name] for row in map(as_dict, rows)
    ]


def as_dict(row: Any) -> dict[str, Any]:
    return (
        dict(row)
        if isinstance(row, dict)
        else dict(vars(row))
        if hasattr(row, "__dict__")
        else row._asdict()
    )


def keep_games(place: Path, seed: int) -> object:
    """Games that were saved are read again."""
    names = {"game.json": GAME, "game.pgn": "chess", "game.sgf": "hex:size=3,swap=true"}
    for name, game in names.items():
        if not (place / "saved").exists():
            write_record(place / name, random_table(game, seed, most=4).to_record())
    (place / "saved").touch()
    return [record.to_json() for name in names for record in read_records(place / name)]


def keep_net(place: Path, seed: int) -> object:
    path, game = place / "net.safetensors", load(GAME)
    if not (place / "saved").exists():
        save_network(path, new_network(game, parse_network("2x8"), seed), game)
        (place / "saved").touch()
    return search(GAME, method=f"gumbel:4@{path}").visits


def play_best(place: Path, seed: int) -> object:
    """The net in the box and its card."""
    if not (place / "saved").exists():
        shutil.copytree(
            find.FOLDER,
            place,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.py", "__pycache__"),
        )
        if seed:  # an older one, say
            save_network(
                place / f"{GAME}.safetensors",
                new_network(load(GAME), parse_network("2x8"), seed),
                load(GAME),
            )
        (place / "saved").touch()
    cards.nets.cache_clear()
    with patch.object(find, "FOLDER", place):
        return search(GAME, method="gumbel:4@best").visits, cards.nets().to_json()


def keep_rooms(place: Path, seed: int) -> object:
    """Three tables of the web app, and what they are after a restart."""
    path = place / "games.sqlite3"
    is_new = not (place / "saved").exists()
    rooms = Rooms(ServerConfig(data=path))
    try:
        for number in range(3 if is_new else 0):
            wanted = {
                "game": GAME,
                "seats": ["human", "human"],
                "seed": seed,
                "moves": ["a1", "b2", "c3"][: number + 1],
            }
            rooms.make(Message(type="new", **wanted))
        (place / "saved").touch()
        rows = sorted(rooms.shelf.list(), key=lambda row: row["num_moves"])
        return [(row["num_moves"], rooms.restore(row["id"]).values()["moves"]) for row in rows]
    finally:
        rooms.shelf.close()


OPEN_FORMS = ("flip", "cut", SWAPPED)
"""What nobody can know of a file in a form that is open to every editor, and has no hash."""
NEVER_WAS = ("delete", "empty", "dangling")
"""The web app's file is made where it is not there, and where it is empty."""
EXCEPT = {"saved games": OPEN_FORMS, "net": (SWAPPED,), "web games": (*NEVER_WAS, SWAPPED)}
USES: dict[str, tuple[Callable[[Path, int], object], tuple[str, ...]]] = {
    "match": (play_match, ("match.jsonl",)),
    "tournament": (play_tournament, ("tournament.jsonl",)),
    "experiment": (run_experiment, ("grid.csv", "grid.jsonl")),
    "saved games": (keep_games, ("game.json", "game.pgn", "game.sgf")),
    "net": (keep_net, ("net.safetensors",)),
    "box": (play_best, (f"{GAME}.safetensors", f"{GAME}.toml")),
    "web games": (keep_rooms, ("games.sqlite3",)),
}


def run_campaign(place: Path, table: Table, *, tries: int) -> None:
    """Damage each file so many times, the damages in turn, and use it."""
    expected = {}
    for name, (use, _) in USES.items():
        for seed, whole in enumerate((place / name / "whole", place / name / SWAPPED)):
            whole.mkdir(parents=True)
            with suppress(DamagedError):  # an older net is not the one of the card
                expected.setdefault(name, use(whole, seed))
    for one in table.turns(range(tries)):
        for number, (name, (use, files)) in enumerate(USES.items()):
            for file in files:
                ways = [way for way in WAYS if way not in EXCEPT.get(name, ())]
                rng, way = np.random.default_rng([table.seed, one, number]), ways[one % len(ways)]
                work = place / "run"
                shutil.rmtree(work, ignore_errors=True)
                shutil.copytree(place / name / "whole", work)
                damage_one(place / name, work / file, way, rng)
                table.judge(f"{name}: {file}", partial(use, work, 0), expected[name], way)


def damage_one(place: Path, file: Path, way: str, rng: np.random.Generator) -> None:
    content = (place / "whole" / file.name).read_bytes()
    if way == SWAPPED:
        shutil.copy(place / SWAPPED / file.name, file)
    while way in DAMAGES and file.is_file() and file.read_bytes() == content:
        DAMAGES[way](file, rng)
