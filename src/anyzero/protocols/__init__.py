"""Engine protocols: UCI for chess, GTP for board games with two seats. Thin doors to the search and the players.

Reading order: `uci` (the commands), `uci_options`, `uci_position`, `uci_limits`, `uci_search` (the thread that thinks),
`uci_info` (what it says); `gtp` (the commands), `gtp_session` (the game that they are about), `gtp_moves` (its texts).
"""
