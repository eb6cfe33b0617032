"""All that one must hold of anyzero: from plain functions to machine code, games, searches, nets
and learning. It imports nothing of the other folders.

Reading order, each room importing only those before it: `base` (what everything uses), `compile`
(plain functions to machine code), `game` (the contract), `search` (one tree and many formulas),
`nets` (networks and evaluators), `learning` (self-play, training, runs).
"""
