"""What a user can set: values, bounds and meaning. No widgets.

`Settings` holds only values that make a run; `Settings.accept` refuses anything else with an
error that says expected, got and remedy. `RunSpec` is a frozen copy, the key of a run.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.run.choices import (
    KERNELS,
    POLICIES,
    PROBLEM_NAMES,
    SCHEDULES,
    SEEDED_PROBLEMS,
    made,
    read,
    takes,
)
from ucbpe_core import GPUCB, CompactBeta, GaussianProcess
from ucbpe_core.errors import InputError
from ucbpe_core.kernels.stationary import Stationary
from ucbpe_core.problems import PROBLEMS

if TYPE_CHECKING:
    from ucbpe_core import BetaSchedule, Kernel, Policy
    from ucbpe_core.problems import Problem

# A run on screen keeps every row in memory for stepping back: 1,000 rows of 10,201 candidates
# take 82 MB.
_MOST_PICKS = 1000

# What constructors of kernels and schedules may take of the settings.
OF_KERNEL = ("nu", "lengthscale", "degree", "offset", "variance")
OF_SCHEDULE = ("delta", "beta", "scale")


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines a run; hashable. Fields as in `Settings`."""

    problem: str
    problem_seed: int
    policy: str
    kernel: str
    nu: float
    lengthscale: float
    degree: int
    offset: float
    variance: float
    mean: float
    noise_variance: float
    schedule: str
    delta: float
    beta: float
    scale: float
    batch_size: int
    batches: int
    initial: int
    seed: int

    def build_problem(self) -> Problem:
        """The problem; random ones are drawn with `problem_seed`."""
        return _problem(self.problem, self.problem_seed if self.problem in SEEDED_PROBLEMS else 0)

    def build_kernel(self) -> Kernel:
        """The kernel of the belief."""
        return made(KERNELS[self.kernel], vars(self), OF_KERNEL)

    def build_gp(self) -> GaussianProcess:
        """The prior of the belief."""
        return GaussianProcess(self.build_kernel(), self.noise_variance, self.mean)

    def build_schedule(self) -> BetaSchedule:
        """The schedule of beta_t."""
        kind, values = SCHEDULES[self.schedule], vars(self)
        if kind is CompactBeta:
            side = float(np.ptp(self.build_problem().bounds, axis=1).max())
            return CompactBeta(self.delta, self.scale, r=side)
        return made(kind, values, OF_SCHEDULE)

    def build_policy(self) -> Policy:
        """The policy. GP-UCB takes no batch size: it is the sequential rule.

        A policy that draws has seed 0, whatever the noise seed: links made so far mean that.
        """
        options = self.policy_options()
        return made(POLICIES[self.policy], options, options)

    def policy_options(self) -> dict[str, int]:
        """The parameters that the policy of these settings is given."""
        kind = POLICIES[self.policy]
        size = {} if kind is GPUCB else {"batch_size": self.batch_size}
        return {name: v for name, v in {**size, "seed": 0}.items() if takes(kind, name)}

    def check(self) -> None:
        """Build all but the problem; raise `UCBPEError` for what cannot be."""
        self.build_gp()
        self.build_schedule()
        self.build_policy()
        if self.batches * self.batch_size > _MOST_PICKS:
            raise InputError(
                f"at most {_MOST_PICKS} picks in a run on screen",
                f"{self.batches} batches of {self.batch_size}",
                "lower the number of batches or K",
            )


@lru_cache(maxsize=16)
def _problem(name: str, seed: int) -> Problem:
    return PROBLEMS[name](**({"seed": seed} if name in SEEDED_PROBLEMS else {}))


class Settings(param.Parameterized):
    """The settings of one session; every combination held here makes a run."""

    problem = param.Selector(
        default="multimodal", objects=list(PROBLEM_NAMES), doc="The function to maximise."
    )
    problem_seed = param.Integer(0, bounds=(0, 9999), label="Function seed", doc="Which draw.")
    policy = param.Selector(default="GP-UCB-PE", objects=list(POLICIES), doc="Who chooses.")
    kernel = param.Selector(default="RBF", objects=list(KERNELS), doc="Covariance family.")
    nu = param.Number(1.5, bounds=(0, 1000), inclusive_bounds=(False, True), label="Smoothness ν")
    lengthscale = param.Number(
        0.65,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        doc="Distance over which f changes, in units of x.",
    )
    degree = param.Integer(2, bounds=(1, 8), doc="Degree of the polynomial kernel.")
    offset = param.Number(
        1.0, bounds=(0, None), inclusive_bounds=(False, False), doc="Offset of the polynomial."
    )
    variance = param.Number(
        2.3,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        doc="Prior variance of f, in squared units of f.",
    )
    mean = param.Number(0.0, label="Prior mean", doc="Constant prior mean, in units of f.")
    noise_variance = param.Number(
        0.01, bounds=(0, None), doc="Of a measurement, as the belief assumes it."
    )
    schedule = param.Selector(
        default="Finite set", objects=list(SCHEDULES), label="Schedule", doc="Of beta_t."
    )
    delta = param.Number(
        0.1,
        bounds=(0, 1),
        inclusive_bounds=(False, False),
        label="δ",
        doc="Probability allowed for f to leave the band.",
    )
    beta = param.Number(
        4.0, bounds=(0, None), inclusive_bounds=(False, False), label="β", doc="Constant beta."
    )
    scale = param.Number(
        1.0,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        label="Scale",
        doc="Multiplies beta; the literature often takes 0.2.",
    )
    batch_size = param.Integer(4, bounds=(1, 50), label="Batch size K")
    batches = param.Integer(10, bounds=(1, 200), label="Batches T")
    initial = param.Integer(3, bounds=(0, 500), label="Initial points")
    seed = param.Integer(0, bounds=(0, 9999), label="Noise seed")

    def spec(self) -> RunSpec:
        """A frozen copy."""
        return RunSpec(**{field.name: getattr(self, field.name) for field in fields(RunSpec)})

    def accept(self, **changes: Any) -> None:
        """Set several values at once, or raise `InputError` and change nothing."""
        before = {name: getattr(self, name) for name in changes}
        for name, value in changes.items():
            self._check_bounds(name, value)
        candidate = RunSpec(**{**vars(self.spec()), **changes})
        candidate.check()
        if changes != before:
            self.param.update(**changes)

    def _check_bounds(self, name: str, value: Any) -> None:
        """Turn param's own refusal into an error with a remedy."""
        parameter = self.param[name]
        try:
            parameter._validate(value)
        except (ValueError, TypeError) as refusal:
            raise InputError(
                _expectation(parameter), str(value), "enter a valid value"
            ) from refusal


def suggested(problem: str) -> dict[str, Any]:
    """Settings of a problem with the prior that it suggests.

    Of a lengthscale for each input, the settings have the geometric mean. The first call makes
    the problem, which may take a moment, or a download.

    Raises
    ------
    UCBPEError
        If the problem's data cannot be had.
    """
    gp = _problem(problem, 0).gp
    if isinstance(gp.kernel, Stationary) and np.ndim(gp.kernel.lengthscale):
        mean = float(np.exp(np.mean(np.log(gp.kernel.lengthscale))))
        gp = replace(gp, kernel=replace(gp.kernel, lengthscale=mean))
    return {"problem": problem, **describe(gp)}


def describe(gp: GaussianProcess) -> dict[str, Any]:
    """The settings that give this prior (kernels with one lengthscale only)."""
    for name, kind in KERNELS.items():
        if type(gp.kernel) is kind:
            own = read(gp.kernel, OF_KERNEL)
            return {"kernel": name, **own, "noise_variance": gp.noise_variance, "mean": gp.mean}
    raise InputError(f"a kernel among {', '.join(KERNELS)}", repr(gp.kernel), "choose one of these")


def _expectation(parameter: param.Parameter) -> str:
    label = str(parameter.label)
    if isinstance(parameter, param.Selector):
        return f"{label} to be one of {', '.join(map(str, parameter.objects))}"
    kind = "a whole number" if isinstance(parameter, param.Integer) else "a number"
    low, high = parameter.bounds or (None, None)
    strict_low, strict_high = (not inclusive for inclusive in parameter.inclusive_bounds)
    limits = [
        f"{'above' if strict_low else 'at least'} {low:g}" if low is not None else "",
        f"{'below' if strict_high else 'at most'} {high:g}" if high is not None else "",
    ]
    return f"{label} to be {kind} {' and '.join(part for part in limits if part)}".strip()
