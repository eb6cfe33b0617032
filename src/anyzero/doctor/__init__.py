"""The doctor: checks that say in words what is wrong with a training run, or whether a game is fit to be learnt.

Reading order: `case` (a finding, and what the checks look at), `data` (checks of games, samples and reports), `network`
(checks of values, layers, learning and priors), `examine` (the table of checks and the main diagnosis).
"""
