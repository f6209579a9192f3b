"""Sentences of the Theory page that depend on a run."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pages.theory.proof import Status
from ucbpe_app.run.notation import sentences
from ucbpe_app.run.sentences import number
from ucbpe_core import GPUCBPE, ConstantBeta, FiniteBeta
from ucbpe_core.policies import GPUCB
from ucbpe_core.policies.schedules import CompactBeta

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.proof import Statement
    from ucbpe_app.pages.theory.state import RunTheory
    from ucbpe_core import Trace, UCBPEError
    from ucbpe_core.theory import RunDiagnostics

_MOST_NAMES = 2


def promised_delta(trace: Trace) -> float | None:
    """The delta that beta keeps at the candidates, if it is the theory's own, whole."""
    schedule = trace.beta
    if isinstance(schedule, FiniteBeta) and schedule.scale >= 1:
        return schedule.delta
    return None


def about(trace: Trace) -> tuple[str, ...]:
    """What the theory assumes, and whether it applies to this run."""
    texts = [
        "The theory is about an f that is drawn from the prior in use, measured with normal noise "
        "of the variance in use. Whether this f is such a draw cannot be known; the count of how "
        "often f leaves the band uses functions that are."
    ]
    if trace.problem.direction == "minimize":
        texts.append(
            "It is about a maximum. This run minimises f, so it is applied to −f: in the "
            "statements below, f, its mean and y• are those of −f. Regrets are the same."
        )
    if isinstance(trace.policy, GPUCB):
        texts.append("GP-UCB is GP-UCB-PE with K = 1: the statements about x⁰ remain.")
    elif not isinstance(trace.policy, GPUCBPE):
        texts.append(
            f"Theorem 1 and its lemmas are about GP-UCB-PE. This run uses {trace.policy.name}: "
            "the formulas take its numbers all the same, but nothing is guaranteed."
        )
    return tuple(texts)


def promise(trace: Trace) -> str:
    """What is guaranteed with this schedule of beta."""
    schedule, delta = trace.beta, promised_delta(trace)
    if delta is not None:
        return f"With it f stays inside for all t with probability at least {number(1 - delta)}."
    if isinstance(schedule, ConstantBeta):
        return "A constant β gives no guarantee: as t grows, f may leave the band."
    if not isinstance(schedule, FiniteBeta | CompactBeta):
        return "Whether this schedule gives a guarantee is not known here."
    if schedule.scale >= 1:
        return (
            "For a compact X the guarantee, 1 − δ, is for draws as smooth as a and b mean, and "
            "up to 1/t² at each t; at the candidates alone this β can be below that of a finite X."
        )
    return (
        f"β is {number(schedule.scale)} times the theory's, so nothing is guaranteed: here δ is "
        "only a number in a formula."
    )


def units(course: RunDiagnostics) -> str:
    """How a prior variance other than 1 enters the bounds; empty for 1."""
    v = course.prior_variance
    if np.isclose(v, 1.0):
        return ""
    s = number(float(np.sqrt(v)))
    return (
        f"The theorem is for k(x, x) ≤ 1. Here it is {number(v)}, so it is applied to f / {s} with "
        f"noise variance {number(course.noise_variance / v)}, and the bounds are multiplied by {s}."
    )


def place(trace: Trace) -> str:
    """Which run it is."""
    T, K = len(trace.decisions), trace.policy.batch_size
    batches = f"{T} batch{'es' if T > 1 else ''} of {K}"
    posterior = "exact posterior" if trace.posterior.has_rows else trace.posterior.name
    return f"{trace.policy.name}, {batches}, {posterior}"


def title(run: RunTheory) -> str:
    """The verdict in a few words: the regret, the proved bound and what no run exceeds, at T."""
    if not run.steps:
        return "No bound without noise"
    proved = run.steps[-1].value
    if run.batch.own[-1] > proved:
        return "The bound does not hold"
    tight = proved < run.batch.trivial[-1]
    return "True, and it says something" if tight else "True, but not tight"


def verdict(run: RunTheory) -> str:
    """How the bound after T batches compares with the regret, and which step costs most."""
    T, own, trivial = run.batches, float(run.batch.own[-1]), float(run.batch.trivial[-1])
    batches = f"{T} batch{'es' if T > 1 else ''}"
    any_choice = f"any choice of points stays below {number(trivial)}"
    if not run.steps:
        return (
            f"After {batches} the regret is {number(own)}; {any_choice}. Without noise one "
            "measurement gives infinite information, and Theorem 1 says nothing."
        )
    bound = run.steps[-1].value
    times = f", which is {number(bound / own)} times as much" if own > 0 else ""
    holds = "The bound holds" if own <= bound else "The bound does not hold: f left its band"
    claim = "is informative" if bound < trivial else "says nothing yet"
    when = "" if bound < trivial else f"after {batches} "
    costs = [
        (after.value / before.value, after.name)
        for before, after in pairwise(run.steps)
        if before.value
    ]
    most, name = max(costs)
    where = {"regret of x⁰": "the step from the batch to x⁰ alone"}.get(name, name)
    return (
        f"{holds}: the regret is {number(own)}, and the theorem allows {number(bound)}{times}. "
        f"A{any_choice[1:]}, so {when}the bound {claim}. "
        f"Most is lost at {where}: × {number(float(f'{most:.2g}'))}."
    )


def status(
    busy: float | None,
    run_theory: RunTheory | None,
    *,
    gathering: bool,
    error: UCBPEError | None = None,
) -> str:
    """What is being computed (`busy` is the share done of a run), or the verdict on the run."""
    if busy is not None:
        return f"Computing the run: {round(100 * busy)} %."
    if gathering:
        return "Computing bounds and lemmas."
    if error is not None:
        return f"No theory for this run. {sentences(error)}"
    return verdict(run_theory) if run_theory else ""


def summary(statements: tuple[Statement, ...]) -> str:
    """Which statements hold at every batch, as the title of the table."""
    spoken = [s for s in statements if any(cell.state is not Status.SILENT for cell in s.cells)]
    failing = [s for s in spoken if s.fails]
    start = "The steps of the proof on this run, batch by batch:"
    if not failing:
        return f"{start} all {len(spoken)} hold."
    names = ", ".join(s.title for s in failing[:_MOST_NAMES])
    more = f" and {len(failing) - _MOST_NAMES} more" if len(failing) > _MOST_NAMES else ""
    only = " alone" if len(failing) == 1 else ""
    return f"{start} {len(spoken) - len(failing)} of {len(spoken)} hold; not {names}{more}{only}."
