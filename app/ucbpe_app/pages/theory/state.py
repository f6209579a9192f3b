"""What the Theory page holds beside the session: the theory of its run, and the count."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import param

from ucbpe_app.pages.theory.assemble import gather
from ucbpe_app.pages.theory.counting import Count
from ucbpe_app.pages.theory.records import RunTheory
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay


class TheoryState(Worker):
    """The theory of the run that is followed; another run has its count to begin."""

    run_theory = param.ClassSelector(
        class_=(RunTheory,), default=None, doc="What is proved of the run, None before the first."
    )
    error = param.ClassSelector(class_=UCBPEError, default=None, doc="Why the run has no theory.")
    gathering = param.Boolean(False, doc="Whether the theory of another run is on its way.")

    def __init__(self) -> None:
        super().__init__()
        self.count = Count()
        self._followed: Replay | None = None
        self._coming: asyncio.Task[None] | None = None

    async def follow(self, replay: Replay) -> None:
        """Compute the theory of a run; a later run overtakes this one."""
        if replay is not self._followed or self._coming is None:
            self._followed = replay
            self.count.clear()
            self._coming = asyncio.create_task(self._gather(replay))
        # Others may wait for it, too: it goes on when one of them is gone.
        await asyncio.shield(self._coming)

    async def _gather(self, replay: Replay) -> None:
        changes: dict[str, Any] = {"error": None}
        with self.latest(Job()) as job:
            self.gathering = True
            try:
                changes["run_theory"] = await self.work(gather, replay, job=job)
            except UCBPEError as error:
                changes["error"] = error
            finally:
                if not job.stopped:
                    self.param.update(gathering=False, **changes)
