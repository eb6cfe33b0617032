"""Engine protocols: UCI for chess, GTP for board games with two seats. Thin doors to the search and the players.

Reading order: `uci` (the commands, and the thread that thinks); `gtp`; `limits` (what both are told: clocks, budgets
and options).
"""
