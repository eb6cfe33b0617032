"""Grids of matches from a file, their results as one table, and pictures of it.

Reading order: `fields` (checked values of a config), `grid` (what is played), `toml_form` and `json_form` (the two ways
to write it down), `config` (the file), `results` (what a cell's games say), `run` (playing, stopping, going on), `rows`
(a table read back), `plots` and `score_plots` (how it looks).
"""

from anyzero.experiments.config import load_experiment
from anyzero.experiments.grid import Cell, Experiment
from anyzero.experiments.run import Reached, run_experiment

__all__ = ["Cell", "Experiment", "Reached", "load_experiment", "run_experiment"]
