"""Stored and resumed games: `GameRecord` (one form for all games), its files, and
`GameInProgress`.
"""
