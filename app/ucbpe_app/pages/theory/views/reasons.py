"""The text of the proof: what is assumed and guaranteed, the bounds, and why there are two."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ucbpe_app.pages.theory.sentences import about, promise, units
from ucbpe_app.pages.theory.views import formulas
from ucbpe_core.schedules import CompactBeta

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.state import RunTheory

_AT_MOST = r"\le"
_BOUNDS = {
    "theorem1_printed": "As printed", "theorem1_proved": "As proved",
    "full_regret_printed": "All picks, as printed", "full_regret_proved": "All picks, as proved",
}  # fmt: skip


def reasons(run_theory: RunTheory) -> str:
    """HTML of a run's."""
    trace = run_theory.trace
    schedule = formulas.SCHEDULES.get(type(trace.beta))
    compact = isinstance(trace.beta, CompactBeta)
    bounds = formulas.COMPACT_BOUNDS if compact else formulas.BOUNDS
    theorem = [
        f"<h3>{label}</h3>{_shown(bounds[name], _AT_MOST)}" for name, label in _BOUNDS.items()
    ]
    return "".join(
        [
            "<h2>What is assumed</h2>", *map(_paragraph, about(trace)),
            "<h2>The band</h2>", _shown(schedule, "=") if schedule else "",
            _paragraph(promise(trace)),
            "<h2>Theorem 1</h2>", *theorem, _paragraph(units(run_theory.course)),
            "<h2>Why the two differ</h2>", _WHY,
        ]
    )  # fmt: skip


_WHY = f"""
<ol>
<li>The Cauchy–Schwarz step and the sum of variances (Lemma 4) give <b>8</b> where <b>4</b> is
printed, and 72 where 36 is.</li>
<li>For a compact X, each t adds an error of 1/t². Together they are at most π²/6,
<b>outside</b> the root; the paper has π/√6, inside.</li>
<li>Lemma 3 omits {formulas.small(formulas.DROPPED)}. It comes back as the last term, outside the
root.</li>
<li>Lemma 2 has k − 1 where K − 1 is meant, and needs the next x⁰ in R⁺. For this, the mean must not
rise too far from one batch to the next, which is not proved; the grid checks every batch of this
run. The bound on every pick needs the same for the PE picks.</li>
</ol>
"""


def _shown(formula: formulas.Formula, sign: str) -> str:
    """A formula, and below it what its symbols stand for."""
    where = "".join(
        f"<li>{formulas.small(f'{symbol} = {value}')}</li>" for symbol, value in formula.where
    )
    beyond = formulas.math(formula.beyond) if formula.beyond else ""
    line = formulas.math(f"{formula.left} {sign} {formula.right}") + beyond
    return f'<div class="line">{line}</div>' + (f"<ul>{where}</ul>" if where else "")


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""
