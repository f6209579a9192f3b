"""The file of a `Bandit` or `BoxBandit`: its plan, what was told, and what is outstanding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ucbpe_core.gp import GaussianProcess
from ucbpe_core.ledger import Ledger
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import Decision
from ucbpe_core.posterior import Posterior
from ucbpe_core.records import document
from ucbpe_core.records.convert import from_plain
from ucbpe_core.records.packing import Candidates, Mask
from ucbpe_core.schedules import BetaSchedule
from ucbpe_core.validation import Direction, frozen_copy

if TYPE_CHECKING:
    from ucbpe_core.asktell import AskTell
    from ucbpe_core.bandit import Bandit
    from ucbpe_core.box import BoxBandit
    from ucbpe_core.records.text import PathOrFile

_Finite = TypeVar("_Finite", bound="Bandit")
_Box = TypeVar("_Box", bound="BoxBandit")

FORMAT, BOX_FORMAT, VERSIONS = "ucbpe-bandit", "ucbpe-box-bandit", (1,)

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class DecisionRecord:
    """The decision of the open batch, while nothing of it was told or withdrawn."""

    t: int
    indices: tuple[int, ...]
    points: Rows
    roles: tuple[str, ...]
    stds: tuple[float, ...]
    scores: tuple[float | None, ...]
    beta: float
    beta_next: float
    y_dot: float
    region: Mask
    region_plus: Mask
    n: int
    known: tuple[bool, ...]

    @classmethod
    def of(cls, made: Decision | None) -> DecisionRecord | None:
        if made is None:
            return None
        return cls(
            t=made.t,
            indices=tuple(made.indices.tolist()),
            points=_rows(made.points),
            roles=made.roles,
            stds=tuple(made.stds.tolist()),
            scores=tuple(None if np.isnan(one) else one for one in made.scores.tolist()),
            beta=float(made.beta),
            beta_next=float(made.beta_next),
            y_dot=float(made.y_dot),
            region=Mask.pack(made.region),
            region_plus=Mask.pack(made.region_plus),
            n=made.n,
            known=tuple(made.known.tolist()),
        )

    def decision(self, size: int) -> Decision:
        """The decision itself, with masks over `size` candidates."""
        return Decision(
            t=self.t,
            indices=frozen_copy(self.indices, np.intp),
            points=frozen_copy(self.points),
            roles=self.roles,
            stds=frozen_copy(self.stds),
            scores=frozen_copy([np.nan if one is None else one for one in self.scores]),
            beta=self.beta,
            beta_next=self.beta_next,
            y_dot=self.y_dot,
            region=self.region.unpack(size, "$.decision.region"),
            region_plus=self.region_plus.unpack(size, "$.decision.region_plus"),
            n=self.n,
            known=frozen_copy(self.known, np.bool_),
        )


@dataclass(frozen=True)
class StateRecord:
    """What both kinds of bandit have; `y` and `noise_variances` in the order told."""

    format: str
    version: int
    direction: Direction
    prior: GaussianProcess
    policy: Policy
    beta: BetaSchedule
    y: tuple[float, ...]
    noise_variances: tuple[float | None, ...]
    ledger: Ledger
    decision: DecisionRecord | None


@dataclass(frozen=True)
class BanditRecord(StateRecord):
    """A `Bandit`; `told` are the candidates of y, -1 for a point outside; then `points` has all."""

    candidates: Candidates
    told: tuple[int, ...]
    names: tuple[str, ...] | None = None
    points: Rows | None = None

    def posterior(self, size: int) -> Posterior:
        """The posterior after y."""
        prior = Posterior.prior(self.prior, self.candidates.unpack(size, "$.candidates"))
        if self.points is None:
            return prior.observe(self.told, self.y, self.noise_variances)
        return prior.observe_points(self.points, self.y, self.noise_variances)


@dataclass(frozen=True)
class BoxRecord(StateRecord):
    """A `BoxBandit`; `told` are the points of y, `asked` every pick so far by its index."""

    bounds: Rows
    asked: Rows
    told: Rows
    seed: int
    samples: int
    starts: int
    tolerance: float


def save(bandit: AskTell, path: PathOrFile) -> None:
    """What `save` of both does."""
    process, opened = bandit.process, bandit.ledger.untouched
    shared = {
        "version": VERSIONS[-1],
        "direction": bandit.direction,
        "prior": process.gp,
        "policy": bandit.policy,
        "beta": bandit.schedule,
        "y": tuple(process.y.tolist()),
        "noise_variances": process.known_noise,
        "ledger": bandit.ledger,
        "decision": DecisionRecord.of(bandit.ask()) if opened else None,
    }
    document.save(_record(bandit, shared), path, "a bandit")


def load(path: PathOrFile, cls: type[_Finite]) -> _Finite:
    """What `Bandit.load` does."""
    with document.building(path):
        content = document.parse(path, "a saved Bandit", FORMAT, VERSIONS)
        record = from_plain(content, BanditRecord)
        size = len(record.candidates.points)
        bandit = cls.restore(
            record.posterior(size),
            record.policy,
            record.beta,
            record.ledger,
            None if record.decision is None else record.decision.decision(size),
            direction=record.direction,
        )
    object.__setattr__(bandit, "names", record.names)
    return bandit


def load_box(path: PathOrFile, cls: type[_Box]) -> _Box:
    """What `BoxBandit.load` does."""
    with document.building(path):
        content = document.parse(path, "a saved BoxBandit", BOX_FORMAT, VERSIONS)
        record = from_plain(content, BoxRecord)
        d = len(record.bounds)
        prior = Posterior.prior(record.prior, np.mean(record.bounds, axis=1)[None])
        told = np.reshape(record.told, (len(record.told), d))
        return cls.restore(
            record.bounds,
            prior.observe_points(told, record.y, record.noise_variances).conditioned(),
            record.policy,
            record.beta,
            record.ledger,
            np.reshape(record.asked, (len(record.asked), d)),
            None if record.decision is None else record.decision.decision(0),
            direction=record.direction,
            seed=record.seed,
            samples=record.samples,
            starts=record.starts,
            tolerance=record.tolerance,
        )


def _record(bandit: Any, shared: dict[str, Any]) -> StateRecord:
    if hasattr(bandit, "box"):
        return BoxRecord(
            **shared,
            format=BOX_FORMAT,
            bounds=_rows(bandit.box),
            asked=_rows(bandit.asked),
            told=_rows(bandit.process.X),
            **bandit.options,
        )
    told = bandit.posterior.conditioned_indices
    return BanditRecord(
        **shared,
        format=FORMAT,
        candidates=Candidates.pack(bandit.posterior.candidates),
        told=told,
        names=bandit.names,
        points=_rows(bandit.process.X) if -1 in told else None,
    )


def _rows(points: Any) -> Rows:
    """An array (n, d) as tuples."""
    return tuple(map(tuple, points.tolist()))
