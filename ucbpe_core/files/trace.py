"""A `Trace` in a file, as a table, and as HTML.

The file is that of its history, with the problem and the seed before it. The posterior follows from
these, and R and R+ from it: they are computed at first use. `docs/files.md` describes the file and
the table.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.files import history
from ucbpe_core.files import history as replay
from ucbpe_core.files import text as files
from ucbpe_core.files.schema import Document, ProblemRecord, RunRecord
from ucbpe_core.files.sheets import Columns
from ucbpe_core.files.tables import REMEDY
from ucbpe_core.history.history import History
from ucbpe_core.history.plan import Plan
from ucbpe_core.history.trace import Trace
from ucbpe_core.support.validation import count, indices

if TYPE_CHECKING:
    from ucbpe_core.files.text import PathOrFile
    from ucbpe_core.history.steps import Step
    from ucbpe_core.history.workers import Workers
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.support.validation import Floats, Integers


def save(run: Trace, path: PathOrFile, *, overwrite: bool) -> None:
    """Implements `Trace.save`."""
    history.prepare()
    document = _document(run)
    _taken(document.steps, run.problem, run.workers, run.seed)
    history.save(document, path, overwrite=overwrite)


def load(path: PathOrFile) -> dict[str, Any]:
    """The fields of the `Trace` in a file; implements `Trace.load`."""
    document = history.read(path)
    with files.building(path):
        document.check("trace")
        record = cast("RunRecord", document.run)
        problem = record.problem.problem()
        grown = _taken(document.steps, problem, record.workers, record.seed)
        for plan in grown.plans:  # refuse one without a posterior
            plan.prior(problem.candidates)
        fields: dict[str, Any] = {"problem": problem, "history": grown, "seed": record.seed}
        fields["workers"] = record.workers
        made = _document(Trace(**fields))
        if made != replace(document, id=made.id):  # in an edited file, that of another run
            raise InputError("the fields of a trace, and no others", "others", REMEDY)
        return fields


def _document(run: Trace) -> Document:
    """What the file says. Runs with the same digest are one search."""
    seed = count(run.seed, "$.run.seed", minimum=0)
    record = RunRecord(ProblemRecord.of(run.problem), seed, run.workers)
    return Document("trace", run.digest[:16], (run.history.since(History(())),), run=record)


def _taken(steps: tuple[Step, ...], problem: Problem, workers: Workers, seed: int) -> History:
    """The history that `simulate` leads to, with recorded plans, picks and measurements.

    They are one step in the file, which is taken apart: batch after batch, by the verbs of each.

    Raises
    ------
    InputError
        For a step that no run can have.
    """
    count(seed, "$.run.seed", minimum=0)
    if len(steps) != 1 or not steps[0].plans:
        raise InputError("one step with a plan at $.history.steps", str(len(steps)), REMEDY)
    path = "$.history.steps[0]"
    with replay.at(path):
        taken = _simulated(steps[0], problem, workers, seed)
    replay.require_same(taken.since(History(())), steps[0], path)
    return taken


def _simulated(step: Step, problem: Problem, workers: Workers, seed: int) -> History:
    trials, first = step.added, step.plans[0]
    indices([trial.index for trial in trials], len(problem.candidates))
    data = [(trial.index, None, trial.y, trial.noise_variance) for trial in trials]
    if any(trial.y is None for trial in trials):
        raise InputError("a measurement at each pick", "none at some", REMEDY)
    initial, K = sum(trial.t == 0 for trial in trials), first.policy.batch_size
    turns = workers.timetable(len(trials) - initial, K, seed).turns
    if not turns or (len(trials) - initial) % K or len(turns) != len(step.batches):
        wanted = f"batches of {K} picks, one after the other, or those of its workers"
        raise InputError(wanted, f"{len(trials) - initial} in {len(step.batches)}", REMEDY)
    usual = Plan(
        first.gp, first.policy, first.beta, problem.direction, "allow", first.inducing, "never",
        first.shared, first.shared_by,
    )  # fmt: skip
    refits = {plan.since: plan.gp for plan in step.plans[1:]}
    taken = History(()).planned(usual).told(data[:initial])
    for number, (turn, batch) in enumerate(zip(turns, step.batches, strict=True)):
        if number > 0 and number in refits:
            taken = taken.planned(replace(usual, gp=refits[number]))
        numbers, begin = [initial + i for i in turn.results], initial + turn.first
        taken = replay.asked(taken, batch, trials[begin : begin + turn.size])
        taken = taken.told([data[i] for i in numbers], numbers=numbers)
    return taken


def columns(run: Trace) -> Columns:
    """Those of the table of `Trace.to_csv`: of each pick and batch, and those of each trial.

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


def _of_batches(run: Trace) -> dict[str, Floats | Integers]:
    """What each batch has, by name, shape (T,) each; `columns` says what it is."""
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


def _means(run: Trace, made: Decision) -> Any:
    """The mean at batch start at each pick, shape (K,), from the columns of these alone."""
    posterior, n = run.posterior_of(made.t), run.measured_before(made.t)
    if not posterior.has_rows:
        return posterior.at(n).mean[made.indices]
    state = posterior.state
    residuals = np.array(state.data.residuals[:n])
    return state.gp.mean + residuals @ state.rows.columns(made.indices, n)


def about(run: Trace) -> dict[str, Any]:
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


def html(run: Trace) -> str:
    """A table of the settings and the result of a run, for a notebook."""
    T, K = len(run.decisions), run.policy.batch_size
    made = f"{len(run.timetable.worker)} picks of {K} workers" if run.one_by_one else f"{T} of {K}"
    if shared := run.history.plan.shared:
        made += f" that share {', '.join(shared)}"
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
        "Trace": run.digest[:8],
    }
    cells = "".join(
        f'<tr><th style="text-align: left">{name}</th>'
        f'<td style="text-align: left">{escape(text)}</td></tr>'
        for name, text in rows.items()
    )
    return f"<table>{cells}</table>"
