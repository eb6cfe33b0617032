"""Engine protocols: UCI for chess, GTP for board games with two seats. Thin doors to the search and the players.

Reading order: `uci` (the commands), `uci_options`, `uci_search` (the thread that thinks, and what it says); `gtp`;
`limits` (clocks and budgets of both).
"""
