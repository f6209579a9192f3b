"""Counting in the background: state without widgets."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TYPE_CHECKING

import param

from ucbpe_app.pages.theory.tally import OWN, PRIOR, Tally, own_label, replicates, share_of
from ucbpe_app.tasks.job import Job, Superseded
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core import Trace

# One thread for all sessions, apart from those that make the runs to be stepped. Each count has it
# for a piece of this length, and then rests as long: no more than half of one core goes into it.
_EXECUTOR = ThreadPoolExecutor(max_workers=1, thread_name_prefix="count")
_PIECE = 0.1  # s


class Count(param.Parameterized):
    """A count of how often f leaves the band; one at a time, a later one overtakes it."""

    tally = param.Parameter(None, doc="The `Tally` so far, or None.")
    share = param.Number(None, allow_None=True, doc="Share done of a count under way, or None.")
    seconds = param.Number(None, allow_None=True, doc="Time left, once it can be told.")
    refusal = param.Parameter(None, doc="Why there is no count: a `UCBPEError`.")

    def __init__(self) -> None:
        super().__init__()
        self._job: Job | None = None

    @property
    def under_way(self) -> bool:
        return self.share is not None

    def stop(self) -> None:
        """Give up the count under way; what is counted stays."""
        if self._job is not None:
            self._job.stop()
            self._job = None
        self.param.update(share=None, seconds=None)

    def clear(self) -> None:
        """Forget the count: it was about another run."""
        self.stop()
        self.param.update(tally=None, refusal=None)

    async def start(self, trace: Trace, spec: RunSpec, wanted: int) -> None:
        """Count over `wanted` replicates of each kind; `tally` follows."""
        self.clear()
        self._job = job = Job()
        self.share = 0.0
        exits: dict[str, list[int]] = {PRIOR: [], OWN: []}
        pieces = replicates(trace, spec, wanted, job)
        began, loop = monotonic(), asyncio.get_running_loop()
        tally: Tally | None = None
        try:
            while tally is None or not tally.done:
                start = monotonic()
                tally = await loop.run_in_executor(
                    _EXECUTOR, _piece, pieces, exits, len(trace.iterations), spec.problem, wanted
                )
                if self._job is not job:
                    return
                spent = monotonic() - began
                left = spent * (1 / job.share - 1) if job.share else None
                self.param.update(tally=tally, share=job.share, seconds=left)
                await asyncio.sleep(min(monotonic() - start, 1.0))
        except Superseded:
            return
        except UCBPEError as error:
            if self._job is job:
                self.refusal = error
        finally:
            if self._job is job:
                self.stop()


def _piece(
    pieces: Iterator[tuple[str, int]],
    exits: dict[str, list[int]],
    batches: int,
    problem: str,
    wanted: int,
) -> Tally:
    """Go on for a while, at least by one replicate; the tally then."""
    until = monotonic() + _PIECE
    for name, exit_ in pieces:
        exits[name].append(exit_)
        if monotonic() > until:
            break
    prior, own = (share_of(exits[name], batches) for name in (PRIOR, OWN))
    return Tally(prior, own, own_label(problem), wanted)
