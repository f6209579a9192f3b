"""Real experiments that last: ask, tell, undo, save, and go on another day.

```python
from ucbpe_core import FiniteBeta, GaussianProcess, GPUCBPE, Matern
from ucbpe_core.experiment import Experiment, Plan, Table, from_json, to_json

table = Table(("temperature (°C)", "time (min)"), candidates, output="yield (%)")
plan = Plan(GaussianProcess(Matern((20.0, 5.0), variance=9.0)), GPUCBPE(6), FiniteBeta())
experiment = Experiment.begin(table, plan).ask()
to_json(experiment, "yield.json")

experiment = from_json("yield.json").tell([12, 40], [71.5, 64.0])  # any finished part
```

A `Experiment` is immutable and keeps a journal to which every step adds an entry: nothing is ever
erased, and `undo` takes back any number of steps. `docs/experiment.md` has a line for each field
of the file.
"""

from ucbpe_core.experiment.experiment import Experiment
from ucbpe_core.experiment.files import from_json, head_text, journal_text, to_csv, to_json
from ucbpe_core.experiment.folding import Measurement, Pending, in_force
from ucbpe_core.experiment.records import (
    Asked,
    Corrected,
    Entry,
    Plan,
    Planned,
    Proposal,
    Redid,
    Table,
    Told,
    Undid,
    Withdrew,
)

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
    "from_json",
    "head_text",
    "in_force",
    "journal_text",
    "to_csv",
    "to_json",
]
