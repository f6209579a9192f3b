"""Real experiments that are saved: ask, record results, undo, save, and continue another day.

An `Experiment` is immutable and keeps a journal to which every step adds an entry: no recorded
result is lost, and `undo` reverts any number of steps. `docs/experiment.md` describes each field
of the file.

Examples
--------
>>> from ucbpe_core import Experiment, FiniteBeta, GaussianProcess, GPUCBPE, Matern
>>> from ucbpe_core.experiment import Plan, Table
>>> candidates = [[t, m] for t in (20.0, 50.0, 80.0) for m in (5.0, 10.0, 15.0)]
>>> table = Table(("temperature (°C)", "time (min)"), candidates, output="yield (%)")
>>> plan = Plan(GaussianProcess(Matern((20.0, 5.0), variance=9.0)), GPUCBPE(3), FiniteBeta())
>>> experiment = Experiment.begin(table, plan).ask()
>>> experiment.save("yield.json")
>>> experiment = Experiment.load("yield.json").tell([0, 4], [71.5, 64.0])  # any finished part
>>> experiment.best()
0
"""

from ucbpe_core.experiment.experiment import Experiment
from ucbpe_core.experiment.file import head_text, journal_text, version_of
from ucbpe_core.experiment.journal import (
    Allowed,
    Asked,
    Corrected,
    Entry,
    Planned,
    Proposal,
    Redid,
    Told,
    Undid,
    Withdrew,
)
from ucbpe_core.experiment.plan import Plan, Table
from ucbpe_core.experiment.state import Measurement, Pending, in_force

__all__ = [
    "Allowed",
    "Asked",
    "Corrected",
    "Entry",
    "Experiment",
    "Measurement",
    "Pending",
    "Plan",
    "Planned",
    "Proposal",
    "Redid",
    "Table",
    "Told",
    "Undid",
    "Withdrew",
    "head_text",
    "in_force",
    "journal_text",
    "version_of",
]
