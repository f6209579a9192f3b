"""Problem x policy -> Trace: the loop of a real experiment, with f known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.history.plan import Plan
from ucbpe_core.history.steps import observed
from ucbpe_core.history.trace import Made, Trace
from ucbpe_core.history.workers import BATCHES, Workers
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.schedules import FiniteBeta
from ucbpe_core.problems.base import Problem
from ucbpe_core.search.bandit import Bandit
from ucbpe_core.search.place import Candidates
from ucbpe_core.search.search import Search, now
from ucbpe_core.support import streams
from ucbpe_core.support.limits import require
from ucbpe_core.support.validation import count, instance, keyworded, shared_of, sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_core.gp.inducing import Inducing
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.history.history import History
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.support.validation import Floats, Integers, SharedBy

__all__ = ["replay_decisions", "simulate"]

_BYTES = 100  # of a pick, at least: its time, candidate, value, std and score


@keyworded
def simulate(
    problem: Problem,
    policy: Policy,
    gp: GaussianProcess | None = None,
    beta: BetaSchedule | None = None,
    *,
    batches: int = 30,
    initial: int = 20,
    seed: int = 0,
    inducing: Inducing | None = None,
    refit_every: int | None = None,
    fit: Callable[[GaussianProcess, Floats, Floats], GaussianProcess] | None = None,
    workers: Workers = BATCHES,
    shared: Sequence[str] = (),
    shared_by: SharedBy = "first",
    progress: Callable[[int, int], None] | None = None,
) -> Trace:
    """Run `policy`, with a fixed prior, for T = `batches` batches after `initial` observations.

    Initial points and noise come from streams of `seed` alone, so two policies run with one seed
    get the same initial points and the same noise at each (t, k): common random numbers. A random
    policy without a seed gets one derived from `seed`, which the trace records.

    Parameters
    ----------
    gp : prior; default the one suggested by the problem
    beta : schedule; default `FiniteBeta()`
    initial : random candidates observed before batch 1, without replacement; they follow the
        problem's own observations (`problem.observed`), if any
    inducing : how an approximate posterior is made, for many observations; default: the exact one
    refit_every : fit the prior again after every so many batches, but not after the last one;
        default never
    fit : how, as in `Bandit.refit`
    workers : how long evaluations take, and whether their results arrive together or one by one:
        then `batches` times K picks are made in all, each as soon as a worker is free. By default
        batch by batch; if all results arrive together it is the same run
    shared, shared_by : inputs of the problem, by their axes, that all picks of a batch have in
        common, and how their values are chosen (`history.plan.Plan`)
    progress : called as progress(done, batches) after every K picks; if it raises, the run ends

    Raises
    ------
    InputError
        For counts below their minimum, more initial points than candidates, a prior to be fitted
        again where results arrive one by one, a policy that needs whole batches, or a shared
        setting, there; names in `shared` that are not some of the inputs; a setting with fewer
        candidates than a batch, if the policy repeats none.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate
    >>> trace = simulate(problems.himmelblau(), GPUCBPE(10), batches=5, initial=20, seed=0)
    >>> trace.running_minimum.round(1), trace.values.shape
    (array([12.7, 12.7, 12.7, 11.6, 11.6]), (5, 10))
    """
    batches = count(batches, "batches")
    every = batches if refit_every is None else count(refit_every, "refit_every")
    start, start_y = initial_observations(problem, initial, seed)
    policy = instance(policy, Policy, "pass GPUCBPE(10)").seeded(streams.policy_seed(seed))
    gp = problem.gp if gp is None else gp
    beta = FiniteBeta() if beta is None else beta
    direction, shared = problem.direction, shared_of(shared)
    plan = Plan(gp, policy, beta, direction, "allow", inducing, "never", shared, shared_by)
    bandit = _Search(_rows(problem), plan)
    # Its trace shows what a prior does, and whether f is known; settings are there to be explored.
    bandit.silence()
    bandit.tell(start, start_y)
    K, y, decisions = policy.batch_size, list[float](), []
    require(_BYTES * batches * K, f"{batches} batches of {K}", "simulate fewer batches")
    turns = workers.timetable(batches * K, K, seed).turns
    if every < batches and len(turns) > batches:
        wanted = "one prior where results arrive one by one"
        raise InputError(wanted, f"another every {every} batches", "leave refit_every out")
    for turn in turns:
        decision = bandit.fill(turn.size)
        if len(decision.indices) < turn.size:
            got = f"{len(decision.indices)} with the setting that batch {decision.t} shares"
            remedy = "lower batch_size, or take a policy that repeats picks"
            raise InputError(f"at least {turn.size} candidates for a batch", got, remedy)
        y += _measured(problem, decision.indices, seed, decision.t).tolist()
        bandit.arrive([len(start) + i for i in turn.results], [y[i] for i in turn.results])
        decisions.append(decision)
        done, before = len(y) // K, turn.first // K
        if done % every == 0 and done < batches:
            bandit.refit(fit)
        if progress is not None and done > before:
            progress(done, batches)
    history = _without_times(bandit.history)
    made = Made(tuple(decisions), bandit.posterior)
    return Trace(problem, history, seed, made, workers=instance(workers, Workers, "Workers()"))


def _rows(problem: Problem) -> Candidates:
    """The candidates as what is searched; the picks of a run have no names."""
    columns_of = tuple((name, slice(i, i + 1)) for i, name in enumerate(problem.axes[:-1]))
    return Candidates(problem.candidates, columns_of=columns_of)


class _Search(Bandit):
    """A bandit that is told which pick a result is of: a candidate can be running twice."""

    def __init__(self, place: Candidates, plan: Plan) -> None:
        Search.__init__(self, place, plan)

    def arrive(self, numbers: Sequence[int], y: Sequence[float]) -> None:
        """The results of these trials."""
        trials = [self.history.trials[number] for number in numbers]
        results = [(trial.index, None, one, None) for trial, one in zip(trials, y, strict=True)]
        self._become(self.history.told(results, now(), numbers))


def replay_decisions(
    trace: Trace,
    gp: GaussianProcess | None = None,
    beta: BetaSchedule | None = None,
    *,
    policy: Policy | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Trace:
    """What each batch of `trace` would have been, given the same measurements before it.

    Batch t is chosen from the posterior of the first `decision.n` measurements of `trace`, under
    another prior, schedule or policy; its picks are not measured. With the arguments of `trace`
    itself, the decisions are the same, unless its history was corrected: corrected measurements
    then have their new values, and void ones are left out.

    Parameters
    ----------
    trace : the run whose measurements are used, with one prior
    gp, beta, policy : default the prior, schedule and policy of `trace`
    progress : as for `simulate`

    Returns
    -------
    Trace
        With `hold_data` set: y, values and regrets come from `trace`.

    Raises
    ------
    InputError
        For a run whose prior was fitted again, one whose results arrived one by one, or a policy of
        another batch size.

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GPUCBPE, problems, simulate
    >>> from ucbpe_core.search.simulation import replay_decisions
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=3, initial=4)
    >>> wider = replay_decisions(trace, beta=FiniteBeta(scale=5.0))
    >>> wider.hold_data, len(wider.decisions[2].indices)
    (True, 3)
    """
    trace.require_steppable("decide again on its measurements")
    trace.require_batches("decide again on its measurements")
    gp, beta = trace.gp if gp is None else gp, trace.beta if beta is None else beta
    policy = trace.policy if policy is None else policy.seeded(streams.policy_seed(trace.seed))
    if policy.batch_size != trace.policy.batch_size:
        remedy = "pass one with the batch size of the run"
        raise InputError(f"{trace.policy.batch_size} picks", str(policy.batch_size), remedy)
    plan = replace(trace.history.plan, gp=gp, policy=policy, beta=beta)
    prior, sign = plan.prior(trace.problem.candidates), sign_of(plan.direction)
    posterior, decisions = observed(prior, trace.history.data), []
    eligible = _rows(trace.problem).eligible(plan)
    for made in trace.decisions:
        n = sum(trial.y is not None for trial in trace.history.measured[: made.n])
        start = posterior.at(n).signed(sign)
        decision = policy.decide(start, made.t, beta, eligible=eligible)
        decisions.append(replace(decision, y_dot=sign * decision.y_dot))
        if progress is not None:
            progress(made.t, len(trace.decisions))
    return replace(
        trace, history=replace(trace.history, plans=(plan,)),
        made=Made(tuple(decisions), posterior), hold_data=True,
    )  # fmt: skip


def _without_times(history: History) -> History:
    """The same history without times: the file of a run does not depend on when it was made."""
    return replace(
        history,
        trials=tuple(trial._replace(time="") for trial in history.trials),
        batches=tuple(batch._replace(time="") for batch in history.batches),
    )


def initial_observations(problem: Problem, initial: int, seed: int) -> tuple[Integers, Floats]:
    """What `simulate` observes before batch 1: candidates and their measurements, (n,) each.

    The problem's own observations come first, then `initial` random candidates of `seed`.

    Raises
    ------
    InputError
        For a negative count, or more initial points than candidates.
    """
    instance(problem, Problem, "pass problems.himmelblau(), for example")
    size = len(problem.candidates)
    if count(initial, "initial", minimum=0) > size:
        raise InputError(f"at most {size} initial points", str(initial), "lower initial")
    start = streams.initial_points(seed).permutation(size)[:initial]
    y = _measured(problem, start, seed, t=0)
    return np.concatenate([problem.observed, start]), np.concatenate([problem.observed_y, y])


def _measured(problem: Problem, indices: Integers, seed: int, t: int) -> Floats:
    """Values at `indices` (k,) with the problem's noise; each batch has its own stream.

    The k-th number of stream t is the noise of pick k of batch t, whatever the batch size, so
    policies with different K share it too.
    """
    noise = streams.noise(seed, t).standard_normal(len(indices))
    return problem.values[indices] + np.sqrt(problem.noise_variance) * noise
