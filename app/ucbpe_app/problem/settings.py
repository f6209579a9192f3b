"""What a user sets for a table of their own: the plan of an experiment."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.run.changes import worded
from ucbpe_app.run.choices import KERNELS as ALL_KERNELS
from ucbpe_app.run.choices import POLICIES, SCHEDULE_NAMES, made
from ucbpe_app.run.choices import SCHEDULES as ALL_SCHEDULES
from ucbpe_app.run.setting import Setting, add_settings
from ucbpe_app.run.settings import SETTINGS, Settings, names_of, settings_from
from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.gp.kernels import Linear, Periodic, Polynomial
from ucbpe_core.gp.kernels.base import has_length_each
from ucbpe_core.policies import Recommended
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.search.experiment import Plan
from ucbpe_core.support.validation import all_equal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_core import BetaSchedule, GaussianProcess, Kernel, Policy
    from ucbpe_core.search.experiment import Table
    from ucbpe_core.support.validation import Direction, Fitting, Floats, SharedBy

SHARE = 0.2  # of the range of each input: the lengthscale before any fit
_NOISE = 0.01  # of the variance: a measurement that is a tenth of the spread off
# Inputs of different units share no origin, no offset, no period and no side of a cube.
_OF_ONE_UNIT = (Linear, Periodic, Polynomial)
KERNELS = {name: kind for name, kind in ALL_KERNELS.items() if kind not in _OF_ONE_UNIT}
_SCHEDULES = {name: kind for name, kind in ALL_SCHEDULES.items() if kind is not CompactBeta}
_SCHEDULE_NAMES = {label: name for label, name in SCHEDULE_NAMES.items() if name in _SCHEDULES}
FITS: dict[str, Fitting] = {"Before each batch": "each batch", "Never": "never"}
_FIT_OF = {fit: label for label, fit in FITS.items()}
GOALS: dict[str, Direction] = {"Maximise": "maximize", "Minimise": "minimize"}
_GOAL_OF = {direction: goal for goal, direction in GOALS.items()}


def is_scaled(kind: type[Kernel]) -> bool:
    """Whether a kernel takes a lengthscale for each input."""
    return has_length_each(kind, "lengthscale")


_OF_TABLE = {
    "policy": SETTINGS["policy"].like(Recommended.name),
    "kernel": SETTINGS["kernel"].like("Matérn", objects=list(KERNELS)),
    "nu": SETTINGS["nu"].like(2.5),
    "lengthscale": SETTINGS["lengthscale"].like(
        SHARE,
        shown_for=("kernel", tuple(name for name, kind in KERNELS.items() if is_scaled(kind))),
        label="Lengthscale (share of range)",
        doc="Distance over which f changes, as a share of the range of each input.",
    ),
    "schedule": SETTINGS["schedule"].like("Finite set", objects=_SCHEDULE_NAMES),
}
_GOAL = param.Selector(
    default="Maximise", objects=list(GOALS), doc="Whether high or low values are better."
)
_FIT = param.Selector(
    default="Before each batch", objects=list(FITS), label="Fit the prior",
    doc="Whether the prior is fitted to all results before each batch.",
)  # fmt: skip
_SHARED = param.ListSelector(
    default=[], objects=[], label="Shared in a batch",
    doc="Inputs of which all rows of a batch have the same values, as in one oven.",
)  # fmt: skip
SHARED_BY: dict[str, SharedBy] = {"The first pick": "first", "The sum of scores": "sum"}
_SHARED_BY = param.Selector(
    default="The first pick", objects=list(SHARED_BY), label="Shared value by",
    doc="The value of the first pick, or of the batch with the greatest sum of scores.",
)  # fmt: skip
# Settings that are parts of a plan by themselves.
_SINGLE = ("fit", "shared", "shared_by")
# The settings of each part of a plan, which has neither a problem nor a number of batches; real
# results come when they come.
_PARTS = {
    **{
        part: tuple(
            name
            for name, setting in SETTINGS.items()
            if setting.section == section
            and not setting.shared
            and name not in ("results", *_SINGLE)
        )
        for part, section in (("gp", "Belief"), ("policy", "Policy"), ("beta", "Confidence"))
    },
    "direction": ("goal",),
    **{name: (name,) for name in _SINGLE},
}
PLAN = tuple(name for names in _PARTS.values() for name in names)


class PlanSettings(Settings):
    """Settings over a table: its inputs have units of their own, so lengthscales are shares.

    `lengthscale` is the geometric mean over the inputs of lengthscale / range: 1 is as long as
    the table. A change of it scales the lengthscales of all inputs; what they are to each other
    comes from the ranges, or from a fit.
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.extent: Floats = np.ones(1)
        self._proportions: Floats = np.ones(1)  # of geometric mean 1
        self._shown: tuple[dict[str, Any], Plan] | None = None

    def measure(self, table: Table) -> None:
        """Take the ranges and inputs of another table; no plan has been shown for it."""
        self.param["shared"].objects = list(table.names)
        self.shared = []
        extent = np.ptp(table.candidates, axis=0)
        self.extent = np.where(extent > 0, extent, 1.0)
        if table.design is not None:  # the values of a category are a lengthscale of 1 apart
            self.extent[table.design.coded] = 1 / SHARE
        self._proportions = np.ones(len(extent))
        self._shown = None

    @property
    def lengthscales(self) -> tuple[float, ...]:
        """Lengthscale of each input, in the units of the input."""
        return tuple((self.lengthscale * self._proportions * self.extent).tolist())

    def suggest(self, y: Sequence[float]) -> None:
        """The prior before any fit: mean and variance of the values known, short lengthscales."""
        values = np.asarray(y, dtype=float)
        mean = float(np.mean(values)) if len(values) else 0.0
        variance = 0.0 if all_equal(values) else float(np.var(values))
        if variance > 0:  # to a hundredth of the spread: 1230 is far from 1234.4 and 1234.6
            mean = round(mean, 2 - math.floor(math.log10(variance) / 2))
        variance = float(f"{variance or 1.0:.3g}")
        self._proportions = np.ones_like(self._proportions)
        self.accept(
            lengthscale=SHARE,
            variance=variance,
            noise_variance=float(f"{_NOISE * variance:.3g}"),
            mean=mean,
        )

    def gp(self) -> GaussianProcess:
        """The prior."""
        kind = KERNELS[self.kernel]
        options = self.spec().arguments("kernel") | {"lengthscale": self.lengthscales}
        if not is_scaled(kind):
            del options["lengthscale"]
        kernel = made(kind, options, options)
        return replace(self.spec().build_gp(), kernel=kernel)

    def plan(self) -> Plan:
        """Prior, policy and schedule; parts of the shown plan that nobody has changed are kept."""
        spec = self.spec()
        whole = Plan(
            self.gp(), spec.build_policy(), spec.build_schedule(), GOALS[self.goal],
            fit=FITS[self.fit], shared=tuple(self.shared), shared_by=SHARED_BY[self.shared_by],
        )  # fmt: skip
        if self._shown is None:
            return whole
        before, plan = self._shown
        now, changed = self._values(), dict[str, Any]()
        for part, names in _PARTS.items():
            if all(before[name] == now[name] for name in names):
                changed[part] = getattr(plan, part)
        return replace(whole, repeats=plan.repeats, **changed)

    @property
    def changes(self) -> tuple[str, ...]:
        """What was changed since a plan was shown, each as ``variance 1 → 2``."""
        before, now = {} if self._shown is None else self._shown[0], self._values()
        return tuple(
            f"{self.entries[name].in_text} {worded(before[name])} → {worded(now[name])}"
            for name in before
            if before[name] != now[name]
        )

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in PLAN}

    def show(self, plan: Plan) -> tuple[str, ...]:
        """Take the settings from a plan; return what of it they cannot say.

        That part of the plan stays in force until its settings are changed.
        """
        remarks = []
        for part, take in (
            ("prior", lambda: self.show_prior(plan.gp)),
            ("policy", lambda: self.accept(**_policy(plan.policy))),
            ("schedule", lambda: self.accept(**_schedule(plan.beta))),
            ("goal", lambda: self.accept(goal=_GOAL_OF[plan.direction])),
            ("fit", lambda: self.accept(fit=_FIT_OF[plan.fit])),
            ("shared setting", lambda: self.accept(**_shared(plan))),
        ):
            try:
                take()
            except UCBPEError as error:
                remarks.append(f"The {part} was made in Python and is kept: {error.got}.")
        self._shown = (self._values(), plan)
        return tuple(remarks)

    def show_prior(self, gp: GaussianProcess) -> None:
        """Take those of the prior from one, e.g. a fitted one; nothing else changes.

        Raises
        ------
        InputError
            For one that they cannot say.
        """
        kernel, before = gp.kernel, self._proportions
        name = _name(KERNELS, kernel)
        if is_scaled(type(kernel)):
            lengthscale: float | tuple[float, ...] = kernel.lengthscale  # type: ignore[attr-defined]
            fractions = np.broadcast_to(lengthscale, self.extent.shape) / self.extent
            middle = float(np.exp(np.mean(np.log(fractions))))
            self._proportions = fractions / middle
            own = {**_taken("kernel", name, kernel), "lengthscale": middle}
        else:
            own = settings_from("kernel", name, kernel)
        try:
            self.accept(kernel=name, noise_variance=gp.noise_variance, mean=gp.mean, **own)
        except UCBPEError:
            self._proportions = before
            raise


add_settings(
    PlanSettings,
    {
        "goal": Setting(_GOAL, "Policy"),
        "fit": Setting(_FIT, "Belief", "fit"),
        **SETTINGS,
        **_OF_TABLE,
        "shared": Setting(_SHARED, "Policy"),
        "shared_by": Setting(_SHARED_BY, "Policy"),
    },
)


def _policy(policy: Policy) -> dict[str, Any]:
    name = _name(POLICIES, policy)
    return {"batch_size": policy.batch_size, "policy": name, **_taken("policy", name, policy)}


def _shared(plan: Plan) -> dict[str, Any]:
    (by,) = (label for label, by in SHARED_BY.items() if by == plan.shared_by)
    return {"shared": list(plan.shared), "shared_by": by}


def _schedule(beta: BetaSchedule) -> dict[str, Any]:
    name = _name(_SCHEDULES, beta)
    return {"schedule": name, **settings_from("schedule", name, beta)}


def _taken(part: str, choice: str, instance: object) -> dict[str, Any]:
    """The settings that an instance was made from, whatever else it has."""
    names = names_of(part, choice)
    return {name: getattr(instance, argument) for argument, name in names.items()}


def _name(choices: Mapping[str, type], instance: object) -> str:
    """What the pages call the class of this."""
    for name, kind in choices.items():
        if type(instance) is kind:
            return name
    raise InputError(f"one of {', '.join(choices)}", repr(instance), "go on in Python")
