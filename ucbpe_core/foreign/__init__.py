"""Runs of other tools: their trials, read from files, and why each point could have been chosen.

run       `Run`: trials in the order in which they began, over a space
retrace   the model before each trial, and the ranks of their choice under each rule
ranks     what each rule maximises, the rank of a place, and what kind of choice that is
read      `read_run`: which kind of file it is; the log of bayesian-optimization
optuna    the storages of Optuna, an SQLite database or a journal, without Optuna
ax        the JSON snapshot of Ax
sheets    tables: a row for each trial
"""

from ucbpe_core.foreign.read import read_run
from ucbpe_core.foreign.retrace import Choice, Retrace, retrace
from ucbpe_core.foreign.run import ForeignTrial, Run

__all__ = ["Choice", "ForeignTrial", "Retrace", "Run", "read_run", "retrace"]
