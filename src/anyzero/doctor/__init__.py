"""The doctor: checks that say in words what is wrong with a training run, or whether a game is fit to be learnt.

Reading order: `finding` (what a check returns), `case` (what the checks look at), `positions` (games played again, and
positions whose value is certain), then the checks by what they look at: `results`, `values`, `trials`, `layers`,
`priors`, `play`, `gates`, `data`, `speed`, `rules`; last `examine`, which runs them and names the main diagnosis.
"""
