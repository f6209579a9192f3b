"""The text of the proof: what is assumed and guaranteed, the bounds, and why there are two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.pages.theory.sentences import about, promise, units
from ucbpe_app.pages.theory.views import formulas
from ucbpe_app.pictures.theory import factor
from ucbpe_app.run.sentences import number
from ucbpe_core import theory
from ucbpe_core.policies.schedules import CompactBeta

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.pages.theory.state import RunTheory

_AT_MOST = r"\le"
_FEW = 4  # picks: before that a rate says nothing
_BOUNDS = {
    "theorem1_printed": "As printed", "theorem1_proved": "As proved",
    "full_regret_printed": "All picks, as printed", "full_regret_proved": "All picks, as proved",
}  # fmt: skip


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """HTML of a table; cells are texts or HTML."""
    first = joined(map(Html('<th scope="col">{}</th>').format, head))
    body = joined(
        Html('<tr><th scope="row">{}</th>{}</tr>').format(
            row[0], joined(map(Html("<td>{}</td>").format, row[1:]))
        )
        for row in rows
    )
    return Html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(first, body)


def reasons(run_theory: RunTheory) -> Html:
    """HTML of a run's."""
    trace = run_theory.trace
    schedule = formulas.SCHEDULES.get(type(trace.beta))
    compact = isinstance(trace.beta, CompactBeta)
    bounds = formulas.COMPACT_BOUNDS if compact else formulas.BOUNDS
    theorem = [
        Html("<h3>{}</h3>{}").format(label, _shown(bounds[name], _AT_MOST))
        for name, label in _BOUNDS.items()
    ]
    return joined(
        [
            Html("<h2>What is assumed</h2>"), *map(_paragraph, about(trace)),
            Html("<h2>The band</h2>"), _shown(schedule, "=") if schedule else EMPTY,
            _paragraph(promise(trace)),
            Html("<h2>Theorem 1</h2>"), *theorem, _paragraph(units(run_theory.course)),
            Html("<h2>Why the two differ</h2>"), _WHY,
            Html("<h2>How fast information grows</h2>"), _growth(run_theory), _RATES,
            Html("<h2>What is open</h2>"), _OPEN,
        ]
    )  # fmt: skip


_WHY = Html("""
<ol>
<li>The Cauchy–Schwarz step and the sum of variances (Lemma 4) give <b>8</b> where <b>4</b> is
printed, and 72 where 36 is.</li>
<li>For a compact X, each t adds an error of 1/t². Together they are at most π²/6,
<b>outside</b> the root; the paper has π/√6, inside.</li>
<li>Lemma 3 omits {}. It comes back as the last term, outside the
root.</li>
<li>Lemma 2 has k − 1 where K − 1 is meant, and needs the next x⁰ in R⁺. For this, the mean must not
rise too far from one batch to the next, which is not proved; the grid checks every batch of this
run. The bound on every pick needs the same for the PE picks.</li>
</ol>
""").format(formulas.small(formulas.DROPPED))

_RATES = table(
    ("known rates", "γₙ", "regret of GP-UCB", "since 2025"),
    (
        ("RBF", "O((log n)ᵈ⁺¹)", "O(√(n (log n)ᵈ⁺²))", "O(√n log n)"),
        (
            "Matérn",
            formulas.small(r"\tilde O(n^{d / (2\nu + d)})"),
            formulas.small(r"\tilde O(n^{(\nu + d) / (2\nu + d)})"),
            "Õ(√n) if ν > 2 and 2ν + d ≤ ν²",
        ),
        ("source", "Srinivas et al. 2010, Vakili et al. 2021", "Srinivas et al. 2010, and γₙ",
         "Iwazaki, arXiv 2506.01393"),
    ),
)  # fmt: skip
_OPEN = Html("""
<ul class="open">
<li>The rates since 2025 are for one pick at a time and an f drawn from the prior: the picks gather
around the maximum, and a run then learns less than γ. The others of a batch explore R⁺; that they
gather too is not proved.</li>
<li>For a fixed f of bounded norm, whether GP-UCB has the best possible rate is open again. The
first version of arXiv 2312.01386 (2023) claimed that it has. The second (2026) proves a lower bound
for Matérn kernels that rules it out wherever exploration times regularization grows like a power of
n, as it does in most proofs.</li>
</ul>
""")


def _growth(run: RunTheory) -> Html:
    """By how much the second half of the picks added to what the first half told."""
    gain, T = run.gain, run.batches
    if gain is None:
        return _paragraph("Without noise one measurement gives infinite information.")
    K, half = run.course.batch_size, T // 2
    text = (
        f"After {T * K} picks this run has learned {number(float(gain.run[-1]))} nats, a greedy "
        f"choice {number(float(gain.greedy[-1]))}, and no choice more than "
        f"{number(float(gain.bound[-1]))}."
    )
    if half * K < _FEW:
        return _paragraph(text)
    rows = [
        (name, factor(float(curve[half - 1]), float(curve[-1])), "measured")
        for name, curve in (("this run", gain.run), ("greedy choice", gain.greedy))
    ]
    prior = run.trace
    rate = theory.gain_rate(prior.gp.kernel, prior.problem.dimension)
    if rate is not None:
        rows.append(("rate of γₙ", factor(1.0, rate.growth(half * K, T * K)), rate.source))
    head = (f"from {half * K} picks to {T * K}", "information", "source")
    caution = "Rates come without constants: only how they grow can be compared."
    return _paragraph(f"{text} {caution}") + table(head, rows)


def _shown(formula: formulas.Formula, sign: str) -> Html:
    """A formula, and below it what its symbols stand for."""
    symbols = (formulas.small(f"{symbol} = {value}") for symbol, value in formula.where)
    where = joined(map(Html("<li>{}</li>").format, symbols))
    beyond = formulas.math(formula.beyond) if formula.beyond else EMPTY
    line = formulas.math(f"{formula.left} {sign} {formula.right}") + beyond
    below = Html("<ul>{}</ul>").format(where) if where else EMPTY
    return Html('<div class="line">{}</div>{}').format(line, below)


def _paragraph(text: str) -> Html:
    return Html("<p>{}</p>").format(text) if text else EMPTY
