"""Grids of matches from a file, their results as one table, and pictures of it.

Reading order: `config` (what is played, from a file), `run` (playing, stopping, resuming), `table`
(the results, written and read back), `plots` and `score_plots` (figures), `estimate` and `study`
(what AMAF estimates).
"""

from anyzero.tools.lab.config import Experiment, load_experiment
from anyzero.tools.lab.run import ExperimentResult, Reached, experiment, run_experiment

__all__ = [
    "Experiment",
    "ExperimentResult",
    "Reached",
    "experiment",
    "load_experiment",
    "run_experiment",
]
