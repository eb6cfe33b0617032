"""A process that plays games: it reads plans and then tasks from standard input, and writes one JSON line for each.

Whatever a player prints goes to standard error. When standard input ends, because the arena is done or gone, the
process ends at once, even in the middle of a move.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from anyzero.arena.live import Live
from anyzero.arena.match import MatchResult, play_match
from anyzero.arena.openings import judge, make_opening
from anyzero.arena.plan import Match, Plan
from anyzero.child import Send, listen, take_output
from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.games.line import first_decision
from anyzero.games.load import load
from anyzero.players import Player, parse_player


def main(path: str) -> None:
    """Serve until standard input ends; `path` is the file of the live game."""
    send = take_output()
    lines: SimpleQueue[str] = SimpleQueue()
    folder = Path(path).parent
    listen(lines.put, lambda: shutil.rmtree(folder, ignore_errors=True))  # an arena that was killed left it
    try:
        serve(lambda: json.loads(lines.get()), send, Path(path))
    except Exception as error:  # a game's own code may raise anything; the arena says it in one sentence
        text = str(error) if isinstance(error, AnyzeroError) else f"{type(error).__name__}: {error}"
        send(json.dumps({"error": text}))


def serve(hear: Callable[[], Any], send: Send, path: Path) -> None:
    wanted = hear()
    live = Live(path, wanted["max_plies"], wanted["num_seats"], create=False)
    room = Room([Plan.from_json(plan) for plan in wanted["plans"]])
    room.set(wanted["first"])
    send(json.dumps({"ready": True}))
    while True:
        number, plan, *match = hear()
        result = room.set(plan).play(Match(*match), number, live)
        send(json.dumps({"number": number, **result.to_json()}))


class Table(NamedTuple):
    """A plan with its game and players, ready for a game."""

    plan: Plan
    game: Game
    players: list[Player]

    def play(self, match: Match, number: int, live: Live) -> MatchResult:
        plan, game = self.plan, self.game
        opening = make_opening(game, plan.seed, match.pair, plan.openings)
        live.start_match(number, len(opening))
        seats = [self.players[index] for index in match.by_seat(game.num_seats)]
        return play_match(game, match, seats, opening, seed=plan.seed, live=live, limit_s=plan.limit_s)


class Room:
    """Where the games of several plans are played: one table at a time, as the players at it may need much memory."""

    def __init__(self, plans: list[Plan]) -> None:
        self.plans = plans
        self.games: dict[str, Game] = {}
        self.table: Table | None = None

    def set(self, number: int) -> Table:
        """The table of a plan; games that follow each other are mostly of one."""
        plan = self.plans[number]
        if self.table is None or self.table.plan != plan:
            self.table = None
            if plan.game not in self.games:
                self.games[plan.game] = load(plan.game)
            self.table = Table(plan, self.games[plan.game], [parse_player(text) for text in plan.players])
            prepare(self.table)
        return self.table


def prepare(table: Table) -> None:
    """Compile or load everything before a clock runs."""
    plan, game, players = table
    for player in players:
        player.prepare(game)
    state = first_decision(game)
    if plan.openings and state is not None:
        judge(game, state, 0)
    if plan.limit_s is not None or any(player.limit_s is not None for player in players):
        game.compile_door()
