"""Counting in the background: state without widgets."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

import param

from ucbpe_app.pages.theory.tally import OWN, PRIOR, Tally, own_label, replicates, share_of
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import COUNTS, Worker
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core import Trace

# One thread computes for all sessions. Each count has it for a piece of this length, and then rests
# as long: it uses at most half of one core. A longer replicate lets others go first.
_PIECE = 0.1  # s


class Count(Worker):
    """A count of how often f leaves the band; one at a time, a later one overtakes it."""

    tally = param.ClassSelector(class_=Tally, default=None, doc="What is counted so far.")
    share = param.Number(None, allow_None=True, doc="Share done of a count under way, or None.")
    seconds = param.Number(None, allow_None=True, doc="Time left, once it can be told.")
    error = param.ClassSelector(class_=UCBPEError, default=None, doc="Why there is no count.")

    @property
    def under_way(self) -> bool:
        return self.share is not None

    def stop(self) -> None:
        """Cancel the count under way; what is counted stays."""
        self.give_up()
        self.param.update(share=None, seconds=None)

    def clear(self) -> None:
        """Forget the count: it was about another run."""
        self.stop()
        self.param.update(tally=None, error=None)

    async def start(self, trace: Trace, spec: RunSpec, wanted: int) -> None:
        """Count over `wanted` replicates of each kind; `tally` follows."""
        self.clear()
        exits: dict[str, list[int]] = {PRIOR: [], OWN: []}
        tally: Tally | None = None
        with self.latest(Job()) as job:
            self.share, began = 0.0, monotonic()
            pieces = replicates(trace, spec, wanted, job)
            of_what = (pieces, exits, len(trace.decisions), spec.problem, wanted)
            try:
                while tally is None or not tally.done:
                    start = monotonic()
                    tally = await self.work(_piece, *of_what, job=job, executor=COUNTS)
                    left = (monotonic() - began) * (1 / job.share - 1) if job.share else None
                    self.param.update(tally=tally, share=job.share, seconds=left)
                    await asyncio.sleep(min(monotonic() - start, 1.0))
            except UCBPEError as error:
                self.error = error
            finally:
                if not job.stopped:
                    self.stop()


def _piece(
    pieces: Iterator[tuple[str, int]],
    exits: dict[str, list[int]],
    batches: int,
    problem: str,
    wanted: int,
) -> Tally:
    """Continue for a while, for at least one replicate; return the tally."""
    until = monotonic() + _PIECE
    for name, exit_ in pieces:
        exits[name].append(exit_)
        if monotonic() > until:
            break
    prior, own = (share_of(exits[name], batches) for name in (PRIOR, OWN))
    return Tally(prior, own, own_label(problem), wanted)
