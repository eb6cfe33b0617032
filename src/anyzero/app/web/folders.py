"""Runs and experiments as shown by the page: by name, from the configured folders, read only."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import Path as InPath

import anyzero
from anyzero.app.web.catalog import Catalog
from anyzero.core.base.errors import AnyzeroError, UnknownNameError, unknown_name
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import count
from anyzero.core.game.load import position_of
from anyzero.core.game.play import move_texts
from anyzero.core.learning.config import RunConfig, flatten
from anyzero.core.learning.folder import GAMES, RunFolder, list_runs, read_games

Name = Annotated[str, InPath(max_length=200)]
Number = Annotated[int, InPath(ge=0, lt=10**6)]
MOST_FILES = 200
LARGEST_TABLE = 8 << 20  # bytes; a larger table is not one of ours


class Folders:
    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.root = catalog.config.runs
        self.tables = catalog.config.experiments

    # --- runs

    def runs(self) -> Values:
        """All runs at a glance, and the faults of unreadable ones."""
        table = anyzero.runs(root=self.root)
        broken = [{"name": name, "error": error} for name, error in table.broken.items()]
        return {"runs": [run_values(run) for run in table.runs], "broken": broken}

    def run(self, name: Name) -> Values:
        path = self.path_of(name)
        (run,) = anyzero.runs(str(path), root=self.root).runs
        blocks = RunFolder.open(path).blocks(GAMES)
        played = [{"generation": block.generation, "block": block.number} for block in blocks]
        return {
            **run_values(run),
            "history": run.history,
            "config": flatten(run.config.to_dict()),
            "blocks": played,
        }

    def games(self, name: Name, generation: Number, block: Number) -> Values:
        _, games = self.read_games(name, generation, block)
        about = [
            {"names": game["names"], "plies": len(game["actions"]), "payoffs": game["payoffs"]}
            for game in games
        ]
        return {"games": about}

    def game(self, name: Name, generation: Number, block: Number, number: Number) -> Values:
        config, games = self.read_games(name, generation, block)
        if number >= len(games):
            raise UnknownNameError(
                f"the block has {count(len(games), 'game')}, not a game {number}"
            )
        line = games[number]
        starts = config.selfplay.starts
        position = starts[line["start"]] if starts else None
        game, start = position_of(self.catalog.load(config.game), position)
        moves, _ = move_texts(game, start, line["actions"])
        about = {key: line[key] for key in ("names", "payoffs", "end")}
        return {"game": self.catalog.public(game), "position": position, "moves": moves, **about}

    def path_of(self, name: str) -> Path:
        return path_named(name, list_runs(self.root), "run")

    def read_games(self, name: str, generation: int, block: int) -> tuple[RunConfig, list[Values]]:
        folder = RunFolder.open(self.path_of(name))
        path = folder.games_path(generation, block)
        if not path.is_file():
            raise UnknownNameError(
                f"the run {name} has no block {block} of generation {generation}"
            )
        return folder.config, read_games(path)

    # --- experiments

    def experiments(self) -> Values:
        return {
            "experiments": [
                {"name": path.name, "changed": path.stat().st_mtime} for path in self.list_tables()
            ]
        }

    def experiment(self, name: Name) -> Values:
        rows = []
        for row in anyzero.results(path_named(name, self.list_tables(), "experiment")):
            values = row._asdict()
            rows.append({**values, **vars(values.pop("tally")), "score": list(row.score)})
        return {"name": name, "rows": rows}

    def list_tables(self) -> list[Path]:
        try:
            paths = sorted(
                path for path in self.tables.glob("*.csv") if path.stat().st_size <= LARGEST_TABLE
            )
        except OSError:
            return []
        tables = []
        for path in paths[:MOST_FILES]:
            with suppress(AnyzeroError):
                anyzero.results(path)
                tables.append(path)
        return tables


def path_named(name: str, paths: list[Path], kind: str) -> Path:
    """The path of this name; the text of a request is only compared."""
    by_name = {path.name: path for path in paths}
    if name not in by_name:
        raise unknown_name(kind, name[:60], by_name)
    return by_name[name]


class RunAtAGlance(Protocol):
    """A training run at a glance."""

    @property
    def name(self) -> str: ...

    @property
    def champion_generation(self) -> int | None: ...

    @property
    def champion(self) -> str: ...

    def to_json(self) -> Values: ...


def run_values(run: RunAtAGlance) -> Values:
    player = (
        None if run.champion_generation is None else f"{run.champion.partition('@')[0]}@{run.name}"
    )
    return {
        **{key: value for key, value in run.to_json().items() if key != "path"},
        "player": player,
    }
