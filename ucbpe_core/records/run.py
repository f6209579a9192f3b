"""A `Trace` in a file, as a table, and with names and units: as an xarray data set and as HTML.

The file is that of its history, with the problem and the seed before it. The posterior follows from
these, and R and R+ from it: they are computed at first use. `docs/trace.md` describes the file and
the table.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.history import History
from ucbpe_core.plan import Plan
from ucbpe_core.records import files, history
from ucbpe_core.records.schema import Document, ProblemRecord, RunRecord
from ucbpe_core.records.sheets import Columns
from ucbpe_core.records.tables import REMEDY
from ucbpe_core.run import Run
from ucbpe_core.validation import count

if TYPE_CHECKING:
    import xarray as xr

    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.records.files import PathOrFile
    from ucbpe_core.validation import Floats, Integers
    from ucbpe_core.workers import Workers

_UNIT = re.compile(r"(?P<name>.*\S)\s+[(\[](?P<unit>[^()\[\]]+)[)\]]")
_OF_BATCH = {
    "beta": "beta_t",
    "sqrt_beta": "root of beta_t",
    "beta_next": "beta_(t+1)",
    "y_dot": "greatest lower bound",
    "region_size": "number of candidates in R",
    "region_plus_size": "number of candidates in R+",
    "simple_regret": "r_t^K",
    "running_minimum": "least r_s^K for s <= t",
    "batch_cumulative_regret": "R_t^K",
    "full_cumulative_regret": "R_tK",
}


def save(run: Run, path: PathOrFile, *, overwrite: bool) -> None:
    """Implements `Trace.save`."""
    _check(run.history, run.problem, run.workers, run.seed)
    history.save(_document(run), path, overwrite=overwrite)


def load(path: PathOrFile) -> dict[str, Any]:
    """The fields of the `Trace` in a file; implements `Trace.load`."""
    document = history.read(path)
    with files.building(path):
        document.check("trace")
        record, grown = cast("RunRecord", document.run), document.history
        problem = record.problem.problem()
        _check(grown, problem, record.workers, record.seed)
        for plan in grown.plans:  # refuse one without a posterior
            plan.prior(problem.candidates)
        fields: dict[str, Any] = {"problem": problem, "history": grown, "seed": record.seed}
        fields["workers"] = record.workers
        made = _document(Run(**fields))
        if made != replace(document, id=made.id):  # in an edited file, that of another run
            raise InputError("the fields of a trace, and no others", "others", REMEDY)
        return fields


def _document(run: Run) -> Document:
    """What the file says. Runs with the same digest are one search."""
    seed = count(run.seed, "$.run.seed", minimum=0)
    record = RunRecord(ProblemRecord.of(run.problem), seed, run.workers)
    return Document("trace", run.digest[:16], (run.history.since(History(())),), run=record)


def _check(grown: History, problem: Problem, workers: Workers, seed: int) -> None:
    """Refuse a history that `simulate` cannot lead to."""
    trials, K = grown.trials, grown.plan.policy.batch_size
    initial = sum(trial.t == 0 for trial in trials)
    table = workers.timetable(len(trials) - initial, K, count(seed, "$.run.seed", minimum=0))
    counts = [(t, turn.size, initial + turn.first) for t, turn in enumerate(table.turns, start=1)]
    if not counts or counts != [(batch.t, batch.size, batch.n) for batch in grown.batches]:
        raise _impossible(f"batches of {K} picks, one after the other, or those of its workers")
    if (len(trials) - initial) % K:
        raise _impossible(f"a multiple of {K} picks")
    places = [*range(initial), *(initial + rank for rank in np.argsort(table.order).tolist())]
    if min(min(batch.beta, batch.beta_next) for batch in grown.batches) < 0:
        raise _impossible("beta of at least 0")
    if [trial.t for trial in trials] != sorted(trial.t for trial in trials) or any(
        (trial.state, trial.place, trial.point) != ("done", place, None) or trial.y is None
        for place, trial in zip(places, trials, strict=True)
    ):
        raise _impossible("a measurement at each pick, in order")
    policy, beta, inducing = grown.plan.policy, grown.plan.beta, grown.plan.inducing
    since = [plan.since for plan in grown.plans]
    if (
        since != sorted(set(since))
        or since[-1] >= len(counts)
        or any(
            plan != Plan(plan.gp, policy, beta, problem.direction, "allow", inducing, "never")
            for plan in grown.plans
        )
    ):
        raise _impossible("plans that differ in the prior alone")


def _impossible(wanted: str) -> InputError:
    return InputError(f"{wanted} at $.history", "others", "save what simulate returned")


def columns(run: Run) -> Columns:
    """Those of the table of `Trace.to_csv`: of each pick and batch, beside those of each trial.

    =========================== ===================================================================
    true_value                  f there
    regret                      r_t^(k) = f* - f, on the true f
    mean                        posterior mean at batch start
    in_region                   1 if it is in R, else 0
    beta, sqrt_beta, beta_next  beta_t and its root, and beta_(t+1)
    y_dot                       the greatest lower bound
    region_size                 number of candidates in R
    region_plus_size            number of candidates in R+
    simple_regret               r_t^K
    running_minimum             the least r_s^K for s <= t
    batch_cumulative_regret     R_t^K
    full_cumulative_regret      R_tK
    worker, start, end          who made it, and from when to when, if results arrived one by one
    =========================== ===================================================================
    """
    problem, decisions, X = run.problem, run.decisions, run.problem.candidates
    true = problem.values[[trial.index for trial in run.history.trials]]
    of_picks = {
        "mean": np.concatenate([_means(run, decision) for decision in decisions]),
        "in_region": np.concatenate([made.region[made.indices].astype(int) for made in decisions]),
    }
    sizes = [len(made.indices) for made in decisions]
    of_picks |= {name: np.repeat(values, sizes) for name, values in _of_batches(run).items()}
    if run.one_by_one:
        table = run.timetable
        of_picks |= {"worker": table.worker, "start": table.start, "end": table.end}
    more = {"true_value": true.tolist(), "regret": problem.regret(true).tolist()}
    more |= {name: [None] * run.initial + some.tolist() for name, some in of_picks.items()}
    told = np.argsort([trial.place for trial in run.history.trials])  # rows are in this order
    more = {name: [cells[i] for i in told] for name, cells in more.items()}
    return Columns(
        lambda trials: X[[trial.index for trial in trials]],
        problem.dimension,
        problem.axes[:-1],
        more=more,
    )


def _of_batches(run: Run) -> dict[str, Floats | Integers]:
    """What each batch has, by name, shape (T,) each; `_OF_BATCH` says what it is."""
    made = run.decisions
    return {
        "beta": np.array([decision.beta for decision in made]),
        "sqrt_beta": np.array([decision.sqrt_beta for decision in made]),
        "beta_next": np.array([decision.beta_next for decision in made]),
        "y_dot": np.array([decision.y_dot for decision in made]),
        "region_size": np.array([decision.region.sum() for decision in made]),
        "region_plus_size": np.array([decision.region_plus.sum() for decision in made]),
        "simple_regret": run.simple_regret,
        "running_minimum": run.running_minimum,
        "batch_cumulative_regret": run.batch_cumulative_regret,
        "full_cumulative_regret": run.full_cumulative_regret,
    }


def _means(run: Run, made: Decision) -> Any:
    """The mean at batch start at each pick, shape (K,), from the columns of these alone."""
    posterior, n = run.posterior_of(made.t), run.measured_before(made.t)
    if not posterior.has_rows:
        return posterior.at(n).mean[made.indices]
    state = posterior.state
    residuals = np.array(state.data.residuals[:n])
    return state.gp.mean + residuals @ state.rows.columns(made.indices, n)


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
        "posterior": run.posterior.name,
        "beta": repr(run.beta),
        "seed": run.seed,
        "initial": run.initial,
        "digest": run.digest,
        "inputs": inputs,
        "output": output,
    }


def dataset(run: Run) -> xr.Dataset:
    """The data set of `Trace.to_xarray`."""
    run.require_batches("arrange its picks by batch")
    xarray, problem = optional("xarray", "xarray"), run.problem
    decisions, shape = run.decisions, run.values.shape
    *inputs, output = map(named, problem.axes)
    unit = {"units": output["units"]} if "units" in output else {}
    by_batch, by_pick, by_row = ("batch",), ("batch", "pick"), ("batch", "candidate")
    regrets = problem.regret(run.values)
    data: dict[str, Any] = {
        "index": (by_pick, np.stack([made.indices for made in decisions])),
        "role": (by_pick, np.array([made.roles for made in decisions])),
        "y": (by_pick, run.y[run.initial :].reshape(shape), output),
        "true_value": (by_pick, run.values, output),
        "regret": (by_pick, regrets, {"long_name": "r_t^(k)", **unit}),
        "std": (by_pick, np.stack([made.stds for made in decisions]), unit),
        "score": (by_pick, np.stack([made.scores for made in decisions])),
        "region": (by_row, np.stack([made.region for made in decisions])),
        "region_plus": (by_row, np.stack([made.region_plus for made in decisions])),
        "f": (("candidate",), problem.values, output),
        "initial_index": (
            ("initial",),
            np.array([trial.index for trial in run.history.data[: run.initial]], dtype=np.intp),
        ),
        "initial_y": (("initial",), run.y[: run.initial], output),
    }
    for name, values in _of_batches(run).items():
        own = unit if "regret" in name or name in ("y_dot", "running_minimum") else {}
        data[name] = (by_batch, values, {"long_name": _OF_BATCH[name], **own})
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
    T, K = len(run.decisions), run.policy.batch_size
    made = f"{len(run.timetable.worker)} picks of {K} workers" if run.one_by_one else f"{T} of {K}"
    best, sought = run.running_minimum[-1], "maximum"
    if run.problem.direction == "minimize":
        sought = "minimum"
    rows = {
        "Problem": f"{run.problem.name}, {len(run.problem.candidates)} candidates",
        "Policy": repr(run.policy),
        "Prior": repr(run.gp),
        "Posterior": run.posterior.name,
        "Schedule": repr(run.beta),
        "Batches": f"{made}, after {run.initial} initial points, seed {run.seed}",
        "Best pick": f"{best:.4g} from the {sought} {run.problem.optimum:.4g}",
        "Run": run.digest[:8],
    }
    cells = "".join(
        f'<tr><th style="text-align: left">{name}</th>'
        f'<td style="text-align: left">{escape(text)}</td></tr>'
        for name, text in rows.items()
    )
    return f"<table>{cells}</table>"
