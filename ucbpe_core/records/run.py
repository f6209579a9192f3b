"""The file of a `Trace`: everything that determines a run, and everything that happened in it.

`docs/trace.md` describes each field. What the others determine, such as the posterior, is not in
the file. The content has a checksum, and is taken as it is: what was saved is not derived again.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.policies.base import Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.problems.base import Problem
from ucbpe_core.records import text
from ucbpe_core.records.convert import REMEDY, from_plain, to_plain
from ucbpe_core.records.packing import Mask, decision_of, plain, record_of
from ucbpe_core.records.problem import ProblemRecord
from ucbpe_core.region import RelevantRegion
from ucbpe_core.run import Iteration
from ucbpe_core.schedules import BetaSchedule
from ucbpe_core.validation import count, frozen_copy, indices, non_negative, values

if TYPE_CHECKING:
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.run import Run

FORMAT, VERSION = "ucbpe-trace", 1


@dataclass(frozen=True)
class PickRecord:
    """A pick, and what was measured."""

    candidate: int
    role: str
    std: float
    score: float | None
    y: float


@dataclass(frozen=True)
class BatchRecord:
    """A batch; they are in the order of t, from 1."""

    beta: float
    beta_next: float
    y_dot: float
    region: Mask
    region_plus: Mask
    picks: tuple[PickRecord, ...]
    exhausted: bool = False

    @classmethod
    def of(cls, iteration: Iteration) -> BatchRecord:
        made = iteration.decision
        columns = (made.stds, made.scores, iteration.y)
        picks = zip(plain(made.indices), made.roles, *map(plain, columns), strict=True)
        return record_of(
            cls,
            made,
            region=Mask.pack(made.region),
            region_plus=Mask.pack(made.region_plus),
            picks=tuple(PickRecord(*pick) for pick in picks),
        )

    def iteration(self, t: int, n: int, problem: Problem, gp: GaussianProcess) -> Iteration:
        """Batch t, after n measurements, under the prior `gp`."""
        path, size = f"$.batches[{t - 1}]", len(problem.candidates)
        chosen = indices([pick.candidate for pick in self.picks], size, f"{path}.picks")
        non_negative(self.beta, f"{path}.beta"), non_negative(self.beta_next, f"{path}.beta_next")
        region = self.region.unpack(size, f"{path}.region")
        region_plus = self.region_plus.unpack(size, f"{path}.region_plus")
        relevant = RelevantRegion(self.y_dot, region, region_plus)
        decision = decision_of(self, t, n, gp, problem.candidates, relevant)
        y = frozen_copy([pick.y for pick in self.picks])
        return Iteration(decision, y, frozen_copy(problem.values[chosen]))


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
    """The whole file but for its checksum."""

    format: str
    version: int
    problem: ProblemRecord
    prior: GaussianProcess
    policy: Policy
    beta: BetaSchedule
    seed: int
    initial: InitialRecord
    batches: tuple[BatchRecord, ...]
    refits: tuple[RefitRecord, ...] = ()
    noise_variances: tuple[float | None, ...] | None = None

    @classmethod
    def of(cls, run: Run) -> RunRecord:
        observed, start = run.posterior.conditioned_indices, run.initial
        picks = [j for iteration in run.iterations for j in iteration.decision.indices.tolist()]
        if [*observed[start:]] != picks or -1 in observed:
            raise InputError(
                "a posterior after initial observations and whole batches of candidates",
                "one conditioned on other points",
                "save what simulate returned",
            )
        noise = run.posterior.known_noise
        return cls(
            format=FORMAT,
            version=VERSION,
            problem=ProblemRecord.of(run.problem),
            prior=run.gp,
            policy=run.policy,
            beta=run.schedule,
            seed=count(run.seed, "seed", minimum=0),
            initial=InitialRecord(observed[:start], plain(run.y[:start])),
            batches=tuple(map(BatchRecord.of, run.iterations)),
            refits=tuple(RefitRecord(t, gp) for t, gp in run.refits),
            noise_variances=None if set(noise) <= {None} else noise,
        )

    def fields(self) -> dict[str, Any]:
        """The fields of the `Run`; `InputError` for content that no run can have."""
        problem, K = self.problem.problem(), self.policy.batch_size
        start = indices(self.initial.candidates, len(problem.values), "$.initial.candidates")
        start_y = values(self.initial.y, "$.initial.y", len(start))
        if not self.batches or {len(batch.picks) for batch in self.batches} != {K}:
            got = reprlib.repr([len(batch.picks) for batch in self.batches])
            raise InputError(f"batches of {K} picks at $.batches", got, REMEDY)
        refits = tuple((refit.t, refit.prior) for refit in self.refits)
        priors = ((1, self.prior), *refits)
        iterations = []
        for t, batch in enumerate(self.batches, start=1):
            prior = next(gp for first, gp in reversed(priors) if first <= t)
            iterations.append(batch.iteration(t, len(start) + (t - 1) * K, problem, prior))
        chosen = [start, *(iteration.decision.indices for iteration in iterations)]
        y = np.concatenate([start_y, *(iteration.y for iteration in iterations)])
        posterior = Posterior.prior(priors[-1][1], problem.candidates)
        return {
            "problem": problem,
            "gp": self.prior,
            "policy": self.policy,
            "schedule": self.beta,
            "seed": count(self.seed, "$.seed", minimum=0),
            "initial": len(start),
            "y": frozen_copy(y),
            "iterations": tuple(iterations),
            "posterior": posterior.observe(np.concatenate(chosen), y, self.noise_variances),
            "refits": refits,
        }


def save(run: Run, path: PathOrFile) -> None:
    """Implements `Trace.save`."""
    content = to_plain(RunRecord.of(run))
    document = text.dumps(content, "a trace")
    text.write(f'{document[:-1]},"checksum":"{text.digest(content)}"}}\n', path)


def load(path: PathOrFile) -> dict[str, Any]:
    """The fields of the `Trace` in a file; implements `Trace.load`."""
    with text.building(path):
        content = text.parse(path, "a saved trace", FORMAT, (VERSION,))
        checksum = content.pop("checksum", None)
        found = text.digest(content)
        if checksum != found:
            raise InputError(
                f"content of {found[:16]} at $.checksum",
                f"{checksum!r:.20}",
                "open an unchanged copy: this one was altered or damaged after it was saved",
            )
        return from_plain(content, RunRecord).fields()
