"""Games from the disk at once: beside its record a game keeps its action numbers, and a check of where they lead.

A record alone takes five to ten times as long: every text is read and every move found to be legal. That is done only
where the numbers no longer lead to the same position, because the rules have changed, or where there are none.
"""

import zlib

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.records import GameInProgress, GameRecord
from anyzero.records.replay import Replayed, find_game, find_start, play_known


def actions_text(table: GameInProgress) -> str:
    """The whole line as numbers, a check of its last position first."""
    last = table.line[-1].state if table.line else table.start
    return " ".join(map(str, [zlib.crc32(last.tobytes()), *(ply.action for ply in table.line if ply.action >= 0)]))


def take_up(record: GameRecord, game: Game, text: str) -> GameInProgress:
    """The table of a record that this server wrote."""
    check, *actions = [int(number) for number in text.split()] or [-1]
    if len(actions) == len(record.moves):
        try:
            states = play_known(find_game(record, game), find_start(record.start, game), actions)
        except (AnyzeroError, ArithmeticError, LookupError):  # not the rules by which it was played
            return GameInProgress.from_record(record, game)
        if zlib.crc32(states[-1].tobytes()) == check:
            return GameInProgress.from_replayed(Replayed(record, game, states, actions))
    return GameInProgress.from_record(record, game)
