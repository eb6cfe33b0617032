"""Engine protocols: UCI for chess, GTP for board games with two seats. Thin interfaces to the
search and the players.

Reading order: `uci` (the commands, and the thread that thinks); `gtp`; `limits` (settings of both:
clocks, budgets and options).
"""
