"""Who is stronger: games in pairs with the seats swapped, on all cores, with honest intervals.

Reading order: `plan` (which games, from which openings), `match` (one game), `workers` (many at once), `record` (what a
stopped run goes on from), `statistics` and `standings` (what the games say), `arena` (the door), `tournament`,
`ladder` (what a net is worth).
"""

from anyzero.arena.arena import match, play_games
from anyzero.arena.plan import Match, Plan, make_plan
from anyzero.arena.standings import Standings
from anyzero.arena.statistics import Sprt
from anyzero.arena.tournament import Tournament, tournament

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
