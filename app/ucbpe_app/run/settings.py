"""What a user can set: values, bounds and meaning. No widgets.

`Settings` holds only values that make a run; `Settings.accept` refuses anything else with an
error that says expected, got and remedy. `RunSpec` is a frozen copy, the key of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.run.choices import (
    ALONE,
    JOINED,
    KERNELS,
    POLICIES,
    PROBLEM_NAMES,
    SCHEDULE_NAMES,
    SCHEDULES,
    SEEDED_PROBLEMS,
    TWO_INPUTS,
    made,
    read,
    users,
)
from ucbpe_app.run.setting import (
    Setting,
    SpecSettings,
    add_settings,
    setting,
    settings_of,
    with_options,
)
from ucbpe_core import GaussianProcess, simulate
from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import Sum
from ucbpe_core.gp.kernels.base import has_length_each
from ucbpe_core.history.workers import DURATIONS, Workers
from ucbpe_core.policies import GPUCB
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.search.simulation import replay_decisions

if TYPE_CHECKING:
    from ucbpe_core import BetaSchedule, Kernel, Policy, Trace
    from ucbpe_core.problems import Problem
    from ucbpe_core.support.validation import SharedBy

# A run on screen keeps every row in memory for stepping back: 1,000 rows of 10,201 candidates
# take 82 MB.
_MOST_PICKS = 1000

# Policies whose batches have the size that is set, and policies that also work one pick at a time.
_BATCHED = tuple(name for name in users(POLICIES, "batch_size") if name != GPUCB.name)
WHOLE = tuple(name for name in _BATCHED if POLICIES[name].whole)
_SINGLE = tuple(name for name in _BATCHED if name not in WHOLE)
TOGETHER, ONE_BY_ONE = "in batches", "one by one"
# The input that a batch shares, by its number, and how its value is chosen.
APART = "nothing"
SHARED: dict[str, tuple[int, SharedBy]] = {
    "x1": (0, "first"), "x2": (1, "first"), "x1 by sum": (0, "sum"), "x2 by sum": (1, "sum"),
}  # fmt: skip


def _positive(default: float, below: float | None = None, **options: Any) -> param.Number:
    return param.Number(default, bounds=(0, below), inclusive_bounds=(False, False), **options)


def _joined_with(*kernels: str) -> tuple[str, ...]:
    return tuple(name for name in JOINED if name.split()[1] in kernels)


@dataclass(frozen=True)
@with_options
class RunSpec:
    """Everything that determines a run; hashable.

    This is the one list of settings: the columns of every page, links, lesson files, what a race
    shares and the words for a change follow it. A constructor of a kernel, a schedule or a policy
    is given those of its part that it takes, and `simulate` those of the run. What a plugin's
    constructors take besides is added by `with_options`.
    """

    problem: str = setting(
        param.Selector(
            default="multimodal",
            objects={label: name for name, label in PROBLEM_NAMES.items()},
            doc="The function to maximise.",
        ),
        part="problem",
    )
    problem_seed: int = setting(
        param.Integer(0, bounds=(0, 9999), label="Function seed", doc="Which random function."),
        part="problem",
        shown_for=("problem", SEEDED_PROBLEMS),
        argument="seed",
    )
    policy: str = setting(
        param.Selector(default="GP-UCB-PE", objects=list(POLICIES), doc="Who chooses."), "Policy"
    )
    kernel: str = setting(
        param.Selector(default="RBF", objects=list(KERNELS), doc="Covariance family."), "Belief"
    )
    nu: float = setting(
        param.Number(1.5, bounds=(0, 1000), inclusive_bounds=(False, True), label="Smoothness ν"),
        word="ν",
        part="kernel",
    )
    lengthscale: float = setting(
        _positive(0.65, doc="Distance over which f changes, in units of x."),
        part="kernel",
        slider=True,
    )
    period: float = setting(
        _positive(2.0, doc="Distance after which f repeats, in units of x."),
        part="kernel",
        slider=True,
    )
    alpha: float = setting(
        _positive(1.0, label="Mixture α", doc="The smaller, the more lengthscales f has."),
        word="α",
        part="kernel",
        slider=True,
    )
    degree: int = setting(
        param.Integer(2, bounds=(1, 8), doc="Degree of the polynomial kernel."),
        part="kernel",
    )
    offset: float = setting(
        _positive(1.0, doc="Offset of the polynomial."),
        part="kernel",
        same_row=True,
    )
    variance: float = setting(
        _positive(2.3, doc="Prior variance of f, in squared units of f."),
        part="kernel",
        slider=True,
    )
    stretch: float = setting(
        _positive(1.0, label="Lengthscale of x2 / of x1", doc="As a multiple of x1's."),
        "Belief",
        shown_for=("problem", TWO_INPUTS),
        slider=True,
        optional=True,
    )
    second: str = setting(
        param.Selector(
            default=ALONE, objects=[ALONE, *JOINED], doc="What the kernel is joined with."
        ),
        "Joined",
        "second kernel",
    )
    second_lengthscale: float = setting(
        _positive(1.0, label="Its lengthscale", doc="In units of x."),
        "Joined",
        "second lengthscale",
        shown_for=("second", _joined_with("RBF", "Periodic")),
        slider=True,
        optional=True,
    )
    second_period: float = setting(
        _positive(1.0, label="Its period", doc="In units of x."),
        "Joined",
        "second period",
        shown_for=("second", _joined_with("Periodic")),
        slider=True,
        optional=True,
    )
    second_variance: float = setting(
        _positive(1.0, label="Its variance", doc="Variance of a second kernel that is added."),
        "Joined",
        "second variance",
        shown_for=("second", tuple(name for name in JOINED if name.startswith("plus"))),
        slider=True,
        optional=True,
    )
    mean: float = setting(
        param.Number(0.0, label="Prior mean", doc="Constant prior mean, in units of f."),
        "Belief",
    )
    noise_variance: float = setting(
        param.Number(0.01, bounds=(0, None), doc="Noise variance assumed by the prior."),
        "Belief",
        slider=True,
    )
    schedule: str = setting(
        param.Selector(
            default="Finite set", objects=SCHEDULE_NAMES, label="β schedule", doc="Of beta_t."
        ),
        "Confidence",
    )
    delta: float = setting(
        _positive(0.1, 1.0, label="δ", doc="Probability allowed for f to leave the band."),
        part="schedule",
    )
    beta: float = setting(
        _positive(4.0, label="β", doc="Constant beta."),
        part="schedule",
        slider=True,
    )
    scale: float = setting(
        _positive(1.0, label="Scale c", doc="Multiplies beta; often 0.2 in the literature."),
        word="β scale c",
        part="schedule",
        slider=True,
    )
    batch_size: int = setting(
        param.Integer(4, bounds=(1, 250), label="Batch size K"),
        word="K",
        part="policy",
        shown_for=("policy", _BATCHED),
    )
    batches: int = setting(
        param.Integer(10, bounds=(1, 200), label="Batches T"),
        word="T",
        part="run",
        same_row=True,
    )
    initial: int = setting(
        param.Integer(3, bounds=(0, 500), label="Initial points"),
        part="run",
    )
    seed: int = setting(
        param.Integer(0, bounds=(0, 9999), label="Noise seed"),
        part="run",
        same_row=True,
    )
    results: str = setting(
        param.Selector(
            default=TOGETHER,
            objects=[TOGETHER, ONE_BY_ONE],
            doc="Whether a batch waits for its results, or each free worker gets the next pick.",
        ),
        "Policy",
        shown_for=("policy", _SINGLE),
    )
    durations: str = setting(
        param.Selector(
            default="exponential",
            objects=list(DURATIONS),
            doc="How long an evaluation takes, with mean 1.",
        ),
        part="workers",
        same_row=True,
        shown_for=("results", (ONE_BY_ONE,)),
    )
    shared: str = setting(
        param.Selector(
            default=APART,
            objects=[APART, *SHARED],
            label="Shared in a batch",
            doc="The input that all picks of a batch share, with the value of the first pick or of "
            "the batch with the greatest sum of scores.",
        ),
        "Policy",
        shown_for=("problem", TWO_INPUTS),
        optional=True,
    )

    def of(self, part: str) -> dict[str, Any]:
        """The settings of one part that these choices use."""
        return {
            name: getattr(self, name)
            for name, entry in SETTINGS.items()
            if entry.part == part and entry.used(self)
        }

    def arguments(self, part: str) -> dict[str, Any]:
        """The same by the names of the parameters that they are for, without the choice itself."""
        own = {SETTINGS[name].argument or name: value for name, value in self.of(part).items()}
        return {name: value for name, value in own.items() if name != part}

    def build_problem(self) -> Problem:
        """The problem, made anew (see `problem_of`); random ones are drawn with `problem_seed`."""
        options = self.arguments("problem")
        return made(PROBLEMS[self.problem], options, options)

    def build_kernel(self) -> Kernel:
        """The kernel of the prior.

        A lengthscale or period is the geometric mean of those of the inputs. Of two inputs,
        `stretch` is their ratio. In a product the second kernel has variance 1, as it would only
        multiply the other.
        """
        kind, options = KERNELS[self.kernel], self.arguments("kernel")
        root = np.sqrt(self.stretch)  # exactly as the browser's engine
        if self.problem in TWO_INPUTS and root != 1:
            ratios = np.array([1 / root, root])
            for name in filter(partial(has_length_each, kind), options):
                options[name] = tuple((options[name] * ratios).tolist())
        kernel = made(kind, options, options)
        if self.second == ALONE:
            return kernel
        join, other = JOINED[self.second]
        values = {name: getattr(self, f"second_{name}") for name in ("lengthscale", "period")}
        values["variance"] = self.second_variance if join is Sum else 1.0
        return join(kernel, made(other, values, values))

    def build_gp(self) -> GaussianProcess:
        """The prior."""
        return GaussianProcess(self.build_kernel(), self.noise_variance, self.mean)

    def build_schedule(self) -> BetaSchedule:
        """The schedule of beta_t."""
        kind, options = SCHEDULES[self.schedule], self.arguments("schedule")
        if kind is CompactBeta:
            side = float(np.ptp(problem_of(self).bounds, axis=1).max())
            return CompactBeta(self.delta, self.scale, r=side)
        return made(kind, options, options)

    def build_policy(self) -> Policy:
        """The policy. GP-UCB takes no batch size: it is the sequential rule.

        A policy that draws has seed 0, whatever the noise seed: links made so far mean that.
        """
        options = {**self.arguments("policy"), "seed": 0}
        return made(POLICIES[self.policy], options, options)

    def build_workers(self) -> Workers:
        """Whether results arrive together or one by one; a batch waits for the slowest."""
        single = self.results == ONE_BY_ONE and self.policy in _SINGLE
        return Workers(self.durations, together=not single)

    @property
    def sharing(self) -> tuple[int, SharedBy] | None:
        """Which input the picks of a batch share, and how its value is chosen; None without."""
        return SHARED.get(self.shared) if self.problem in TWO_INPUTS else None

    def simulate(self, **options: Any) -> Trace:
        """The run; `options` are further arguments of `simulate`, or come in place of settings."""
        parts = (problem_of(self), self.build_policy(), self.build_gp(), self.build_schedule())
        arguments = {**self.of("run"), "workers": self.build_workers()}
        if self.sharing is not None:
            i, by = self.sharing
            arguments |= {"shared": parts[0].axes[i : i + 1], "shared_by": by}
        return simulate(*parts, **{**arguments, **options})

    def replay_decisions(self, trace: Trace, **options: Any) -> Trace:
        """The decisions of these settings on the measurements of a run that they `can_hold`."""
        gp, beta, policy = self.build_gp(), self.build_schedule(), self.build_policy()
        return replay_decisions(trace, gp, beta, policy=policy, **options)

    def can_hold(self, data: RunSpec) -> bool:
        """Whether only settings differ that leave measurements as they are."""
        same = all(getattr(self, name) == getattr(data, name) for name in MEASURED)
        together = self.build_workers().together and data.build_workers().together
        same = same and together and self.sharing == data.sharing
        return same and self.build_policy().batch_size == data.build_policy().batch_size

    def check(self) -> None:
        """Build all but the problem; raise `UCBPEError` for what cannot be."""
        self.build_gp()
        self.build_schedule()
        self.build_policy()
        if self.sharing and not self.build_workers().together:
            raise InputError(
                "results in batches where the picks of a batch share an input",
                f"results {ONE_BY_ONE}, and {self.shared} shared",
                "choose results in batches, or share nothing",
            )
        if self.batches * self.batch_size > _MOST_PICKS:
            raise InputError(
                f"at most {_MOST_PICKS} picks in a run on screen",
                f"{self.batches} batches of {self.batch_size}",
                "lower the number of batches or K",
            )


SETTINGS: dict[str, Setting] = settings_of(RunSpec)
# What the measurements of a run come from, whatever is made of them.
MEASURED = tuple(
    name for name, one in SETTINGS.items() if one.part in ("problem", "run") or name == "batch_size"
)


class Settings(SpecSettings[RunSpec]):
    """The settings of one session; every combination makes a run."""

    kind = RunSpec


add_settings(Settings)


def names_of(part: str, choice: str) -> dict[str, str]:
    """The settings of a part that are used for this choice, by the parameter that each is for."""
    chosen = SimpleNamespace(**{part: choice})
    return {
        entry.argument or name: name
        for name, entry in SETTINGS.items()
        if entry.part == part and entry.used(chosen)
    }


def settings_from(part: str, choice: str, item: object) -> dict[str, Any]:
    """The settings from which `RunSpec` makes this kernel or schedule again, of that choice.

    Raises
    ------
    InputError
        For one that they cannot say.
    """
    names = names_of(part, choice)
    return {names[argument]: value for argument, value in read(item, names).items()}


def problem_of(spec: RunSpec) -> Problem:
    """The problem of these settings, made once."""
    return kept_problem(RunSpec(**spec.of("problem")))


@lru_cache(maxsize=16)
def kept_problem(spec: RunSpec) -> Problem:
    """The problem of settings of which all others are as usual."""
    return spec.build_problem()
