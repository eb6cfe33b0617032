"""Engine protocols: UCI for chess, GTP for board games with two seats. Thin doors to the search and the players.

Reading order: `uci` (the commands), `uci_search` (the thread that thinks, and what it says); `gtp`; `limits` (what
both are told: clocks, budgets and options).
"""
