"""The file of a `Trace`: all that determines a run, and all that happened in it.

`docs/trace.md` has a line for each field. Matrices are not stored: the posterior is conditioned again on
the same measurements in the same order, and what the file says of it at every pick must agree.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.confidence import BetaSchedule
from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.policies.base import Decision, Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.problems.base import Problem
from ucbpe_core.records import text
from ucbpe_core.records.belief import at_picks, check_batch
from ucbpe_core.records.convert import REMEDY, from_plain, to_plain
from ucbpe_core.records.packing import Candidates, Mask
from ucbpe_core.validation import count, frozen_copy, indices, non_negative, values

if TYPE_CHECKING:
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.trace import Iteration, Trace
    from ucbpe_core.validation import Floats

FORMAT = "ucbpe-trace"
# Each version reads what those before it wrote. A file is written in the lowest that can hold it: 2 has
# `refits`, 3 has `noise_variances`.
VERSIONS = (1, 2, 3)
# Logarithms may differ between mathematical libraries, in the last bit.
_BETA_TOLERANCE = 1e-9


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

    @classmethod
    def of(cls, problem: Problem) -> ProblemRecord:
        return cls(
            name=problem.name,
            citation=problem.citation,
            axes=problem.axes,
            noise_variance=float(problem.noise_variance),
            unique=bool(problem.unique),
            grid=tuple(count(length, "a length of problem.grid") for length in problem.grid),
            candidates=Candidates.pack(problem.candidates, problem.grid),
            values=tuple(problem.values.tolist()),
            observed=tuple(problem.observed.tolist()),
            observed_y=tuple(problem.observed_y.tolist()),
            suggested_prior=problem.gp,
        )

    def problem(self) -> Problem:
        """The problem itself; `InputError` for what no problem can be."""
        for length in self.grid:
            count(length, "a length at $.problem.grid")
        if not self.axes:  # a problem would make up names
            wanted = "a name for each input and the output at $.problem.axes"
            raise InputError(wanted, "none", REMEDY)
        size = len(self.values)
        return Problem(
            name=self.name,
            candidates=self.candidates.unpack(size, "$.problem.candidates", self.grid),
            values=np.array(self.values),
            noise_variance=self.noise_variance,
            gp=self.suggested_prior,
            citation=self.citation,
            unique=self.unique,
            axes=self.axes,
            grid=self.grid,
            observed=indices(self.observed, size, "$.problem.observed"),
            observed_y=np.array(self.observed_y),
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
    """All of the file."""

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


def save(trace: Trace, path: PathOrFile) -> None:
    """What `Trace.save` does."""
    text.write(text.dumps(to_plain(_record(trace)), "a trace") + "\n", path)


def load(path: PathOrFile, build: Callable[..., Trace]) -> Trace:
    """What `Trace.load` does; `build` makes a trace of its fields, each iteration as a tuple."""
    name = text.name_of(path)
    document = text.loads(text.read(path, "a trace"), name)
    try:
        record = from_plain(_checked_version(document), RunRecord)
        # Parameters beyond reason overflow; what comes of them does not pass the checks.
        with np.errstate(all="ignore"):
            trace = build(**_fields(record))
            _check(trace, record)
    except RecursionError:
        raise text.too_deep(name) from None
    except OverflowError as error:  # of whole numbers, which have no infinity
        raise InputError("a prior within the range of numbers", str(error), REMEDY) from None
    except IllConditionedError as error:
        raise InputError(error.expected, error.got, REMEDY) from None
    return trace


def _record(trace: Trace) -> RunRecord:
    observed, start = trace.posterior.conditioned_indices, trace.initial
    picks = [j for iteration in trace.iterations for j in iteration.decision.indices.tolist()]
    if [*observed[start:]] != picks or -1 in observed:
        raise InputError(
            "a posterior after initial observations and whole batches of candidates",
            "one conditioned on other points",
            "save what simulate returned",
        )
    return RunRecord(
        format=FORMAT,
        version=2 if trace.refits else 1,
        digest=trace.digest,
        problem=ProblemRecord.of(trace.problem),
        prior=trace.gp,
        policy=trace.policy,
        beta=trace.schedule,
        seed=count(trace.seed, "seed", minimum=0),
        initial=InitialRecord(observed[:start], tuple(trace.y[:start].tolist())),
        batches=tuple(_batch(trace, iteration) for iteration in trace.iterations),
        refits=tuple(RefitRecord(t, gp) for t, gp in trace.refits),
    )


def _batch(trace: Trace, iteration: Iteration) -> BatchRecord:
    made = iteration.decision
    mean, _ = at_picks(trace.posterior_of(made.t), made)
    columns = zip(
        made.indices.tolist(),
        made.roles,
        mean.tolist(),
        made.stds.tolist(),
        [None if np.isnan(score) else score for score in made.scores.tolist()],
        iteration.y.tolist(),
        iteration.values.tolist(),
        strict=True,
    )
    return BatchRecord(
        t=made.t,
        n=made.n,
        beta=float(made.beta),
        sqrt_beta=made.sqrt_beta,
        beta_next=float(made.beta_next),
        y_dot=made.y_dot,
        region=Mask.pack(made.region),
        region_plus=Mask.pack(made.region_plus),
        picks=tuple(PickRecord(*pick) for pick in columns),
    )


def _checked_version(document: Any) -> Any:
    given = document if isinstance(document, dict) else {}
    if given.get("format") != FORMAT:
        got = f"format {given.get('format')!r:.60}"
        raise InputError(f"a file of format {FORMAT}", got, "open one that Trace.save wrote")
    version = from_plain(given.get("version"), int, "$.version")
    if version not in VERSIONS:
        wanted, got = f"a version up to {VERSIONS[-1]} of the format", f"version {version}"
        raise InputError(wanted, got, "open it with the release of this package that wrote it")
    return document


def _fields(record: RunRecord) -> dict[str, Any]:
    """The fields of the trace; `InputError` for what contradicts the rest of the file."""
    problem, size = record.problem.problem(), len(record.problem.values)
    refits = _refits(record)
    start = indices(record.initial.candidates, size, "$.initial.candidates")
    start_y = values(record.initial.y, "$.initial.y", len(start))
    if not record.batches:
        raise InputError("at least one batch at $.batches", "none", "save a run that has begun")
    priors = ((1, record.prior), *refits)
    iterations, n = [], len(start)
    for t in range(1, len(record.batches) + 1):
        prior = next(gp for first, gp in reversed(priors) if first <= t)
        iterations.append(_iteration(record, t, n, problem, prior))
        n += record.policy.batch_size
    chosen = np.concatenate([start, *(decision.indices for decision, _, _ in iterations)])
    y = frozen_copy(np.concatenate([start_y, *(measured for _, measured, _ in iterations)]))
    return {
        "problem": problem,
        "gp": record.prior,
        "policy": record.policy,
        "schedule": record.beta,
        "seed": count(record.seed, "$.seed", minimum=0),
        "initial": len(start),
        "y": y,
        "iterations": iterations,
        "posterior": Posterior.prior(priors[-1][1], problem.candidates).observe(chosen, y),
        "refits": refits,
    }


def _refits(record: RunRecord) -> tuple[tuple[int, GaussianProcess], ...]:
    least, last = 2, len(record.batches)
    for i, one in enumerate(record.refits):
        if not least <= one.t <= last:
            wanted = f"a batch from {least} to {last} at $.refits[{i}].t"
            raise InputError(wanted, str(one.t), REMEDY)
        least = one.t + 1
    return tuple((one.t, one.prior) for one in record.refits)


def _iteration(
    record: RunRecord, t: int, n: int, problem: Problem, gp: GaussianProcess
) -> tuple[Decision, Floats, Floats]:
    """Decision, measurements and true values of batch t, after n observations."""
    batch, path, policy = record.batches[t - 1], f"$.batches[{t - 1}]", record.policy
    picks, size = batch.picks, len(problem.candidates)
    chosen = indices([pick.candidate for pick in picks], size, f"{path}.picks")
    for beta, name in ((batch.beta, "beta"), (batch.beta_next, "beta_next")):
        non_negative(beta, f"{path}.{name}")
    for got, expected, name in (
        (batch.t, t, "t"),
        (batch.n, n, "n"),
        (batch.sqrt_beta, float(np.sqrt(batch.beta)), "sqrt_beta"),
        (len(picks), policy.batch_size, "picks"),
        ([pick.value for pick in picks], problem.values[chosen].tolist(), "picks, as true values"),
    ):
        _agree(got, expected, f"{path}.{name}")
    for k, pick in enumerate(picks):
        if pick.role not in policy.rules:
            wanted = f"a role among {', '.join(policy.rules)} at {path}.picks[{k}].role"
            raise InputError(wanted, pick.role, REMEDY)
    stds = frozen_copy([pick.std for pick in picks])
    decision = Decision(
        t=t,
        indices=frozen_copy(chosen, np.intp),
        roles=tuple(pick.role for pick in picks),
        stds=stds,
        scores=frozen_copy([np.nan if pick.score is None else pick.score for pick in picks]),
        beta=batch.beta,
        beta_next=batch.beta_next,
        y_dot=batch.y_dot,
        region=batch.region.unpack(size, f"{path}.region"),
        region_plus=batch.region_plus.unpack(size, f"{path}.region_plus"),
        n=n,
        known=gp.knows(problem.candidates[chosen], stds),
    )
    y = frozen_copy([pick.y for pick in picks])
    return decision, y, frozen_copy(problem.values[chosen])


def _check(trace: Trace, record: RunRecord) -> None:
    """Refuse a file whose prior, schedule or digest is not that of its picks."""
    _agree(record.digest, trace.digest, "$.digest")
    schedule = trace.policy.effective_schedule(trace.schedule)
    spread = float(np.ptp(trace.y))
    for iteration, batch in zip(trace.iterations, record.batches, strict=True):
        made, path = iteration.decision, f"$.batches[{iteration.decision.t - 1}]"
        for name, got, t in (("beta", made.beta, made.t), ("beta_next", made.beta_next, made.t + 1)):
            expected = schedule(t, *trace.problem.candidates.shape)
            if not abs(got - expected) <= _BETA_TOLERANCE * expected:
                _agree(got, expected, f"{path}.{name}")
        means = np.array([pick.mean for pick in batch.picks])
        check_batch(trace.posterior_of(made.t), made, means, spread, path)


def _agree(got: object, expected: object, path: str) -> None:
    """Refuse a value that the rest of the file contradicts."""
    if got != expected:
        wanted = f"{reprlib.repr(expected)} at {path}, as the rest of the file says"
        raise InputError(wanted, reprlib.repr(got), REMEDY)
