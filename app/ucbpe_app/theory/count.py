"""How often f leaves its band over replicates of a run, counted in the background; no widgets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
import param
from scipy.stats import binomtest

from ucbpe_app.run.choices import SEEDED_PROBLEMS
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import COUNTS, Worker
from ucbpe_core import UCBPEError, theory
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core import Trace
    from ucbpe_core.support.validation import Floats

PRIOR, OWN = "prior", "own"
LEVEL = 0.95
# Two threads compute for all sessions. Each count has one for a piece of this length, or for a
# replicate if that is longer, and then rests as long: it uses at most half of one core.
_PIECE = 0.1  # s


@dataclass(frozen=True, eq=False)
class Share:
    """Of R replicates, those in which f has left the band by t, with 95 % limits, shape (T,)."""

    replicates: int
    left: int
    share: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)


@dataclass(frozen=True, eq=False)
class Tally:
    """The count so far.

    Attributes
    ----------
    prior : over fresh draws of f from the prior in use
    own : over the problem's own f; `own_label` says which
    wanted : replicates asked for, of each
    """

    prior: Share
    own: Share
    own_label: str
    wanted: int

    @property
    def done(self) -> bool:
        return self.prior.replicates == self.own.replicates == self.wanted


def share_of(exits: Sequence[int], batches: int) -> Share:
    """The share of replicates with these first exits (0: never), at every t."""
    coverage = theory.Coverage(np.array(exits, dtype=np.intp), batches)
    R, left = coverage.replicates, coverage.left
    limits = np.array([_limits(int(k), R) for k in left])
    fraction = left / R if R else np.full(batches, np.nan)
    low, high = (read_only(limit) for limit in limits.T)
    return Share(R, int(left[-1]), read_only(fraction), low, high)


@lru_cache(maxsize=1024)
def _limits(left: int, replicates: int) -> tuple[float, float]:
    """Confidence limits of a proportion, by Clopper and Pearson; (0, 1) of no replicates."""
    if not replicates:
        return 0.0, 1.0
    interval = binomtest(left, replicates).proportion_ci(LEVEL, method="exact")
    return float(interval.low), float(interval.high)


def own_label(problem: str) -> str:
    """Which f the second row is about."""
    if problem in SEEDED_PROBLEMS:
        return "This problem, f by other seeds"
    return "This f, other initial points and noise"


def replicates(trace: Trace, spec: RunSpec, wanted: int, job: Job) -> Iterator[tuple[str, int]]:
    """Yield (`PRIOR` or `OWN`, first exit) in turn, `wanted` of each; `job` may be stopped.

    Raises
    ------
    UCBPEError
        If the prior cannot be drawn from at so many candidates.
    Superseded
        Once the job is stopped.
    """
    total, drawn = 2 * wanted, spec.problem in SEEDED_PROBLEMS
    for i, f in enumerate(theory.prior_draws(trace.problem, trace.gp, wanted, seed=0)):
        for done, name in enumerate((PRIOR, OWN), 2 * i):
            job.progress(done, total)
            if name == PRIOR:
                problem = theory.redrawn(trace.problem, trace.gp, f, seed=i)
            else:
                # A few hundred problems, which are not worth keeping.
                own = replace(spec, problem_seed=i)
                problem = own.build_problem() if drawn else trace.problem
            again = theory.rerun(trace, problem, i, lambda *_, done=done: job.progress(done, total))
            yield name, theory.first_exit(again)


class Count(Worker):
    """A count of how often f leaves the band; one at a time, a later one overtakes it."""

    tally = param.ClassSelector(class_=Tally, default=None, doc="What is counted so far.")
    share = param.Number(None, allow_None=True, doc="Share done of a count under way, or None.")
    seconds = param.Number(None, allow_None=True, doc="Time left, once it can be estimated.")
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
