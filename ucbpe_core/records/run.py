"""The file of a `Trace`: that of its history, with the problem and the seed before it.

R and R+ follow from the posterior, and are computed again. `docs/trace.md` describes the file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ucbpe_core.errors import InputError
from ucbpe_core.history import History
from ucbpe_core.plan import Plan
from ucbpe_core.posterior import Posterior
from ucbpe_core.records import history, text
from ucbpe_core.records.convert import REMEDY
from ucbpe_core.records.problem import ProblemRecord, RunRecord
from ucbpe_core.region import relevant_region
from ucbpe_core.run import Run, decided, observed
from ucbpe_core.validation import count, sign_of

if TYPE_CHECKING:
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.records.text import PathOrFile


def save(run: Run, path: PathOrFile) -> None:
    """Implements `Trace.save`."""
    _check(run.history, run.problem)
    document = _document(run)
    text.write(history.head_text(document) + history.history_text(document), path)


def load(path: PathOrFile) -> dict[str, Any]:
    """The fields of the `Trace` in a file; implements `Trace.load`."""
    document = history.read(path)
    with text.building(path):
        document.check("trace")
        record, grown = cast("RunRecord", document.run), document.history
        problem = record.problem.problem()
        _check(grown, problem)
        posterior, decisions = _decided(grown, problem)
        fields: dict[str, Any] = {
            "problem": problem,
            "history": grown,
            "decisions": decisions,
            "posterior": posterior,
            "seed": record.seed,
        }
        made = _document(Run(**fields))
        if made != replace(document, id=made.id):  # in an edited file, that of another run
            raise InputError("the fields of a trace, and no others", "others", REMEDY)
        return fields


def _document(run: Run) -> history.Document:
    """What the file says. Runs with the same digest are one search."""
    record = RunRecord(ProblemRecord.of(run.problem), count(run.seed, "$.run.seed", minimum=0))
    return history.Document("trace", run.digest[:16], (run.history.since(History(())),), run=record)


def _check(grown: History, problem: Problem) -> None:
    """Refuse a history that `simulate` cannot lead to."""
    trials, K = grown.trials, grown.plan.policy.batch_size
    initial = sum(trial.t == 0 for trial in trials)
    counts = [(t, K, initial + (t - 1) * K) for t in range(1, len(grown.batches) + 1)]
    if not counts or counts != [(batch.t, batch.size, batch.n) for batch in grown.batches]:
        raise _impossible(f"batches of {K} picks, one after the other")
    if min(min(batch.beta, batch.beta_next) for batch in grown.batches) < 0:
        raise _impossible("beta of at least 0")
    if [trial.t for trial in trials] != sorted(trial.t for trial in trials) or any(
        (trial.state, trial.place, trial.point) != ("done", number, None) or trial.y is None
        for number, trial in enumerate(trials)
    ):
        raise _impossible("a measurement at each pick, in order")
    policy, beta = grown.plan.policy, grown.plan.beta
    since = [plan.since for plan in grown.plans]
    if (
        since != sorted(set(since))
        or since[-1] >= len(counts)
        or any(
            plan != Plan(plan.gp, policy, beta, problem.direction, "allow") for plan in grown.plans
        )
    ):
        raise _impossible("plans that differ in the prior alone")


def _impossible(wanted: str) -> InputError:
    return InputError(f"{wanted} at $.history", "others", "save what simulate returned")


def _decided(grown: History, problem: Problem) -> tuple[Posterior, tuple[Decision, ...]]:
    """The posterior after the last batch, and the decisions, from those before."""
    plans, decisions = {plan.since: plan for plan in grown.plans}, []
    sign, K, trials = sign_of(problem.direction), grown.plan.policy.batch_size, grown.trials
    posterior = Posterior.prior(grown.plan.gp, problem.candidates)
    for number, batch in enumerate(grown.batches):
        if number in plans:
            start = Posterior.prior(plans[number].gp, problem.candidates)
            posterior = observed(start, trials[: batch.n])
        picks = trials[batch.n : batch.n + K]
        points = problem.candidates[[pick.index for pick in picks]]
        relevant = relevant_region(posterior.signed(sign), batch.beta, batch.beta_next)
        decisions.append(decided(batch, picks, points, relevant))
        posterior = observed(posterior, picks)
    return posterior, tuple(decisions)
