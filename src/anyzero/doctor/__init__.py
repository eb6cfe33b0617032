"""The doctor: checks that say in words what is wrong with a training run, or whether a game is fit to be learnt."""
