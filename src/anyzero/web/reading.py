"""Runs and experiments as the page shows them: by name, from the folders of the config, and never changed."""

import json
from pathlib import Path
from typing import Any

from anyzero.errors import AnyzeroError, UnknownNameError, list_some, nearest_hint
from anyzero.experiments.rows import GridRow, read_rows
from anyzero.learning.config import flatten
from anyzero.learning.folder import GAMES, RunFolder, list_runs
from anyzero.learning.summary import RunSummary, summarise
from anyzero.records.replay import find_start
from anyzero.web.catalog import Catalog

MOST_FILES = 200
LARGEST_TABLE = 8 << 20
"""Bytes; a larger table is not one of ours."""


def pick(name: str, paths: list[Path], kind: str) -> Path:
    """The path of this name; what a request says is only compared."""
    known = {path.name: path for path in paths}
    if name not in known:
        listed = f"known: {list_some(known)}" if known else "there are none"
        raise UnknownNameError(f"there is no {kind} {name[:60]!r}; {nearest_hint(name, known)}{listed}")
    return known[name]


# --- runs


def describe_runs(root: Path) -> dict[str, Any]:
    """All runs at a glance, and what is wrong with those that cannot be read."""
    found: list[dict[str, Any]] = []
    broken: list[dict[str, str]] = []
    for path in list_runs(root):
        try:
            found.append(run_values(summarise(path)))
        except AnyzeroError as error:
            broken.append({"name": path.name, "error": str(error)})
    return {"runs": found, "broken": broken}


def run_values(run: RunSummary) -> dict[str, Any]:
    return {key: value for key, value in run.to_json().items() if key != "path"}


def describe_run(root: Path, name: str) -> dict[str, Any]:
    """One run with its history, its settings, and how many games each generation has."""
    path = pick(name, list_runs(root), "run")
    run, folder = summarise(path), RunFolder.open(path)
    blocks = [{"generation": block.generation, "block": block.number} for block in folder.blocks(GAMES)]
    return {**run_values(run), "history": run.rows, "config": flatten(run.config.to_dict()), "blocks": blocks}


def describe_games(root: Path, name: str, generation: int, block: int) -> dict[str, Any]:
    """The games of a block in few words."""
    games = read_games(root, name, generation, block)
    about = [{"names": game["names"], "plies": len(game["actions"]), "payoffs": game["payoffs"]} for game in games]
    return {"games": about}


def describe_game(root: Path, name: str, place: tuple[int, int, int], catalog: Catalog) -> dict[str, Any]:
    """One game of a run, as moves; `place` is its generation, block and number."""
    games = read_games(root, name, *place[:2])
    if not 0 <= place[2] < len(games):
        raise UnknownNameError(f"the block has {len(games)} games, not a game {place[2]}")
    line, config = games[place[2]], RunFolder.open(pick(name, list_runs(root), "run")).config
    game, starts = catalog.load(config.game), config.selfplay.starts
    position = starts[line["start"]] if starts else None
    state, moves = find_start(position, game), []
    for action in line["actions"]:
        moves.append(game.format_action(state, action))
        state = game.play(state, action)
    about = {key: line[key] for key in ("names", "payoffs", "end")}
    return {"game": catalog.public(game), "position": position, "moves": moves, **about}


def read_games(root: Path, name: str, generation: int, block: int) -> list[dict[str, Any]]:
    folder = RunFolder.open(pick(name, list_runs(root), "run"))
    found = [one.path for one in folder.blocks(GAMES) if (one.generation, one.number) == (generation, block)]
    if not found:
        raise UnknownNameError(f"the run {name} has no block {block} of generation {generation}")
    try:
        return [json.loads(line) for line in found[0].read_text().splitlines()]
    except (OSError, ValueError) as error:
        raise AnyzeroError(f"the games of {name} cannot be read: {error}") from None


# --- experiments


def list_tables(folder: Path) -> list[Path]:
    """The tables of results in a folder."""
    try:
        found = sorted(path for path in folder.glob("*.csv") if path.stat().st_size <= LARGEST_TABLE)
    except OSError:
        return []
    return [path for path in found[:MOST_FILES] if is_table(path)]


def is_table(path: Path) -> bool:
    try:
        return bool(read_rows(path))
    except AnyzeroError:
        return False


def describe_experiments(folder: Path) -> dict[str, Any]:
    return {"experiments": [{"name": path.name, "changed": path.stat().st_mtime} for path in list_tables(folder)]}


def describe_experiment(folder: Path, name: str) -> dict[str, Any]:
    """All rows of a table."""
    return {"name": name, "rows": [row_values(row) for row in read_rows(pick(name, list_tables(folder), "experiment"))]}


def row_values(row: GridRow) -> dict[str, Any]:
    tally = {"wins": row.tally.wins, "draws": row.tally.draws, "losses": row.tally.losses}
    about = {"game": row.game, "options": row.options, "first": row.first, "second": row.second}
    return {**about, "budgets": row.budgets, "first_seat": row.first_seat, **tally, "score": list(row.score)}
