"""sqrt(beta_t) of a run over its batches, beside what other schedules and other deltas give."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.choices import SCHEDULES, takes
from ucbpe_core.errors import UCBPEError
from ucbpe_core.policies.schedules import InformationGainBeta, RandomizedBeta
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core import BetaSchedule, Trace
    from ucbpe_core.support.validation import Floats

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
