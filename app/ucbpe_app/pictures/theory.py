"""What is proved about a run, beside what it did: charts over batches."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.chart import Curve, Values, over_batches
from ucbpe_app.pictures.picture import Kind, PlotKind, mark
from ucbpe_app.run.sentences.texts import number, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.pictures.picture import Picture
    from ucbpe_core.validation import Floats

_OWN, _EVERY = ("regret", "regret_dots"), ("every", "every_dots")


def _kind(name: str, label: str, roles: Sequence[str]) -> Kind:
    borders = (56, 12, 12, 26)
    plot = PlotKind(name=label, roles=("now", *roles), height=240, borders=borders)
    return Kind(name, MappingProxyType({name: plot}))


PROVED = _kind(
    "proved",
    "Bounds and what the run did",
    ("trivial", "greedy", "printed", "proved", *_EVERY, *_OWN),
)
COVERAGE = _kind(
    "coverage",
    "Runs in which f has left the band",
    ("promised", "delta", "every_limits", "regret_limits", *_EVERY, *_OWN),
)


def proved(
    given: Mapping[str, tuple[str, Floats | None]], last: int, now: int | None, *, log: bool
) -> Picture:
    """Curves (T,) by role, each with its name; one that is None is left out."""
    curves = [
        Curve(role, y, f"{name} {number(float(y[-1]))}", dots=role in ("regret", "every"))
        for role, (name, y) in given.items()
        if y is not None
    ]
    together = np.concatenate([one.y for one in curves])
    values = Values.of(together, log=log)
    y = values.axis(float(together.max()))
    said = ", ".join(one.text for one in curves)
    return over_batches(PROVED, curves, last, y, values, now=now, text=f"At the end: {said}.")


def coverage(
    allowed: Floats,
    delta: float | None,
    shares: Mapping[str, tuple[str, Floats, Floats, Floats]],
    now: int | None,
) -> Picture:
    """Shares of runs in which f has left the band by t, in %.

    Parameters
    ----------
    allowed : what the proof allows, shape (T,)
    delta : what is promised for all t, if anything is
    shares : by role: name, the share counted and its limits, shape (T,) each
    now : the batch that is marked
    """
    last = len(allowed)
    promised = [] if delta is None else [
        Curve("delta", np.full(last, 100 * delta), f"δ = {percent(delta)}")
    ]  # fmt: skip
    counted = [
        Curve(role, 100 * share, f"{name} {percent(float(share[-1]))}", dots=True)
        for role, (name, share, _, _) in shares.items()
    ]
    limits = [
        mark(f"{role}_limits", x=np.arange(1.0, last + 1), lower=100 * low, upper=100 * high)
        for role, (_, _, low, high) in shares.items()
    ]
    most = f"at most, by the proof: {percent(float(allowed[-1]))}"
    curves = [Curve("promised", 100 * allowed, most), *promised, *counted]
    # A tenth at least: small shares are the theory's promise.
    tops = [0.1, float(allowed[-1]), delta or 0.0, *(float(one[3][-1]) for one in shares.values())]
    values = Values()
    said = ", ".join(one.text for one in curves)
    y = values.axis(100 * max(tops))
    text = f"After {last} batches: {said}."
    return over_batches(COVERAGE, curves, last, y, values, now=now, others=limits, text=text)
