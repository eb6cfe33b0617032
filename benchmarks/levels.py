"""How strong the levels of each game are, each against the one below it, and how long `max` takes
for a move.

    .venv/bin/python benchmarks/levels.py [GAME ...] [--games 20] [--record FOLDER]

Elo is the sum of the differences from level to level, over random play; the interval is that of the
last difference. In a game of one seat, mean points. Seconds are the process's own on one core.
Stopped, it goes on from the records.
"""

import argparse
import time
from itertools import pairwise
from pathlib import Path

from anyzero.core.game.game import Game
from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.game.play import Play
from anyzero.tools.arena import match
from anyzero.tools.arena.plan import random_line
from anyzero.tools.arena.standings import Standings
from anyzero.tools.players import parse_player
from anyzero.tools.players.text import LEVELS, level_text

POSITIONS = 6


def seconds_a_move(game: Game, text: str) -> float:
    """The slowest of a few moves, the first of which was spent on compiling."""
    player, slowest = parse_player(text), 0.0
    player.prepare(game)
    for seed in range(POSITIONS):
        line = Play.begin(game)
        for action in random_line(game, 4 * seed, seed)[0]:
            line = line.play(game, action)
        start = time.process_time()
        if game.seat_to_move(line.state) >= 0:
            player.choose(game, line, seed)
        slowest = max(slowest, time.process_time() - start)
    return slowest


def measure(name: str, games: int, record: Path | None) -> None:
    game = load(name)
    players = ["random", *(f"level:{level}" for level in LEVELS)]
    elo = 0.0
    for below, above in pairwise(players):
        kept = None if record is None else record / f"{name}-{above.partition(':')[2]}.jsonl"
        found = match(game, above, below, games=games, workers=1, progress=False, record=kept)
        elo += found.elo.value if found.elo else 0.0
        print(
            f"{name} {above} = {level_text(game, above.partition(':')[2])}: {describe(found, elo)}",
            flush=True,
        )
    print(f"{name} level:max: {seconds_a_move(game, 'level:max'):.2f} s a move at most", flush=True)


def describe(found: Standings, elo: float) -> str:
    if found.elo is None:
        return f"mean scores {found.means} with the level below, {found.games // 2} deals"
    score = f"{found.tally.score:.0%} against the one below in {found.games} games"
    return (
        f"{score}, {found.elo.value:+.0f} ({found.elo.low:+.0f} to "
        f"{found.elo.high:+.0f}), together {elo:+.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=sorted(BUILT_IN))
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--record", type=Path)
    arguments = parser.parse_args()
    for name in arguments.names:
        measure(name, arguments.games, arguments.record)


if __name__ == "__main__":
    main()
