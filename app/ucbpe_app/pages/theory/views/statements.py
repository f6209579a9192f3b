"""The statements of the proof that do not hold on a run, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.components.tabs import titled
from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.pages.theory.sentences import about, spans, summary

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.state import RunTheory

_TABLE = Html(
    '<table><thead><tr><th scope="col">does not hold</th><th scope="col">at t =</th>'
    '<th scope="col">the first time</th></tr></thead><tbody>{}</tbody></table>'
)
_ROW = Html('<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>')


def statements(run: RunTheory) -> Html:
    """How many statements hold, a table of those that do not, and what to know of the run."""
    rows = joined(
        _ROW.format(one.title, spans(one.batches), one.numbers) for one in run.verdicts.failures
    )
    return titled(summary(run), about(run.trace)) + (_TABLE.format(rows) if rows else EMPTY)
