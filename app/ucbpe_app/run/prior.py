"""The prior and beta of a run: suggested or fitted, and what other schedules would give."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.run.choices import ALONE, JOINED, KERNELS, SCHEDULES, takes
from ucbpe_app.run.settings import RunSpec, problem_of, settings_from
from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.gp.kernels import Product
from ucbpe_core.gp.kernels.stationary import Stationary
from ucbpe_core.policies.schedules import InformationGainBeta, RandomizedBeta
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core import BetaSchedule, GaussianProcess, Kernel, Trace
    from ucbpe_core.problems import Problem
    from ucbpe_core.support.validation import Floats


def suggested(problem: str) -> dict[str, Any]:
    """Settings of a problem with the prior that it suggests.

    For one lengthscale per input, the settings have the geometric mean. The first call makes
    the problem, which may take a moment, or a download.

    Raises
    ------
    UCBPEError
        If the problem's data cannot be loaded.
    """
    return {"problem": problem, **_suggested(problem_of(RunSpec(problem=problem)))}


@lru_cache(maxsize=16)
def _suggested(problem: Problem) -> Mapping[str, Any]:
    return MappingProxyType(describe(tied(problem.gp)[0]))


def tied(gp: GaussianProcess) -> tuple[GaussianProcess, Floats]:
    """A prior with the geometric mean for the lengthscales of its inputs, and their ratios to it.

    The ratios have shape (d,), or (1,) where there is one lengthscale for all.
    """
    kernel = gp.kernel
    if not isinstance(kernel, Stationary) or not np.ndim(kernel.lengthscale):
        return gp, np.ones(1)
    scales = np.array(kernel.lengthscale)
    equal = np.ptp(scales) == 0
    middle = float(scales[0] if equal else np.exp(np.mean(np.log(scales))))
    isotropic: Any = replace(kernel, lengthscale=middle)
    return replace(gp, kernel=isotropic), scales / middle


def describe(gp: GaussianProcess) -> dict[str, Any]:
    """The settings that give this prior: a kernel, alone or joined with a second one.

    Raises
    ------
    InputError
        For a kernel that the settings cannot say.
    """
    kernel, second = parted(gp.kernel)
    for name, kind in KERNELS.items():
        if type(kernel) is kind:
            own = settings_from("kernel", name, kernel)
            prior = {"noise_variance": gp.noise_variance, "mean": gp.mean}
            return {"kernel": name, **own, **second, **prior}
    raise InputError(f"a kernel among {', '.join(KERNELS)}", repr(gp.kernel), "choose one of these")


def parted(kernel: Kernel) -> tuple[Kernel, dict[str, Any]]:
    """The first kernel, and the settings of the second; of a product the first has the variance."""
    for name, (join, kind) in JOINED.items():
        if isinstance(kernel, join) and type(kernel.right) is kind:
            own = {f"second_{item.name}": getattr(kernel.right, item.name) for item in fields(kind)}
            first = kernel.left
            if isinstance(kernel, Product):
                first = first.scaled(own.pop("second_variance"))
            return first, {"second": name, **own}
    return kernel, {"second": ALONE}


_TIMES = 10.0  # the other deltas, of that of the run
_MOST = 0.99


_OF_THE_RUN = (InformationGainBeta, RandomizedBeta)


@dataclass(frozen=True, eq=False)
class Betas:
    """Square roots of beta_1 .. beta_T, shape (T,) each.

    Attributes
    ----------
    schedule : that of the run
    used : as the policy of the run has it
    others : by schedule, with the same delta, beta and scale c
    deltas : a smaller delta and a larger one, and what the schedule gives for them; None for a
        schedule without a delta
    """

    schedule: str
    used: Floats
    others: Mapping[str, Floats]
    deltas: tuple[tuple[float, Floats], tuple[float, Floats]] | None


def betas_of(spec: RunSpec, trace: Trace) -> Betas:
    """Of a run with these settings.

    What the information gain or chance gives is of a run: it is there for the run alone.
    """
    used = np.sqrt([decision.beta for decision in trace.decisions])
    others = {}
    for name in SCHEDULES:
        if name != spec.schedule and not issubclass(SCHEDULES[name], _OF_THE_RUN):
            try:
                others[name] = _roots(replace(spec, schedule=name).build_schedule(), trace)
            except UCBPEError:  # a formula outside its range has no curve
                continue
    deltas = None
    if takes(SCHEDULES[spec.schedule], "delta") and not isinstance(trace.beta, InformationGainBeta):
        low, high = (
            (delta, _roots(replace(spec, delta=delta).build_schedule(), trace))
            for delta in (spec.delta / _TIMES, min(spec.delta * _TIMES, _MOST))
        )
        deltas = low, high
    return Betas(spec.schedule, read_only(used), others, deltas)


def _roots(schedule: BetaSchedule, trace: Trace) -> Floats:
    """What a schedule gives over the candidates of a run, as its policy has it."""
    effective, (size, dimension) = (
        trace.policy.effective_schedule(schedule),
        trace.problem.candidates.shape,
    )
    batches = range(1, len(trace.decisions) + 1)
    values = [effective(t, size, dimension, kernel=trace.gp.kernel) for t in batches]
    return read_only(np.sqrt(values))
