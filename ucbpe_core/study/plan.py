"""The plan of a study: problems x policies x replicates, as frozen records, with their priors.

Results do not depend on workers, machines or order: the plan alone determines each replicate.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.files import tables
from ucbpe_core.gp.fitting import fit_hyperparameters
from ucbpe_core.gp.kernels import KERNELS, RBF, Kernel
from ucbpe_core.history.workers import BATCHES, Workers
from ucbpe_core.policies import GPUCB, POLICIES, Policy
from ucbpe_core.policies.schedules import SCHEDULES, BetaSchedule, FiniteBeta
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.problems.base import Problem
from ucbpe_core.support import streams
from ucbpe_core.support.validation import (
    MOST_POINTS,
    choice,
    count,
    instance,
    non_negative,
    shared_by_of,
    shared_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.plugins import Registry
    from ucbpe_core.support.validation import Floats, SharedBy


_MOST_STARTS = 10_000  # more searches would fill the memory


@dataclass(frozen=True)
class HyperparameterPlan:
    """Where the prior of a replicate comes from; all policies of a replicate share it.

    Parameters
    ----------
    method : "likelihood" or "suggested"
        Maximum marginal likelihood on data of the replicate, or the problem's own prior.
    kernel : the kernel, with the values where the search starts (one lengthscale, or several)
    points : number of observations that the likelihood uses
        0 for the points that policies start from. Otherwise this many random candidates (all, if
        there are fewer), drawn for each replicate from their own stream, measured with noise, and
        never shown to a policy.
    starts : local searches, at least 1
    least_noise : lower bound of the fitted noise variance, relative to var(y)
        Where the unbounded fit ends below it, the rest is fitted again at the bound.
    fit_noise : False keeps the noise variance of the problem
    fit_mean : False keeps a prior mean of 0
    refit_every : after every so many batches each policy fits these hyperparameters again to all
        that it has measured: one search from the values in use; default never

    Examples
    --------
    >>> from ucbpe_core import Matern
    >>> from ucbpe_core.study import HyperparameterPlan, ProblemPlan
    >>> fitted = HyperparameterPlan(kernel=Matern(nu=2.5), points=100)
    >>> ProblemPlan("Himmelblau", "himmelblau", hyperparameters=fitted).hyperparameters.method
    'likelihood'
    """

    method: str = "likelihood"
    kernel: Kernel = field(default_factory=RBF)
    points: int = 0
    starts: int = 5
    least_noise: float = 1e-4
    fit_noise: bool = True
    fit_mean: bool = True
    refit_every: int | None = None

    def __post_init__(self) -> None:
        choice(self.method, "method", "likelihood", "suggested")
        tables.to_table(KERNELS, self.kernel, "kernel")
        count(self.points, "points", minimum=0, maximum=MOST_POINTS)
        count(self.starts, "starts", maximum=_MOST_STARTS)
        non_negative(self.least_noise, "least_noise")
        if self.refit_every is not None:
            count(self.refit_every, "refit_every")
            if self.method == "suggested":
                wanted = 'method "likelihood" where refit_every is given'
                raise InputError(wanted, repr(self.method), "leave one of them out")
        for name in ("fit_noise", "fit_mean"):
            choice(getattr(self, name), name, True, False)

    def fit(
        self, start: GaussianProcess, X: Floats, y: Floats, rng: np.random.Generator | None = None
    ) -> GaussianProcess:
        """Maximum marginal likelihood, subject to noise_variance >= least_noise var(y).

        Without a generator, by one search from the data, and one from `start` if that is better.
        """
        search = partial(
            fit_hyperparameters,
            seed=0 if rng is None else rng,  # a single search draws nothing
            starts=1 if rng is None else self.starts,
            priors=None,
        )
        fixed = ("mean",) if not self.fit_mean else ()
        noise = ("noise_variance",)
        fit = search(start, X, y, fixed=fixed if self.fit_noise else (*fixed, *noise)).gp
        least = self.least_noise * float(np.var(y))
        if not self.fit_noise or fit.noise_variance >= least:
            return fit
        return search(replace(fit, noise_variance=least), X, y, fixed=(*fixed, *noise)).gp


# Refused before anything is planned: a list of more runs would fill the memory.
_MOST_RUNS = 1_000_000
_OBJECT = "object: "  # begins what a file has of a problem or policy that has no name


class Task(NamedTuple):
    """One run: labels of a problem and of a policy, and the number of the replicate, from 0.

    Examples
    --------
    >>> from ucbpe_core.study import Task
    >>> Task("Himmelblau", "GP-UCB-PE", replicate=3).policy
    'GP-UCB-PE'
    """

    problem: str
    policy: str
    replicate: int


def described(given: Problem | Policy) -> str:
    """The identity of a problem or policy given as an object; equal objects share it."""
    if isinstance(given, Policy):
        return f"{_OBJECT}{given!r}"
    digest = hashlib.sha256()
    for part in fields(given):
        value = getattr(given, part.name)
        digest.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return f"{_OBJECT}{given.name}, SHA-256 {digest.hexdigest()}"


def _only_described(given: Any) -> bool:
    """Whether this describes an object that is not here, as in the study of an opened store."""
    return isinstance(given, str) and given.startswith(_OBJECT)


def _check_options(
    registry: Registry[Any], given: Any, options: Mapping[str, Any], label: str
) -> None:
    """Raise for an unknown name or unknown options; an object takes no options."""
    if not (isinstance(given, Problem | Policy) or _only_described(given)):
        tables.check_options(registry.find(given), options, given)
    elif options:
        remedy = "give them to the object itself"
        raise InputError(f"no options of the object {label}", ", ".join(options), remedy)


def _found(registry: Registry[Any], name: str, label: str) -> Any:
    if _only_described(name):
        remedy = "run the study that has this object"
        raise InputError(f"{label} to be an object", "its description in a store", remedy)
    return registry.find(name)


def _takes(factory: Callable[..., Any], option: str) -> bool:
    return option in inspect.signature(factory).parameters


@dataclass(frozen=True)
class ProblemPlan:
    """A problem of a study.

    Parameters
    ----------
    label : its name in the results; its random streams derive from it
    problem : key of `ucbpe_core.problems.PROBLEMS`, ``plugin:factory``, or a `Problem` itself
        An object is the same in every replicate. Other processes are sent a copy; a file has only
        its name and a digest.
    options : keyword arguments of the factory
        A factory with a `seed` gets a new one for each replicate, unless the options fix it.
    hyperparameters : where the prior comes from

    Examples
    --------
    >>> from ucbpe_core.study import ProblemPlan
    >>> ProblemPlan("Himmelblau", "himmelblau", {"noise_variance": 0.5}).options["noise_variance"]
    0.5
    """

    label: str
    problem: str | Problem = field(hash=False)
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    hyperparameters: HyperparameterPlan = field(default_factory=HyperparameterPlan)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _plain(self.options, self.label))
        _check_options(PROBLEMS, self.problem, self.options, self.label)

    def build(self, seed: int) -> Problem:
        """The problem itself, drawn with that seed unless the options fix it."""
        if isinstance(self.problem, Problem):
            return self.problem
        factory = _found(PROBLEMS, self.problem, self.label)
        drawn = {"seed": seed} if _takes(factory, "seed") else {}
        problem: object = factory(**{**drawn, **self.options})
        if not isinstance(problem, Problem):
            remedy = "correct the factory"
            raise InputError(f"{self.problem} to return a Problem", repr(problem), remedy)
        return problem


@dataclass(frozen=True)
class PolicyPlan:
    """A policy of a study.

    Parameters
    ----------
    label : its name in the results
    policy : key of `ucbpe_core.policies.POLICIES`, ``plugin:Class``, or a `Policy` itself
    options : its parameters; default `batch_size` is the study's
        A policy with a `seed` gets a new one for each replicate, unless the options fix it, or the
        object has one.
    batches : number of batches; default the study's
    workers : whether its results arrive together or one by one; default the study's
    shared, shared_by : as of `simulate`, inputs that a batch shares; default none, and "first"

    Examples
    --------
    >>> from ucbpe_core.study import PolicyPlan
    >>> PolicyPlan("Two at a time", "GP-UCB-PE", {"batch_size": 2}).build(batch_size=10, seed=0)
    GPUCBPE(batch_size=2)
    """

    label: str
    policy: str | Policy = field(hash=False)
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    batches: int | None = None
    workers: Workers | None = None
    shared: Sequence[str] | None = None
    shared_by: SharedBy | None = None

    def __post_init__(self) -> None:
        if self.shared is not None:
            object.__setattr__(self, "shared", shared_of(self.shared))
        if self.shared_by is not None:
            shared_by_of(self.shared_by)
        object.__setattr__(self, "options", _plain(self.options, self.label))
        _check_options(POLICIES, self.policy, self.options, self.label)
        if self.batches is not None:
            count(self.batches, f"batches of {self.label}")
        if self.workers is not None:
            instance(self.workers, Workers, "pass Workers()")

    def build(self, batch_size: int, seed: int) -> Policy:
        """The policy itself; arguments fill in what the options leave open."""
        if isinstance(self.policy, Policy):
            return self.policy.seeded(seed)
        kind = _found(POLICIES, self.policy, self.label)
        defaults = {"seed": seed, "batch_size": batch_size}
        if issubclass(kind, GPUCB):
            del defaults["batch_size"]  # sequential by definition
        given = {name: value for name, value in defaults.items() if _takes(kind, name)}
        policy: Policy = kind(**{**given, **self.options})
        return policy


@dataclass(frozen=True)
class Study:
    """Every policy on every problem, in replicates; the defaults follow the paper.

    The paper's section 5 has K = 10, 20 random initial observations, 64 replicates and an RBF
    kernel fitted by maximum marginal likelihood.

    Parameters
    ----------
    name : of the study, for people
    problems, policies : every policy runs on every problem; labels are unique
    replicates, batches, batch_size, initial : counts; `initial` is the random initial points
    beta : schedule of beta_t
    workers : whether results arrive together, as by default, or one by one (`workers.Workers`)
    seed : root of every random stream

    Raises
    ------
    InputError
        For unknown names or options, labels that repeat, counts below their minimum, more than a
        million runs, or more than 100,000 points in one of them.

    Examples
    --------
    >>> from ucbpe_core.study import PolicyPlan, ProblemPlan, Study
    >>> problems = [ProblemPlan("Curve", "multimodal")]
    >>> policies = [PolicyPlan("PE", "GP-UCB-PE"), PolicyPlan("Random", "Random search")]
    >>> study = Study("Two policies", problems, policies, replicates=2, batches=3)
    >>> len(study.tasks()), study.tasks()[0]
    (4, Task(problem='Curve', policy='PE', replicate=0))
    """

    name: str
    problems: Sequence[ProblemPlan]
    policies: Sequence[PolicyPlan]
    replicates: int = 64
    batches: int = 60
    batch_size: int = 10
    initial: int = 20
    beta: BetaSchedule = field(default_factory=FiniteBeta)
    workers: Workers = BATCHES
    seed: int = 0

    def __post_init__(self) -> None:
        name: Any = self.name
        if not isinstance(name, str):
            got = repr(name)
            raise InputError("a name of the study that is text", got, 'write name = ".."')
        for what in ("problems", "policies"):
            plans = tuple(getattr(self, what))
            object.__setattr__(self, what, plans)
            _check_labels([plan.label for plan in plans], what)
        for what in ("replicates", "batches", "batch_size"):
            count(getattr(self, what), what)
        count(self.initial, "initial", minimum=0)
        count(self.seed, "seed", 0, streams.MOST)
        tables.to_table(SCHEDULES, self.beta, "beta")
        instance(self.workers, Workers, "pass Workers()")
        runs = self.replicates * len(self.problems) * len(self.policies)
        count(runs, "runs of a study", maximum=_MOST_RUNS)
        for policy in self.policies:
            if _only_described(policy.policy):
                continue
            picks = self.batches_of(policy) * policy.build(self.batch_size, seed=0).batch_size
            what = f"points of a run of {policy.label}"
            count(self.initial + picks, what, maximum=MOST_POINTS)

    def problem(self, label: str) -> ProblemPlan:
        return next(plan for plan in self.problems if plan.label == label)

    def policy(self, label: str) -> PolicyPlan:
        return next(plan for plan in self.policies if plan.label == label)

    def batches_of(self, policy: PolicyPlan) -> int:
        """T of a policy."""
        return self.batches if policy.batches is None else policy.batches

    def workers_of(self, policy: PolicyPlan) -> Workers:
        """The workers of a policy."""
        return self.workers if policy.workers is None else policy.workers

    def tasks(self) -> tuple[Task, ...]:
        """Every run, replicate by replicate, so that a partial study treats all cells alike."""
        return tuple(
            Task(problem.label, policy.label, replicate)
            for replicate in range(self.replicates)
            for problem in self.problems
            for policy in self.policies
        )


def _check_labels(labels: list[Any], what: str) -> None:
    if not labels:
        raise InputError(f"at least one of {what}", "none", f"add to {what}")
    for label in labels:
        if not isinstance(label, str) or not label:
            raise InputError(f"labels of {what} that are text", repr(label), "name it")
    repeated = sorted(label for label, times in Counter(labels).items() if times > 1)
    if repeated:
        raise InputError(f"labels of {what} that differ", f"{repeated} twice", "rename one")


def _plain(options: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """A copy of `options` in the types of JSON, which a file and a store can hold."""
    table = tables.as_table(options, f"options of {owner}")
    try:
        copy: dict[str, Any] = json.loads(json.dumps(table, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"options of {owner} that JSON can hold", str(error), "use numbers, text and lists"
        ) from None
    return copy
