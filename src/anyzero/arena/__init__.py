"""Who is stronger: games in pairs with the seats swapped, on all cores, with honest intervals.

Reading order: `plan` (which games, from which openings), `match` (one game), `workers` (many at once), `record` (what a
stopped run goes on from), `statistics` and `standings` (what the games say), `arena` (the doors),
`ladder` (what a net is worth).
"""

from anyzero.arena.arena import Tournament, match, play_games, tournament
from anyzero.arena.plan import Match, Plan, make_plan
from anyzero.arena.standings import Standings
from anyzero.arena.statistics import Sprt

__all__ = ["Match", "Plan", "Sprt", "Standings", "Tournament", "make_plan", "match", "play_games", "tournament"]
