"""One replicate of one policy on one problem: a pure function of the study and the task.

Common random numbers: within a replicate every policy meets the same function, the same initial
points, the same noise at each (t, k) and the same prior. Each stream derives from the study's seed,
the problem's label and the replicate alone (`streams.study_seeds`), so a replicate is the same
whatever else runs, in any order, process or machine.
"""

from __future__ import annotations

import json
import time
import traceback
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.history import regret
from ucbpe_core.history.workers import BATCHES
from ucbpe_core.search.simulation import initial_observations, simulate
from ucbpe_core.study.plan import Study, Task
from ucbpe_core.support import streams
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.optional import optional
from ucbpe_core.support.validation import frozen_copy

if TYPE_CHECKING:
    import pandas as pd

    from ucbpe_core.history.trace import Trace
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.support.validation import Floats

# Of the fields of a result, in order.
_KINDS = (
    str, str, int, str | None, *[np.ndarray] * 3, int, int, str, float | int, int, np.ndarray,
)  # fmt: skip
_FRAMES = 3  # of a traceback: enough to find the line, short enough to list many failures


@dataclass(frozen=True, eq=False)
class Result(Frozen):
    """The outcome of one task; for a failure only the first four fields are set.

    Attributes
    ----------
    problem, policy, replicate : the task
    error : None, or the type and message of the exception and the innermost lines of its traceback
    simple : r_t^K, shape (T,), in units of f
    total : sum over batch t of f* - f(x_t^k), shape (T,); where results arrive one by one, a batch
        is what has arrived after decision t
    region_share : share of X inside R+ at batch t, shape (T,)
    batch_size : K
    initialization : number of batches, from the first on, made of picks with the role "init" only
    hyperparameters : the prior in use, as JSON: kernel, parameters, noise_variance, mean
    seconds : wall time of the run, without drawing the problem or fitting the prior
    picks : how many were made in all; 0 stands for T K
    arrivals : as `times`; an empty array stands for 1, 2, .. T

    Examples
    --------
    >>> from ucbpe_core.study import PolicyPlan, ProblemPlan, run_task, Study
    >>> problems = [ProblemPlan("Curve", "multimodal")]
    >>> policies = [PolicyPlan("PE", "GP-UCB-PE")]
    >>> study = Study("Curve", problems, policies, replicates=2, batches=3)
    >>> result = run_task(study, study.tasks()[0])
    >>> result.running_minimum.shape, result.batch_size, result.error
    ((3,), 10, None)
    """

    problem: str
    policy: str
    replicate: int
    error: str | None = None
    simple: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    total: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    region_share: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    batch_size: int = 0
    initialization: int = 0
    hyperparameters: str = "{}"
    seconds: float = 0.0
    picks: int = 0
    arrivals: Floats = field(default_factory=lambda: np.empty(0), repr=False)

    def __post_init__(self) -> None:
        for name in ("simple", "total", "region_share", "arrivals"):
            object.__setattr__(self, name, frozen_copy(getattr(self, name)))

    @property
    def task(self) -> Task:
        """Labels and number of the replicate."""
        return Task(self.problem, self.policy, self.replicate)

    @property
    def times(self) -> Floats:
        """When all results of batch t are there, in mean durations of an evaluation, shape (T,)."""
        return self.arrivals if len(self.arrivals) else np.arange(1.0, len(self.simple) + 1)

    # `regret` takes values and an optimum: a regret is 0 minus its own negative.

    @property
    def simple_regret(self) -> Floats:
        """r_t^K, shape (T,), as all of these."""
        return self.simple

    @property
    def running_minimum(self) -> Floats:
        """The least r_s^K for s <= t."""
        return regret.running_minimum(-self.simple[:, None], 0.0)

    @property
    def batch_cumulative_regret(self) -> Floats:
        """R_T^K."""
        return regret.batch_cumulative(-self.simple[:, None], 0.0)

    @property
    def full_cumulative_regret(self) -> Floats:
        """R_TK."""
        return regret.full_cumulative(-self.total[:, None], 0.0)

    def to_frame(self) -> pd.DataFrame:
        """A row for each batch: labels, t, all regrets and `region_share`, as a pandas table."""
        names = ("simple_regret", "running_minimum", "batch_cumulative_regret",
                 "full_cumulative_regret", "region_share")  # fmt: skip
        labels = {"problem": self.problem, "policy": self.policy, "replicate": self.replicate}
        curves = {name: getattr(self, name) for name in names}
        t = np.arange(1, len(self.simple) + 1)
        return optional("pandas", "study").DataFrame({**labels, "t": t, **curves})

    def to_json(self) -> str:
        """All but the task; `ValueError` for numbers that are not finite."""
        unset = {"picks": not self.picks, "arrivals": not len(self.arrivals)}
        left_out = {*Task._fields, *(name for name, empty in unset.items() if empty)}
        values = {name: value for name, value in vars(self).items() if name not in left_out}
        return json.dumps(values, allow_nan=False, default=np.ndarray.tolist)

    @classmethod
    def from_json(cls, task: Task, text: str) -> Result:
        """The result that `to_json` wrote; `ValueError` or `TypeError` for another text."""
        try:
            result = cls(*task, **json.loads(text))
            curves = np.array([result.simple, result.total, result.region_share, result.times])
        except (OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from None
        if curves.ndim != 2 or not np.isfinite(curves).all() or (np.diff(result.times) < 0).any():
            raise ValueError("other curves")
        if not all(map(isinstance, vars(result).values(), _KINDS)):
            raise TypeError("other values")
        return result


def run_task(study: Study, task: Task) -> Result:
    """Run one task; exceptions are passed on.

    Examples
    --------
    >>> from ucbpe_core.study import PolicyPlan, ProblemPlan, run_task, Study, Task
    >>> problems = [ProblemPlan("Curve", "multimodal")]
    >>> policies = [PolicyPlan("PE", "GP-UCB-PE")]
    >>> study = Study("Curve", problems, policies, replicates=2, batches=3)
    >>> run_task(study, Task("Curve", "PE", replicate=1)).simple.shape
    (3,)
    """
    plan, policy_plan = study.problem(task.problem), study.policy(task.policy)
    seeds = streams.study_seeds(study.seed, plan.label, task.replicate)
    problem = problem_of(study, plan.label, task.replicate)
    gp = prior_of_replicate(study, plan.label, task.replicate)
    policy = policy_plan.build(study.batch_size, seeds["policy"])
    start = time.perf_counter()
    trace = simulate(
        problem,
        policy,
        gp,
        study.beta,
        batches=study.batches_of(policy_plan),
        initial=study.initial,
        seed=seeds["run"],
        refit_every=plan.hyperparameters.refit_every,
        fit=plan.hyperparameters.fit,
        workers=study.workers_of(policy_plan),
        shared=policy_plan.shared or (),
        shared_by=policy_plan.shared_by or "first",
    )
    return _summary(task, trace, time.perf_counter() - start)


def attempt(study: Study, task: Task) -> Result:
    """As `run_task`, but an error is recorded instead of raised."""
    try:
        return run_task(study, task)
    except Exception as error:  # noqa: BLE001 - the others continue, whatever one replicate raises
        return Result(*task, error=_description(error))


# The policies of one replicate run one after the other: two entries are enough for a process, and a
# problem may hold a few megabytes.
@lru_cache(maxsize=2)
def problem_of(study: Study, label: str, replicate: int) -> Problem:
    """The problem that every policy of this replicate meets."""
    return study.problem(label).build(streams.study_seeds(study.seed, label, replicate)["function"])


@lru_cache(maxsize=2)
def prior_of_replicate(study: Study, label: str, replicate: int) -> GaussianProcess:
    """The Gaussian process that every policy of this replicate starts from."""
    problem, how = problem_of(study, label, replicate), study.problem(label).hyperparameters
    if how.method == "suggested":
        return problem.gp
    rng = streams.study_prior(study.seed, label, replicate)
    if how.points:  # separate observations
        indices = rng.permutation(len(problem.candidates))[: how.points]
        noise = rng.standard_normal(len(indices))
        y = problem.values[indices] + np.sqrt(problem.noise_variance) * noise
    else:
        seed = streams.study_seeds(study.seed, label, replicate)["run"]
        indices, y = initial_observations(problem, study.initial, seed)
    start = GaussianProcess(how.kernel, problem.noise_variance)
    return how.fit(start, problem.candidates[indices], y, rng)


def _summary(task: Task, trace: Trace, seconds: float) -> Result:
    decisions = trace.decisions
    starting = [set(decision.roles) == {"init"} for decision in decisions]
    kernel = trace.gp.kernel
    hyperparameters = {
        "kernel": repr(kernel),
        "parameters": dict(
            zip(kernel.parameter_names, np.exp(kernel.log_parameters).tolist(), strict=True)
        ),
        "noise_variance": trace.gp.noise_variance,
        "mean": trace.gp.mean,
    }
    return Result(
        *task,
        simple=trace.simple_regret,
        total=trace.total_regret,
        region_share=[decision.region_plus.mean() for decision in decisions],  # type: ignore[arg-type]
        batch_size=trace.policy.batch_size,
        initialization=(*starting, False).index(False),
        hyperparameters=json.dumps(hyperparameters, sort_keys=True),
        seconds=seconds,
        picks=len(trace.timetable.worker),
        arrivals=np.empty(0) if trace.workers == BATCHES else trace.timetable.arrivals,
    )


def _description(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    lines = [f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames]
    return "\n".join([f"{type(error).__name__}: {error}", *lines])
