"""A process that plays games: it reads a plan and then tasks from standard input, and writes one JSON line for each.

Whatever a player prints goes to standard error. When standard input ends, because the arena is done or gone, the
process ends at once, even in the middle of a move.
"""

import json
import os
import shutil
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TextIO

from anyzero.arena.live import Live
from anyzero.arena.match import play_match
from anyzero.arena.openings import judge, make_opening
from anyzero.arena.plan import Match, Plan
from anyzero.games.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.players import Player, parse_player
from anyzero.players.player import first_decision


def main() -> None:
    """Serve until standard input ends; the first argument is the file of the live game."""
    answers = take_output()
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=read_tasks, args=(tasks,), daemon=True).start()
    try:
        serve(tasks, answers, Path(sys.argv[1]))
    except Exception as error:  # a game's own code may raise anything; the arena says it in one sentence
        text = str(error) if isinstance(error, AnyzeroError) else f"{type(error).__name__}: {error}"
        answer(answers, {"error": text})


def take_output() -> TextIO:
    """The pipe to the arena, kept from everything that prints."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def read_tasks(tasks: "SimpleQueue[Any]") -> None:
    for line in sys.stdin:
        tasks.put(json.loads(line))
    shutil.rmtree(Path(sys.argv[1]).parent, ignore_errors=True)  # the arena was killed before it could clean up
    os._exit(0)


def answer(answers: TextIO, value: dict[str, Any]) -> None:
    answers.write(json.dumps(value) + "\n")
    answers.flush()


def serve(tasks: "SimpleQueue[Any]", answers: TextIO, path: Path) -> None:
    wanted = tasks.get()
    plan = Plan(**{**wanted, "players": tuple(wanted["players"])})
    game = load(plan.game)
    players = [parse_player(text) for text in plan.players]
    live = Live(path, game.max_plies, game.num_seats, create=False)
    prepare(game, plan, players)
    answer(answers, {"ready": True})
    while True:
        number, *match = tasks.get()
        answer(answers, play_task(game, plan, players, live, number, Match(*match)))


def prepare(game: Game, plan: Plan, players: list[Player]) -> None:
    """Compile or load everything before a clock runs."""
    for player in players:
        player.prepare(game)
    state = first_decision(game)
    if plan.openings and state is not None:
        judge(game, state, 0)
    if plan.limit_s is not None or any(player.limit_s is not None for player in players):
        game.compile_door()


def play_task(game: Game, plan: Plan, players: list[Player], live: Live, number: int, match: Match) -> dict[str, Any]:
    opening = make_opening(game, plan.seed, match.pair, plan.openings)
    live.start_match(number, len(opening))
    seats = [players[index] for index in match.by_seat(game.num_seats)]
    result = play_match(game, match, seats, opening, seed=plan.seed, live=live, limit_s=plan.limit_s)
    return {"number": number, **result.to_json()}
