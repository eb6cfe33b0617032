"""The doctor: checks that explain what is wrong with a training run, or whether a game is suitable
for learning.
"""
