"""The sentences below a figure: what is drawn, of how many replicates, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.report.records import Curve
    from ucbpe_app.report.scales import Scale


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
