"""The entries of the journal of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.experiment.plan import Plan
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.policies.base import Policy
from ucbpe_core.records.packing import plain, record_of
from ucbpe_core.schedules import BetaSchedule
from ucbpe_core.validation import (
    Direction,
    Repeats,
    count,
    noise_variances,
    non_negative,
    values,
)

if TYPE_CHECKING:
    from ucbpe_core.policies.decision import Decision


@dataclass(frozen=True)
class Proposal:
    """A pick, and why it was made.

    Attributes
    ----------
    candidate, role : which row, and the role that it was picked for: "ucb", "pe", ..
    std : standard deviation there just before the pick, earlier picks hallucinated
    score : value of the criterion that it maximised, of -f where f is minimised; None if there is
        none
    in_region_plus : whether it is in R+

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> Experiment.begin(Table(("x",), range(11)), plan).ask().pending[0].proposal
    Proposal(candidate=0, role='ucb', std=1.0, score=2.0, in_region_plus=True)
    """

    candidate: int
    role: str
    std: float
    score: float | None
    in_region_plus: bool

    def __post_init__(self) -> None:
        non_negative(self.std, "std")


@dataclass(frozen=True)
class _Timed:
    """An entry of the journal, made at `time` (ISO 8601)."""

    time: str

    def __post_init__(self) -> None:
        checked_time(self.time)


@dataclass(frozen=True)
class Planned(_Timed):
    """The plan from here on.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Planned, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask()
    >>> [entry.policy for entry in experiment.journal if isinstance(entry, Planned)]
    [GPUCBPE(batch_size=2)]
    """

    prior: GaussianProcess
    policy: Policy
    beta: BetaSchedule
    direction: Direction = "maximize"
    repeats: Repeats = "avoid"

    @classmethod
    def of(cls, plan: Plan, time: str) -> Planned:
        """The entry of a plan."""
        return cls(time, plan.gp, plan.policy, plan.beta, plan.direction, plan.repeats)

    @property
    def plan(self) -> Plan:
        """The plan itself."""
        return Plan(self.prior, self.policy, self.beta, self.direction, self.repeats)


@dataclass(frozen=True)
class Asked(_Timed):
    """Batch t was proposed, after n observations, outstanding picks included.

    `exhausted` is as in `Decision`.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Asked, Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask()
    >>> [entry.candidates for entry in experiment.journal if isinstance(entry, Asked)]
    [(0, 10)]
    """

    t: int
    n: int
    beta: float
    beta_next: float
    y_dot: float
    picks: tuple[Proposal, ...]
    exhausted: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        count(self.t, "t")
        non_negative(self.beta, "beta")
        non_negative(self.beta_next, "beta_next")

    @property
    def candidates(self) -> tuple[int, ...]:
        """Candidates of the picks, in order."""
        return tuple(pick.candidate for pick in self.picks)

    @classmethod
    def of(cls, decision: Decision, time: str) -> Asked:
        """The entry of a decision."""
        inside = decision.region_plus[decision.indices]
        columns = (decision.stds, decision.scores, inside)
        picks = zip(plain(decision.indices), decision.roles, *map(plain, columns), strict=True)
        return record_of(cls, decision, time=time, picks=tuple(Proposal(*pick) for pick in picks))


@dataclass(frozen=True)
class Told(_Timed):
    """Results were recorded: values at candidates, and the noise variance of each if known.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table, Told
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).tell([4], [0.6])
    >>> [entry.y for entry in experiment.journal if isinstance(entry, Told)]
    [(0.6,)]
    """

    candidates: tuple[int, ...]
    y: tuple[float, ...]
    noise_variance: tuple[float | None, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        values(self.y, "y", len(self.candidates))
        noise_variances(self.noise_variance, len(self.candidates))


@dataclass(frozen=True)
class Withdrew(_Timed):
    """Outstanding picks of these candidates were withdrawn; they are not proposed again.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table, Withdrew
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask().withdraw()
    >>> [entry.candidates for entry in experiment.journal if isinstance(entry, Withdrew)]
    [(0, 10)]
    """

    candidates: tuple[int, ...]


@dataclass(frozen=True)
class Allowed(_Timed):
    """Withdrawn candidates may be proposed again.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Allowed, Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask().withdraw().allow([10])
    >>> [entry.candidates for entry in experiment.journal if isinstance(entry, Allowed)]
    [(10,)]
    """

    candidates: tuple[int, ...]


@dataclass(frozen=True)
class Corrected(_Timed):
    """A measurement, by its number from 0, has another value; None: it is void.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Corrected, Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).tell([4], [6.0])
    >>> [entry.y for entry in experiment.correct(0, 0.6).journal if isinstance(entry, Corrected)]
    [0.6]
    """

    measurement: int
    y: float | None


@dataclass(frozen=True)
class Undid(_Timed):
    """The last entry in force was reverted.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table, Undid
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask().undo()
    >>> isinstance(experiment.journal[-1], Undid), len(experiment.journal)
    (True, 3)
    """


@dataclass(frozen=True)
class Redid(_Timed):
    """The entry reverted last is in force again.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Redid, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask().undo().redo()
    >>> isinstance(experiment.journal[-1], Redid), len(experiment.pending)
    (True, 2)
    """


Entry = Planned | Asked | Told | Withdrew | Allowed | Corrected | Undid | Redid

# Their names in a file.
KINDS: dict[type, str] = {
    Planned: "plan",
    Asked: "ask",
    Told: "tell",
    Withdrew: "withdraw",
    Allowed: "allow",
    Corrected: "correct",
    Undid: "undo",
    Redid: "redo",
}


def now() -> str:
    """The current time for a journal: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def checked_time(text: str, where: str = "time") -> str:
    """`text` if it is a time in ISO 8601."""
    try:
        datetime.fromisoformat(text)
    except (TypeError, ValueError):
        wanted = f"{where} as in 2024-05-31T14:05:00+00:00"
        raise InputError(wanted, repr(text), "write it in ISO 8601") from None
    return text
