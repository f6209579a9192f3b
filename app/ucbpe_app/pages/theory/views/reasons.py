"""The reasons beside the pictures: what is assumed, the formulas, and why there are two bounds."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app import theme
from ucbpe_app.markup import Markup
from ucbpe_app.pages.theory.views import TEXTS, formulas

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.state import RunTheory


class ReasonsView(pn.viewable.Viewer):
    """Cards for the right column."""

    def __init__(self) -> None:
        super().__init__()
        self.about, self.band, self.information, self.theorem, self.why = (
            Markup(
                css_classes=["theory"],
                stylesheets=[TEXTS],
                margin=0,
                sizing_mode="stretch_width",
            )
            for _ in range(5)
        )
        # What opens can have the focus, from where the keys scroll the column.
        self.why.object = f"<details open><summary>Why the two differ</summary>{_WHY}</details>"
        cards = (self.about, self.band, self.information, self.theorem, self.why)
        self._panel = pn.Column(
            *(theme.styled("lab-card", card) for card in cards),
            sizing_mode="stretch_width",
            margin=0,
        )

    def __panel__(self) -> pn.Column:
        return self._panel

    def load(self, run_theory: RunTheory) -> None:
        """Tell another run."""
        self.about.object = _card("What is assumed", *map(_paragraph, run_theory.about))
        schedule = formulas.SCHEDULES.get(run_theory.schedule)
        band = _shown(schedule, "=") if schedule else ""
        self.band.object = _card("The band", band, *map(_paragraph, run_theory.band))
        self.information.object = _card(
            "Information",
            _line(formulas.GAIN),
            *map(_paragraph, run_theory.information),
            _line(rf"\gamma_n \le {formulas.GAMMA}") if run_theory.gain else "",
        )
        self.theorem.object = _card("Theorem 1", *_theorem(run_theory))


def _theorem(run_theory: RunTheory) -> list[str]:
    """The bounds, as printed and as proved."""
    shown = formulas.COMPACT_BOUNDS if run_theory.schedule == "beta_compact" else formulas.BOUNDS
    parts = []
    for names in (
        ("theorem1_printed", "theorem1_proved"), ("full_regret_printed", "full_regret_proved"),
    ):  # fmt: skip
        for label, name in zip(("As printed", "As proved"), names, strict=True):
            parts += [f"<h3>{label}</h3>", _shown(shown[name], r"\le")]
    if run_theory.units:
        parts.append(_paragraph(run_theory.units))
    return parts


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


def _card(title: str, *parts: str) -> str:
    return f"<h2>{title}</h2>{''.join(parts)}"


def _line(tex: str) -> str:
    """A formula in a line of its own."""
    return f'<div class="line">{formulas.math(tex)}</div>'


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"
