"""The regret of a run, for `Trace.plot`: an overlay that the notebook's own HoloViews shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

if TYPE_CHECKING:
    from ucbpe_core import Trace


def regrets(trace: Trace) -> Any:
    """r_t^K and the smallest so far, over the batches."""
    t = np.arange(1, len(trace.decisions) + 1)
    curves = {"of the batch": trace.simple_regret, "least so far": trace.running_minimum}
    lines = [
        hv.Curve((t, curve), "batch t", f"regret of {trace.problem.axes[-1]}", label=label)
        for label, curve in curves.items()
    ]
    return hv.Overlay(lines).relabel(f"{trace.problem.name}: {trace.policy.name}")
