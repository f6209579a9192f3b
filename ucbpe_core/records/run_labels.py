"""A run with names and units: as an xarray data set, and as HTML for a notebook."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.extras import optional

if TYPE_CHECKING:
    import xarray as xr

    from ucbpe_core.run import Run

_UNIT = re.compile(r"(?P<name>.*\S)\s+[(\[](?P<unit>[^()\[\]]+)[)\]]")
_OF_BATCH = {
    "beta": "beta_t",
    "beta_next": "beta_(t+1)",
    "y_dot": "greatest lower bound",
    "simple_regret": "r_t^K",
    "running_minimum": "least r_s^K for s <= t",
    "batch_cumulative_regret": "R_t^K",
    "full_cumulative_regret": "R_tK",
}


def named(axis: str) -> dict[str, str]:
    """`long_name` and, if it ends in some, ``units`` of an axis as in "temperature (K)"."""
    found = _UNIT.fullmatch(axis)
    if found is None:
        return {"long_name": axis}
    return {"long_name": found["name"], "units": found["unit"]}


def about(run: Run) -> dict[str, Any]:
    """The settings of a run, in plain values."""
    *inputs, output = run.problem.axes
    return {
        "problem": run.problem.name,
        "direction": run.problem.direction,
        "policy": repr(run.policy),
        "prior": repr(run.gp),
        "schedule": repr(run.schedule),
        "seed": run.seed,
        "initial": run.initial,
        "digest": run.digest,
        "inputs": inputs,
        "output": output,
    }


def dataset(run: Run) -> xr.Dataset:
    """The data set of `Trace.to_xarray`."""
    xarray, problem = optional("xarray", "xarray"), run.problem
    decisions = [iteration.decision for iteration in run.iterations]
    *inputs, output = map(named, problem.axes)
    unit = {"units": output["units"]} if "units" in output else {}
    by_batch, by_pick, by_row = ("batch",), ("batch", "pick"), ("batch", "candidate")
    regrets = problem.regret(run.values)
    data: dict[str, Any] = {
        "index": (by_pick, np.stack([made.indices for made in decisions])),
        "role": (by_pick, np.array([made.roles for made in decisions])),
        "y": (by_pick, np.stack([iteration.y for iteration in run.iterations]), output),
        "true_value": (by_pick, run.values, output),
        "regret": (by_pick, regrets, {"long_name": "r_t^(k)", **unit}),
        "std": (by_pick, np.stack([made.stds for made in decisions]), unit),
        "score": (by_pick, np.stack([made.scores for made in decisions])),
        "region": (by_row, np.stack([made.region for made in decisions])),
        "region_plus": (by_row, np.stack([made.region_plus for made in decisions])),
        "f": (("candidate",), problem.values, output),
        "initial_index": (
            ("initial",),
            np.array(run.posterior.conditioned_indices[: run.initial], dtype=np.intp),
        ),
        "initial_y": (("initial",), run.y[: run.initial], output),
    }
    for name, words in _OF_BATCH.items():
        column = getattr(run, name, None)
        values = [getattr(made, name) for made in decisions] if column is None else column
        own = {} if name.startswith("beta") else unit
        data[name] = (by_batch, np.asarray(values), {"long_name": words, **own})
    places = {
        f"x{i + 1}": (("candidate",), problem.candidates[:, i], axis)
        for i, axis in enumerate(inputs)
    }
    first = {
        "batch": [made.t for made in decisions],
        "pick": np.arange(len(decisions[0].indices)),
        "candidate": np.arange(len(problem.candidates)),
    }
    return xarray.Dataset(data, coords={**first, **places}, attrs=about(run))


def html(run: Run) -> str:
    """A table of the settings and the result of a run, for a notebook."""
    T, K = len(run.iterations), run.policy.batch_size
    best, sought = run.running_minimum[-1], "maximum"
    if run.problem.direction == "minimize":
        sought = "minimum"
    rows = {
        "Problem": f"{run.problem.name}, {len(run.problem.candidates)} candidates",
        "Policy": repr(run.policy),
        "Prior": repr(run.gp),
        "Schedule": repr(run.schedule),
        "Batches": f"{T} of {K}, after {run.initial} initial points, seed {run.seed}",
        "Best pick": f"{best:.4g} from the {sought} {run.problem.optimum:.4g}",
        "Run": run.digest[:8],
    }
    cells = "".join(
        f'<tr><th style="text-align: left">{name}</th>'
        f'<td style="text-align: left">{escape(text)}</td></tr>'
        for name, text in rows.items()
    )
    return f"<table>{cells}</table>"
