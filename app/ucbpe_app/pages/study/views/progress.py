"""How far a study is: its phase, its runs, and what its numbers say so far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ucbpe_app.html import Html, joined
from ucbpe_app.markup import Markup
from ucbpe_app.pages.study.job import Phase
from ucbpe_app.pages.study.plan import duration
from ucbpe_app.run.notation import sentences

if TYPE_CHECKING:
    from ucbpe_app.pages.study.job import Progress

_STATUS = {
    Phase.RUNNING: "Running",
    Phase.DONE: "Done",
    Phase.CANCELLED: "Paused",
    Phase.BROKEN: "Ended early",
}
_VERDICT, _OF_EACH = Html("<p>{}</p>"), Html("<li>{} <b>{}</b></li>")
_PROGRESS = Html(
    '<div class="row"><div class="place"><span role="status">{status}</span>'
    "<strong>{complete} of {replicates} replicates</strong></div>"
    '<section><progress aria-label="Runs done" value="{done}" max="{total}"></progress>'
    "<p>{verdict}</p><ul><li>{detail}</li>{of_each}</ul></section></div>"
)


class ProgressView(Markup):
    """A bar, counts, a verdict, and a status that a screen reader reads when it changes.

    The status says what has started or ended; the progress is not part of it, because it would be
    read aloud twice a second. The bar is HTML's own: the library's has no accessible name.
    """

    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter of a component."""
        super().__init__(css_classes=["wide-wide"], margin=0, **params)

    def load(self, progress: Progress | None, complete: int, verdict: str) -> None:
        """Show the progress of a study, its complete replicates and what they say."""
        if progress is None:
            self.object = _VERDICT.format(verdict)
            return
        self.object = _PROGRESS.format(
            status=status_of(progress),
            complete=complete,
            replicates=progress.replicates,
            done=progress.finished,
            total=progress.total,
            verdict=verdict,
            detail=detail_of(progress),
            of_each=joined(_OF_EACH.format(*item) for item in progress.done.items()),
        )


def status_of(progress: Progress) -> str:
    """What has started or ended, for a live region."""
    if progress.phase is Phase.WAITING:
        what = "1 study runs" if progress.before == 1 else f"{progress.before} studies run"
        return f"Waiting: {what} before yours."
    return f"{_STATUS[progress.phase]}."


def detail_of(progress: Progress) -> str:
    """The progress, the time left, and what is wrong."""
    text = f"{progress.finished} of {progress.total} runs."
    if progress.failed:
        text += f" {progress.failed} failed."
    if progress.phase is Phase.RUNNING:
        left = progress.seconds_left
        text += " Time left: estimating." if left is None else f" About {duration(left)} left."
    elif progress.error is not None:
        text += f" {sentences(progress.error)}"
    return text
