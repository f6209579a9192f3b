"""The y axis of regrets, and the sentences below a figure.

An axis is linear, logarithmic, or logarithmic with a place for exact zeros. A caption says what is
drawn, of how many replicates, and what was left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from ucbpe_app.report.records import Curve
    from ucbpe_core.validation import Floats


_DECADES = 2  # means that span more are drawn on a logarithmic axis
_MOST_DECADES = 8  # below the largest mean a regret is rounding, and drawn as 0 is
# Sums keep growing: their slope matters, and a logarithmic axis would bend it.
_LINEAR = ("batch_cumulative_regret", "full_cumulative_regret")


@dataclass(frozen=True)
class Scale:
    """A y axis from `low` to `high`; one with zeros is linear below `threshold`."""

    kind: Literal["linear", "log", "symlog"]
    low: float | None = None
    high: float | None = None
    threshold: float = 0.0

    def apply(self, axes: Axes) -> None:
        """Set the axis, and tint the strip below `threshold`."""
        if self.kind == "symlog":
            axes.set_yscale("symlog", linthresh=self.threshold, linscale=0.5)
            axes.axhspan(0.0, self.threshold, color="#F1F1F1", linewidth=0, zorder=0)
        else:
            axes.set_yscale(self.kind)
        axes.set_ylim(self.low, self.high)

    def clip(self, values: Floats) -> Floats:
        """Return `values` cut to the axis: a band may reach below a regret's least value, 0."""
        return values if self.low is None else np.maximum(values, self.low)


def regret_scale(curves: Iterable[Curve]) -> Scale:
    """Return the scale for mean regrets of one quantity."""
    curves = tuple(curves)
    means = np.concatenate([curve.mean for curve in curves])
    tops = np.concatenate([np.where(np.isnan(c.high), c.mean, c.high) for c in curves])
    largest = float(means.max())
    shown = means[means > largest * 10.0**-_MOST_DECADES]
    linear = any(curve.quantity in _LINEAR for curve in curves)
    if linear or largest <= 0 or largest <= shown.min() * 10.0**_DECADES:
        return Scale("linear", low=0.0)
    if len(shown) < len(means):
        threshold = 10.0 ** np.floor(np.log10(shown.min()))
        return Scale("symlog", 0.0, 1.3 * float(tops.max()), float(threshold))
    return Scale("log", 0.7 * float(shown.min()), 1.3 * float(tops.max()))


def caption(curves: Sequence[Curve], scales: Iterable[Scale], *, marked: bool = False) -> str:
    """Return the caption of a figure of these curves, on these y axes."""
    reference = curves[0].reference
    numbers = sorted({curve.n for curve in curves})
    replicates = f"{numbers[0]} replicate{'s' if numbers[0] > 1 else ''}"
    if len(numbers) > 1:
        replicates = f"{numbers[0]} to {numbers[-1]} replicates"
    sentences = [f"Mean of {replicates}{_bands(curves)}."]
    if reference:
        sentences = [
            f"Paired differences, policy minus {reference} within each replicate: "
            f"above 0 {reference} has the lower regret.",
            *sentences,
        ]
    sentences += _failures(curves)
    kinds = {scale.kind for scale in scales}
    if "symlog" in kinds:
        sentences.append(
            "A grey strip is linear down to 0 at its foot, the axis above it logarithmic: "
            "regrets of exactly 0 show."
        )
    if marked:
        sentences.append("Circle: mean last batch of the initialisation.")
    return " ".join(sentences)


def _bands(curves: Sequence[Curve]) -> str:
    single = [curve for curve in curves if curve.n == 1]
    if len(single) == len(curves):
        return ", which gives no interval"
    percent = f"{100 * curves[0].level:g} %"
    exception = "; one replicate gives none" if single else ""
    return f" with pointwise {percent} Student t intervals{exception}"


def _failures(curves: Sequence[Curve]) -> list[str]:
    problems = {curve.problem for curve in curves}
    counts = {(curve.problem, curve.policy): curve.failed for curve in curves if curve.failed}
    if not counts:
        return []
    told = ", ".join(
        f"{policy}{f' on {problem}' if len(problems) > 1 else ''} {failed}"
        for (problem, policy), failed in counts.items()
    )
    return [f"Failed replicates, left out: {told}."]
