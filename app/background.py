"""Work off the event loop, with its progress."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import param

from app.runs import EXECUTOR, Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

# Shorter work comes and goes unseen; a progress line that flickers only disturbs.
_PATIENCE, _TICK = 0.2, 0.1


class Worker(param.Parameterized):
    """State whose changes take time; the event loop stays free."""

    busy = param.Number(None, allow_None=True, doc="Share done of what is under way, or None.")

    async def work(
        self,
        function: Callable[..., Any],
        *args: Any,
        job: Job | None = None,
        executor: Executor | None = EXECUTOR,
    ) -> Any:
        """Call in a worker thread and keep `busy` up to date.

        None as the executor is for what may wait for a network: not among the few threads that
        compute runs.
        """
        future = asyncio.get_running_loop().run_in_executor(executor, function, *args)
        await asyncio.wait([future], timeout=_PATIENCE)
        try:
            while not future.done():
                self.busy = job.share if job else 0.0
                await asyncio.wait([future], timeout=_TICK)
        finally:
            self.busy = None
        return future.result()
