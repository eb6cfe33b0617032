"""Who is stronger: games in pairs with the seats swapped, on all cores, with honest intervals.

Reading order: `plan` (which games, from which openings), `match` (one game), `workers` (many at
once), `record` (from which a stopped run resumes), `statistics` and `standings` (results of the
games), `arena` (the public functions), `ladder` (the strength of a net).
"""

from anyzero.tools.arena.arena import Tournament, match, play_games, tournament
from anyzero.tools.arena.elo import Sprt
from anyzero.tools.arena.plan import Match, Plan, make_plan
from anyzero.tools.arena.standings import Standings

__all__ = [
    "Match",
    "Plan",
    "Sprt",
    "Standings",
    "Tournament",
    "make_plan",
    "match",
    "play_games",
    "tournament",
]
