"""The file of a `Trace`: everything that determines a run, and everything that happened in it.

`docs/trace.md` describes each field. Matrices are not stored: the posterior is recomputed from the
same measurements in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.policies.base import Policy
from ucbpe_core.problems.base import Problem
from ucbpe_core.records import text
from ucbpe_core.records.packing import Candidates, Mask, plain, record_of
from ucbpe_core.records.posterior_values import at_picks
from ucbpe_core.schedules import BetaSchedule
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.trace import Iteration, Trace
    from ucbpe_core.validation import Direction

FORMAT = "ucbpe-trace"
# A file is written in the lowest version that can hold it: 2 has `refits`, 3 `noise_variances`,
# 4 `problem.direction`.
VERSIONS = (1, 2, 3, 4)


@dataclass(frozen=True)
class ProblemRecord:
    """A `Problem`; candidates on a grid are written as its axes."""

    name: str
    citation: str
    axes: tuple[str, ...]
    noise_variance: float
    unique: bool
    grid: tuple[int, ...]
    candidates: Candidates
    values: tuple[float, ...]
    observed: tuple[int, ...]
    observed_y: tuple[float, ...]
    suggested_prior: GaussianProcess
    direction: Literal["maximize", "minimize"] = "maximize"

    @classmethod
    def of(cls, problem: Problem) -> ProblemRecord:
        return record_of(
            cls,
            problem,
            noise_variance=float(problem.noise_variance),
            unique=bool(problem.unique),
            grid=tuple(count(length, "a length of problem.grid") for length in problem.grid),
            candidates=Candidates.pack(problem.candidates, problem.grid),
            suggested_prior=problem.gp,
        )


@dataclass(frozen=True)
class PickRecord:
    """A pick, the posterior at it, and what was measured."""

    candidate: int
    role: str
    mean: float
    std: float
    score: float | None
    y: float
    value: float


@dataclass(frozen=True)
class BatchRecord:
    """Batch t, after n observations."""

    t: int
    n: int
    beta: float
    sqrt_beta: float
    beta_next: float
    y_dot: float
    region: Mask
    region_plus: Mask
    picks: tuple[PickRecord, ...]
    exhausted: bool = False


@dataclass(frozen=True)
class InitialRecord:
    """What was measured before batch 1."""

    candidates: tuple[int, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class RefitRecord:
    """The prior from batch t on."""

    t: int
    prior: GaussianProcess


@dataclass(frozen=True)
class RunRecord:
    """The whole file."""

    format: str
    version: int
    digest: str
    problem: ProblemRecord
    prior: GaussianProcess
    policy: Policy
    beta: BetaSchedule
    seed: int
    initial: InitialRecord
    batches: tuple[BatchRecord, ...]
    refits: tuple[RefitRecord, ...] = ()
    noise_variances: tuple[float | None, ...] | None = None


def save(trace: Trace, path: PathOrFile) -> None:
    """Implements `Trace.save`."""
    text.save(_record(trace), path, "a trace")


def version_of(direction: Direction, noise_variances: object, refits: object) -> int:
    """The lowest version of the format that can hold these."""
    if direction == "minimize":
        return 4
    return 3 if noise_variances else 2 if refits else 1


def _record(trace: Trace) -> RunRecord:
    observed, start = trace.posterior.conditioned_indices, trace.initial
    picks = [j for iteration in trace.iterations for j in iteration.decision.indices.tolist()]
    if [*observed[start:]] != picks or -1 in observed:
        raise InputError(
            "a posterior after initial observations and whole batches of candidates",
            "one conditioned on other points",
            "save what simulate returned",
        )
    noise = trace.posterior.known_noise
    known = noise if any(one is not None for one in noise) else None
    return RunRecord(
        format=FORMAT,
        version=version_of(trace.problem.direction, known, trace.refits),
        digest=trace.digest,
        problem=ProblemRecord.of(trace.problem),
        prior=trace.gp,
        policy=trace.policy,
        beta=trace.schedule,
        seed=count(trace.seed, "seed", minimum=0),
        initial=InitialRecord(observed[:start], plain(trace.y[:start])),
        batches=tuple(_batch(trace, iteration) for iteration in trace.iterations),
        refits=tuple(RefitRecord(t, gp) for t, gp in trace.refits),
        noise_variances=known,
    )


def _batch(trace: Trace, iteration: Iteration) -> BatchRecord:
    made = iteration.decision
    mean, _ = at_picks(trace.posterior_of(made.t), made)
    columns = (made.stds, made.scores, iteration.y, iteration.values)
    picks = zip(plain(made.indices), made.roles, plain(mean), *map(plain, columns), strict=True)
    return record_of(
        BatchRecord,
        made,
        region=Mask.pack(made.region),
        region_plus=Mask.pack(made.region_plus),
        picks=tuple(PickRecord(*pick) for pick in picks),
    )
