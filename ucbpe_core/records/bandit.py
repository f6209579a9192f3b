"""The file of a `Bandit` or `BoxBandit`: its plan, the values told, and the outstanding picks."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.inputs import Category, Integer, Real
from ucbpe_core.ledger import Ledger
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.posterior import Posterior
from ucbpe_core.records import atomic, text
from ucbpe_core.records.convert import REMEDY, from_plain, name_kinds, to_plain
from ucbpe_core.records.packing import Candidates, Mask, plain, record_of, score
from ucbpe_core.region import RelevantRegion
from ucbpe_core.schedules import BetaSchedule
from ucbpe_core.space import Space
from ucbpe_core.validation import Direction, Repeats, bounds, frozen_copy, points

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.asktell import AskTell
    from ucbpe_core.bandit import Bandit
    from ucbpe_core.box import BoxBandit
    from ucbpe_core.records.text import PathOrFile

_Finite = TypeVar("_Finite", bound="Bandit")
_Box = TypeVar("_Box", bound="BoxBandit")

FORMAT, BOX_FORMAT, VERSIONS = "ucbpe-bandit", "ucbpe-box-bandit", (1,)

Rows = tuple[tuple[float, ...], ...]
_INPUTS = {Real: "real", Integer: "integer", Category: "category"}
_OF_EACH_PICK = ("indices", "points", "roles", "stds", "scores", "known")


@dataclass(frozen=True)
class DecisionRecord:
    """The decision of the open batch, until part of it is told or withdrawn."""

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
    exhausted: bool = False

    @classmethod
    def of(cls, made: Decision) -> DecisionRecord:
        masks = {name: Mask.pack(getattr(made, name)) for name in ("region", "region_plus")}
        return record_of(cls, made, **masks)

    def decision(self, gp: GaussianProcess, size: int) -> Decision:
        """The decision itself, under the prior `gp`, with masks over `size` candidates."""
        lengths = {len(getattr(self, name)) for name in _OF_EACH_PICK}
        if len(lengths) > 1:
            wanted = f"as many of {', '.join(_OF_EACH_PICK)} at $.decision"
            raise InputError(wanted, f"{sorted(lengths)}", REMEDY)
        region = self.region.unpack(size, "$.decision.region")
        region_plus = self.region_plus.unpack(size, "$.decision.region_plus")
        made = Decision.of(
            list(map(Pick, self.indices, self.roles, self.stds, map(score, self.scores))),
            points(self.points, "$.decision.points"),
            gp,
            t=self.t,
            n=self.n,
            betas=(self.beta, self.beta_next),
            relevant=RelevantRegion(self.y_dot, region, region_plus),
            signal=0.0,  # `known` is in the file
            exhausted=self.exhausted,
        )
        return replace(made, known=frozen_copy(self.known, np.bool_))


@dataclass(frozen=True)
class StateRecord:
    """The fields of both kinds of bandit; `y` and `noise_variances` in the order told.

    `id` is that of the bandit that was saved first, `digest` is of all other fields. Files without
    them are read, too.
    """

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
    id: str | None = field(default=None, kw_only=True)
    digest: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class BanditRecord(StateRecord):
    """A `Bandit`; `told` are the candidates of y, -1 for a point outside; if any, `points` has
    all.
    """

    candidates: Candidates
    told: tuple[int, ...]
    names: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    points: Rows | None = None
    repeats: Repeats = "allow"

    def posterior(self, size: int) -> Posterior:
        """The posterior after y."""
        prior = Posterior.prior(self.prior, self.candidates.unpack(size, "$.candidates"))
        if self.points is None:
            return prior.observe(self.told, self.y, self.noise_variances)
        return prior.observe_points(self.points, self.y, self.noise_variances)


@dataclass(frozen=True)
class SpaceRecord:
    """A `Space`; `constrained` says that it has a function `feasible`, which is not kept."""

    inputs: tuple[Real | Integer | Category, ...]
    names: tuple[str, ...]
    named: bool
    constrained: bool

    @classmethod
    def of(cls, space: Space) -> SpaceRecord | None:
        """None for bounds alone."""
        name_kinds(Real | Integer | Category, _INPUTS)
        if space.feasible is None and not space.named:
            return None
        return cls(space.inputs, space.names, space.named, space.feasible is not None)

    def space(self, feasible: Callable[[Any], Any] | None) -> Space:
        if self.constrained and feasible is None:
            remedy = "pass load(path, feasible=..) the function of the saved bandit"
            raise InputError("the function feasible, which no file holds", "none", remedy)
        return Space(self.inputs, self.names, feasible, self.named)


@dataclass(frozen=True)
class BoxRecord(StateRecord):
    """A `BoxBandit`; `told` are the coordinates of y, `asked` every pick so far by its index.

    `space` is None where `bounds` say all.
    """

    bounds: Rows
    asked: Rows
    told: Rows
    seed: int
    samples: int
    starts: int
    tolerance: float
    space: SpaceRecord | None = None
    repeats: Repeats = "allow"


def save(bandit: AskTell, path: PathOrFile) -> None:
    """Implements `Bandit.save` and `BoxBandit.save`."""
    content = to_plain(_record(bandit))
    document = text.dumps({**content, "digest": text.digest(content)}, "a bandit")
    if not isinstance(path, (str, os.PathLike)):
        path.write(document + "\n")
        return
    # No other process may write between the check and the write.
    with atomic.locked(path):
        _check_nothing_lost(document, Path(path))
        text.write(document + "\n", path)


def _check_nothing_lost(document: str, path: Path) -> None:
    """Refuse to replace a file of this bandit that has results which the bandit lacks.

    Another process has saved there meanwhile, or this is an earlier state. Any other file is
    replaced.
    """
    own = json.loads(document)
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
        found = _results(there) if there["id"] == own["id"] else []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    if found != _results(own)[: len(found)]:
        raise InputError(
            f"a bandit with the {len(found)} results in {path}",
            f"one of {len(own['y'])} results without some of them",
            "load that file and tell the results again, or save to another path",
        )


def _results(content: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Where each value was measured, the value, and its noise variance, in the order told."""
    where = content.get("points") or content["told"]
    return list(zip(where, content["y"], content["noise_variances"], strict=True))


def load(path: PathOrFile, cls: type[_Finite]) -> _Finite:
    """Implements `Bandit.load`."""
    with text.building(path):
        content = _unaltered(text.parse(path, "a saved Bandit", FORMAT, VERSIONS))
        record = from_plain(content, BanditRecord)
        size = len(record.candidates.points)
        bandit = cls.restore(
            record.posterior(size),
            record.policy,
            record.beta,
            record.ledger,
            None if record.decision is None else record.decision.decision(record.prior, size),
            direction=record.direction,
            repeats=record.repeats,
        )
    object.__setattr__(bandit, "names", record.names)
    bandit._identity = record.id or bandit._identity
    object.__setattr__(bandit, "labels", record.labels)
    if bandit._decision is not None:
        bandit._decision = bandit._labelled(bandit._decision)
    return bandit


def load_box(path: PathOrFile, cls: type[_Box], feasible: Callable[[Any], Any] | None) -> _Box:
    """Implements `BoxBandit.load`."""
    name_kinds(Real | Integer | Category, _INPUTS)
    with text.building(path):
        content = _unaltered(text.parse(path, "a saved BoxBandit", BOX_FORMAT, VERSIONS))
        record = from_plain(content, BoxRecord)
        box = bounds(record.bounds, "$.bounds")
        space = Space.of(box) if record.space is None else record.space.space(feasible)
        d = len(box)
        prior = Posterior.prior(record.prior, box.mean(axis=1)[None])
        told, asked = (
            points(rows or np.empty((0, d)), where, d)
            for rows, where in ((record.told, "$.told"), (record.asked, "$.asked"))
        )
        bandit = cls.restore(
            space,
            prior.observe_points(told, record.y, record.noise_variances).conditioned(),
            record.policy,
            record.beta,
            record.ledger,
            asked,
            None if record.decision is None else record.decision.decision(record.prior, 0),
            direction=record.direction,
            repeats=record.repeats,
            seed=record.seed,
            samples=record.samples,
            starts=record.starts,
            tolerance=record.tolerance,
        )
    bandit._identity = record.id or bandit._identity
    return bandit


def _unaltered(content: dict[str, Any]) -> dict[str, Any]:
    """The content of a file, if its digest, where it has one, agrees."""
    others = {key: value for key, value in content.items() if key != "digest"}
    text.check_digest(content.get("digest"), others, "digest")
    return content


def _record(bandit: Any) -> StateRecord:
    process = bandit.process
    shared = {
        "version": VERSIONS[-1],
        "id": bandit._identity,
        "digest": None,
        "prior": process.gp,
        "beta": bandit.schedule,
        "y": plain(process.y),
        "noise_variances": process.known_noise,
        "decision": DecisionRecord.of(bandit.ask()) if bandit.ledger.untouched else None,
    }
    if hasattr(bandit, "box"):
        own = {"format": BOX_FORMAT, "bounds": plain(bandit.box), "told": plain(process.X)}
        shared["space"] = SpaceRecord.of(bandit.space)
        return record_of(BoxRecord, bandit, **shared, **own, **bandit.options)
    told = bandit.posterior.conditioned_indices
    return record_of(
        BanditRecord,
        bandit,
        **shared,
        format=FORMAT,
        candidates=Candidates.pack(bandit.posterior.candidates),
        told=told,
        points=plain(process.X) if -1 in told else None,
    )
