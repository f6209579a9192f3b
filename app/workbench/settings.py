"""What a user sets for a table of their own: the plan of a simulation or of an experiment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from app.settings import Settings
from ucbpe_core import RBF, BetaSchedule, ConstantBeta, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.experiment import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.settings import RunSpec
    from ucbpe_core import Policy
    from ucbpe_core.validation import Floats

SHARE = 0.2  # of the range of each input: the lengthscale before any fit
_NOISE = 0.01  # of the variance: a measurement that is a tenth of the spread off
_KERNELS = {"RBF": RBF, "Matérn": Matern}
# The settings of each part of a plan.
_PARTS = {
    "gp": ("kernel", "nu", "lengthscale", "variance", "noise_variance", "mean"),
    "policy": ("policy", "batch_size"),
    "beta": ("schedule", "delta", "beta", "scale"),
}
PLAN = tuple(name for names in _PARTS.values() for name in names)


class PlanSettings(Settings):
    """Settings over a table: its inputs have units of their own, so lengthscales are shares.

    `lengthscale` is the geometric mean over the inputs of lengthscale / range: 1 is as long as
    the table. A change of it scales the lengthscales of all inputs; what they are to each other
    comes from the ranges, or from a fit.
    """

    kernel = param.Selector(default="Matérn", objects=list(_KERNELS), doc="Covariance family.")
    nu = param.Number(2.5, bounds=(0, 1000), inclusive_bounds=(False, True), label="Smoothness ν")
    lengthscale = param.Number(
        SHARE,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        label="Lengthscale (share of range)",
        doc="Distance over which f changes, as a share of the range of each input.",
    )
    schedule = param.Selector(
        default="Finite set", objects=["Finite set", "Constant"], label="Schedule", doc="Of beta_t."
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.extent: Floats = np.ones(1)
        self._proportions: Floats = np.ones(1)  # of geometric mean 1
        self._shown: tuple[RunSpec, Plan] | None = None

    def measure(self, candidates: Floats) -> None:
        """Take the ranges of another table, shape (M, d); no plan has been shown for it."""
        extent = np.ptp(candidates, axis=0)
        self.extent = np.where(extent > 0, extent, 1.0)
        self._proportions = np.ones(len(extent))
        self._shown = None

    @property
    def lengthscales(self) -> tuple[float, ...]:
        """One for each input, in its units."""
        return tuple((self.lengthscale * self._proportions * self.extent).tolist())

    def suggest(self, y: Sequence[float]) -> None:
        """The prior before any fit: mean and variance of the values known, short lengthscales."""
        known = np.asarray(y, dtype=float)
        variance = float(np.var(known)) if len(known) > 1 else 0.0
        variance = float(f"{variance or 1.0:.3g}")
        self._proportions = np.ones_like(self._proportions)
        self.accept(
            lengthscale=SHARE,
            variance=variance,
            noise_variance=float(f"{_NOISE * variance:.3g}"),
            mean=float(f"{np.mean(known):.3g}") if len(known) else 0.0,
        )

    def gp(self) -> GaussianProcess:
        """The prior."""
        if self.kernel == "RBF":
            kernel: RBF | Matern = RBF(self.lengthscales, self.variance)
        else:
            kernel = Matern(self.lengthscales, self.variance, nu=self.nu)
        return GaussianProcess(kernel, self.noise_variance, self.mean)

    def beta_schedule(self) -> BetaSchedule:
        """The schedule of beta_t."""
        if self.schedule == "Constant":
            return ConstantBeta(self.beta, self.scale)
        return FiniteBeta(self.delta, self.scale)

    def chosen_policy(self) -> Policy:
        """Who chooses."""
        return self.spec().build_policy()

    def plan(self) -> Plan:
        """Prior, policy and schedule; of a plan that was shown, what was not changed since."""
        made = Plan(self.gp(), self.chosen_policy(), self.beta_schedule())
        if self._shown is None:
            return made
        before, plan = self._shown
        now, changed = self.spec(), dict[str, Any]()
        for part, names in _PARTS.items():
            if all(getattr(before, name) == getattr(now, name) for name in names):
                changed[part] = getattr(plan, part)
        return replace(made, **changed)

    @property
    def differs(self) -> bool:
        """Whether something was changed since a plan was shown."""
        if self._shown is None:
            return True
        before, now = self._shown[0], self.spec()
        return any(getattr(before, name) != getattr(now, name) for name in PLAN)

    def show(self, plan: Plan) -> tuple[str, ...]:
        """Take the settings from a plan; return what of it they cannot say.

        That part of the plan stays in force until its settings are changed.
        """
        remarks = []
        for part, take in (
            ("prior", lambda: self._take_prior(plan.gp)),
            ("policy", lambda: self.accept(**_policy(plan.policy))),
            ("schedule", lambda: self.accept(**_schedule(plan.beta))),
        ):
            try:
                take()
            except UCBPEError as error:
                remarks.append(f"The {part} was made in Python and is kept: {error.got}.")
        self._shown = (self.spec(), plan)
        return tuple(remarks)

    def show_prior(self, gp: GaussianProcess) -> None:
        """Take those of the prior from one, a fitted one, say; nothing else changes.

        Raises
        ------
        InputError
            For one that they cannot say.
        """
        self._take_prior(gp)

    def _take_prior(self, gp: GaussianProcess) -> None:
        kernel, before = gp.kernel, self._proportions
        if not isinstance(kernel, RBF | Matern):
            raise InputError("an RBF or Matérn kernel", repr(kernel), "go on in Python")
        shares = np.broadcast_to(kernel.lengthscale, self.extent.shape) / self.extent
        middle = float(np.exp(np.mean(np.log(shares))))
        own = {"nu": kernel.nu} if isinstance(kernel, Matern) else {}
        self._proportions = shares / middle
        try:
            self.accept(
                kernel="Matérn" if own else "RBF",
                lengthscale=middle,
                variance=kernel.variance,
                noise_variance=gp.noise_variance,
                mean=gp.mean,
                **own,
            )
        except UCBPEError:
            self._proportions = before
            raise


def _policy(policy: Policy) -> dict[str, Any]:
    return {"policy": policy.name, "batch_size": policy.batch_size}


def _schedule(beta: BetaSchedule) -> dict[str, Any]:
    if isinstance(beta, ConstantBeta):
        return {"schedule": "Constant", "beta": beta.beta, "scale": beta.scale}
    if isinstance(beta, FiniteBeta):
        return {"schedule": "Finite set", "delta": beta.delta, "scale": beta.scale}
    raise InputError("a finite or constant schedule", repr(beta), "go on in Python")
