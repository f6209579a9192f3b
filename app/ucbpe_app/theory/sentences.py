"""Sentences of the Theory page that depend on a run."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ucbpe_app.run.notation import sentences
from ucbpe_app.run.sentences import number
from ucbpe_core import GPUCBPE, FiniteBeta
from ucbpe_core.policies import GPUCB

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.theory.state import RunTheory
    from ucbpe_core import Trace, UCBPEError


def promised_delta(trace: Trace) -> float | None:
    """The delta that beta keeps at the candidates, if it is the theory's own, whole."""
    schedule = trace.beta
    if isinstance(schedule, FiniteBeta) and schedule.scale >= 1:
        return schedule.delta
    return None


def about(trace: Trace) -> str:
    """What to know of a run that minimises, or whose policy the theory is not about; or nothing."""
    texts = []
    if trace.problem.direction == "minimize":
        texts.append(
            "The theory is about a maximum. This run minimises f, so it is applied to −f. Regrets "
            "are the same."
        )
    if other := _other_rule(trace):
        texts.append(
            f"Theorem 1 and its lemmas are about GP-UCB-PE. This run uses {other}: "
            "the formulas take its numbers all the same, but nothing is guaranteed."
        )
    return " ".join(texts)


def _other_rule(trace: Trace) -> str:
    """What the run uses that the theory is not about; "" without: GP-UCB is the rule for K = 1."""
    if not isinstance(trace.policy, GPUCBPE | GPUCB):
        return trace.policy.name
    shared = trace.history.plan.shared if trace.policy.batch_size > 1 else ()
    return f"batches that share {', '.join(shared)}" if shared else ""


def place(trace: Trace) -> str:
    """Which run it is."""
    T, K = len(trace.decisions), trace.policy.batch_size
    batches = f"{T} batch{'es' if T > 1 else ''} of {K}"
    posterior = "exact posterior" if trace.posterior.has_rows else trace.posterior.name
    return f"{trace.policy.name}, {batches}, {posterior}"


def _inside(run: RunTheory) -> str:
    """In how many batches f is in its band, which is the condition of Theorem 1."""
    inside, T = int((run.course.outside == 0).sum()), run.batches
    return f"{inside} of {T} batch{'es' if T > 1 else ''}"


def _applies(run: RunTheory) -> bool:
    """Whether Theorem 1 is about this run: its rule, and f in its band at every batch start."""
    return not _other_rule(run.trace) and not run.course.outside.any()


def title(run: RunTheory) -> str:
    """The condition of Theorem 1 on this run, and what follows from it."""
    if not run.steps:
        return "No bound without noise"
    if other := _other_rule(run.trace):
        return f"Theorem 1 is about GP-UCB-PE, not {other}"
    band = f"f in its band: {_inside(run)}"
    if not _applies(run):
        return f"{band}. Theorem 1 does not apply"
    proved = run.steps[-1].value
    if run.batch.own[-1] > proved:
        return f"{band}. The bound does not hold"
    says = "and says something" if proved < run.batch.trivial[-1] else "but says nothing yet"
    return f"{band}. The bound holds, {says}"


def verdict(run: RunTheory) -> str:
    """Whether Theorem 1 is about the run; after T batches, how its bound compares."""
    own, trivial = float(run.batch.own[-1]), float(run.batch.trivial[-1])
    batches = f"{run.batches} batch{'es' if run.batches > 1 else ''}"
    any_choice = f"ny choice of points stays below {number(trivial)}"
    if not run.steps:
        return (
            f"After {batches} the regret is {number(own)}; a{any_choice}. Without noise one "
            "measurement gives infinite information, and Theorem 1 says nothing."
        )
    bound, condition = run.steps[-1].value, f"f is in its band in {_inside(run)}"
    if not _applies(run):
        if other := _other_rule(run.trace):
            condition = f"Theorem 1 is about GP-UCB-PE, and this run uses {other}; {condition}"
        return (
            f"{condition}: nothing is guaranteed. The regret is {number(own)}, and the formula "
            f"gives {number(bound)}. A{any_choice}."
        )
    times = f", which is {number(bound / own)} times as much" if own > 0 else ""
    holds = "the bound holds" if own <= bound else "the bound does not hold all the same"
    claim = "the bound" if bound < trivial else f"after {batches} the bound"
    claim += " is informative" if bound < trivial else " says nothing yet"
    return (
        f"{condition}, and {holds}: the regret is {number(own)}, and the theorem allows "
        f"{number(bound)}{times}. A{any_choice}, so {claim}. {_costliest(run)}"
    )


def _costliest(run: RunTheory) -> str:
    """The step of the proof at which most is lost."""
    costs = [
        (after.value / before.value, after.name)
        for before, after in pairwise(run.steps)
        if before.value
    ]
    most, name = max(costs)
    where = {"regret of x⁰": "the step from the batch to x⁰ alone"}.get(name, name)
    return f"Most is lost at {where}: × {number(float(f'{most:.2g}'))}."


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


def summary(run: RunTheory) -> str:
    """How many statements of the proof hold at every batch, as the title of what follows."""
    checked, failing = run.verdicts.checked, len(run.verdicts.failures)
    start = "The steps of the proof on this run, batch by batch:"
    if not failing:
        return f"{start} all {checked} hold."
    return f"{start} {checked - failing} of {checked} hold."


def spans(batches: Sequence[int]) -> str:
    """Numbers in order, consecutive ones as a range: 1–3, 7."""
    ranges: list[list[int]] = []
    for t in batches:
        if ranges and t == ranges[-1][1] + 1:
            ranges[-1][1] = t
        else:
            ranges.append([t, t])
    return ", ".join(f"{a}–{b}" if b > a else str(a) for a, b in ranges)
