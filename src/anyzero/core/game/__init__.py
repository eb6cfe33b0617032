"""What a game is: `contract` (its functions), `game` (the rules and sizes in one object), `line` (a
game as it was played), `load` (from a name or a file to a game), `rollouts` (many random games).
"""
