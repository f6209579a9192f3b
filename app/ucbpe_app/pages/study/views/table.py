"""The numbers of a study: the table of its end, and how far it is."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn

from ucbpe_app.markup import Markup
from ucbpe_app.pages.study.job import Phase
from ucbpe_app.pages.study.plan import duration
from ucbpe_app.pages.study.views.charts import looks_of, swatch
from ucbpe_app.run.notation import sentences

if TYPE_CHECKING:
    from ucbpe_app.pages.study.job import Progress
    from ucbpe_app.pages.study.picture import StudyCharts, StudyRow


_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_R, _R_ALL = "<i>R</i><sub>T</sub><sup>K</sup>", "<i>R</i><sub>TK</sub>"
_HEADS = {
    "mean_simple_regret": ("mean of the batches' best", f"{_R} / T"),
    "final_running_minimum": ("best of the run", ""),
    "mean_regret": ("mean of every pick", f"{_R_ALL} / (T K)"),
    "batch_cumulative_regret": ("mean of the batches' best", f"{_R} / T"),
    "running_minimum": ("best of the run", ""),
}
_VERDICTS = {"▼": "lower regret", "▲": "higher regret", "≈": "open"}


class TableView(pn.viewable.Viewer):
    """A row per policy; differences have a sign of what the interval says."""

    def __init__(self) -> None:
        super().__init__()
        self.text = Markup(
            "", css_classes=["study-table"], stylesheets=[_CSS], margin=0,
            sizing_mode="stretch_width",
        )  # fmt: skip

    def __panel__(self) -> Markup:
        return self.text

    def load(self, picture: StudyCharts) -> None:
        """Show the numbers of a picture."""
        if not picture.rows:
            self.text.object = ""
            return
        heads = "".join(
            f'<th scope="col">{words} {sign}</th>'
            for words, sign in (_HEADS[name] for name in picture.columns)
        )
        looks = looks_of(picture)
        rows = "".join(_row(row, swatch(looks[row.policy])) for row in picture.rows)
        self.text.object = (
            f"<table><caption>{_caption(picture)}</caption>"
            f'<thead><tr><th scope="col">Policy</th>{heads}'
            '<th scope="col">replicates</th></tr></thead>'
            f"<tbody>{rows}</tbody></table>{_failures(picture)}"
        )


def _caption(picture: StudyCharts) -> str:
    level = next(iter(picture.results.statistics["level"]), 0.95)
    said = f"Regret at the end, in units of f, with {100 * level:g} % intervals"
    reference = picture.results.reference
    if not reference:
        return said
    key = ", ".join(f"{sign} {words}" for sign, words in _VERDICTS.items())
    name = escape(reference)
    return f"{said}: {name}, and how the others differ from it ({key}: 0 in the interval)"


def _row(row: StudyRow, mark: str) -> str:
    cells = "".join(
        f"<td>{_sign(verdict)}{escape(text)}</td>"
        for text, verdict in zip(row.cells, row.verdicts, strict=True)
    )
    failed = f" ({row.failed} failed)" if row.failed else ""
    return (
        f'<tr><th scope="row">{mark}{escape(row.policy)}</th>{cells}'
        f"<td>{row.replicates}{failed}</td></tr>"
    )


def _sign(verdict: str) -> str:
    if not verdict:
        return ""
    return f'<span role="img" aria-label="{_VERDICTS[verdict]}">{verdict}</span> '


def _failures(picture: StudyCharts) -> str:
    said = picture.results.failures
    if not said:
        return ""
    listed = "".join(f"<li>{escape(one)}</li>" for one in said[:5])
    more = f"<li>And {len(said) - 5} more.</li>" if len(said) > 5 else ""
    return f"<p>Failed, and left out:</p><ul>{listed}{more}</ul>"


_STATUS = {
    Phase.RUNNING: "Running",
    Phase.STOPPING: "Stopping",
    Phase.DONE: "Done",
    Phase.CANCELLED: "Cancelled",
    Phase.BROKEN: "Ended early",
}


class ProgressView(Markup):
    """A bar, counts, and a status line that a screen reader reads when it changes.

    The status says what has started or ended; the progress is not part of it, because it would be
    read aloud twice a second. The bar is HTML's own: the library's has no accessible name.
    """

    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_name("progress.css").read_text(encoding="utf-8")
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter of a component."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})

    def load(self, progress: Progress) -> None:
        """Show the progress of a study, in words and in numbers."""
        done = sum(progress.done.values())
        of_each = "".join(
            f"<li>{escape(policy)} <b>{count}</b> of {progress.replicates}</li>"
            for policy, count in progress.done.items()
        )
        self.object = (
            f'<p><span role="status">{status_of(progress)}</span> {escape(detail_of(progress))}</p>'
            f'<progress aria-label="Runs done" value="{done}" max="{progress.total}"></progress>'
            f"<ul>{of_each}</ul>"
        )


def status_of(progress: Progress) -> str:
    """What has started or ended, for a live region."""
    if progress.phase is Phase.WAITING:
        what = "1 study runs" if progress.before == 1 else f"{progress.before} studies run"
        return f"Waiting: {what} before yours."
    return f"{_STATUS[progress.phase]}."


def detail_of(progress: Progress) -> str:
    """The progress, the time left, and what is wrong."""
    said = f"{progress.finished} of {progress.total} runs."
    if progress.failed:
        said += f" {progress.failed} failed."
    if progress.phase is Phase.RUNNING:
        left = progress.seconds_left
        said += " Time left: estimating." if left is None else f" About {duration(left)} left."
    elif progress.phase is Phase.CANCELLED:
        said += " Finished runs are kept, and shown; Resume runs the rest."
    elif progress.error is not None:
        said += f" {sentences(progress.error)}"
    return said
