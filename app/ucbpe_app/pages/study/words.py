"""What is said of a study on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pages.study.jobs.job import Phase
from ucbpe_app.pages.study.plan import duration
from ucbpe_app.run.errors import sentences

if TYPE_CHECKING:
    from ucbpe_app.pages.study.jobs.job import Progress

_STATUS = {
    Phase.STARTING: "Starting the processes",
    Phase.RUNNING: "Running",
    Phase.STOPPING: "Stopping",
    Phase.DONE: "Done",
    Phase.CANCELLED: "Cancelled",
    Phase.BROKEN: "Ended early",
}


def status(progress: Progress) -> str:
    """What has begun or ended, for a live region."""
    if progress.phase is Phase.WAITING:
        what = "1 study runs" if progress.before == 1 else f"{progress.before} studies run"
        return f"Waiting: {what} before yours."
    return f"{_STATUS[progress.phase]}."


def detail(progress: Progress) -> str:
    """How far it is, how long it will take, and what is the matter."""
    said = f"{progress.finished} of {progress.total} runs."
    if progress.failed:
        said += f" {progress.failed} failed."
    if progress.phase in (Phase.STARTING, Phase.RUNNING):
        left = progress.seconds_left
        said += " Time left: estimating." if left is None else f" About {duration(left)} left."
    elif progress.phase is Phase.CANCELLED:
        said += " What is done is kept, and shown; Resume goes on from there."
    elif progress.error is not None:
        said += f" {sentences(progress.error)}"
    return said
