"""Real experiments that are saved: ask, record results, undo, save, and go on another day.

```python
from ucbpe_core import Experiment, FiniteBeta, GaussianProcess, GPUCBPE, Matern
from ucbpe_core.experiment import Plan, Table

table = Table(("temperature (°C)", "time (min)"), candidates, output="yield (%)")
plan = Plan(GaussianProcess(Matern((20.0, 5.0), variance=9.0)), GPUCBPE(6), FiniteBeta())
experiment = Experiment.begin(table, plan).ask()
experiment.save("yield.json")

experiment = Experiment.load("yield.json").tell([12, 40], [71.5, 64.0])  # any finished part
```

An `Experiment` is immutable and keeps a journal to which every step adds an entry: no recorded
result is lost, and `undo` takes back any number of steps. `docs/experiment.md` describes each field
of the file.
"""

from ucbpe_core.experiment.experiment import Experiment
from ucbpe_core.experiment.file import head_text, journal_text, version_of
from ucbpe_core.experiment.journal import (
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
