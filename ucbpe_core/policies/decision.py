"""What a policy may know when it chooses a batch, and the record of its decision and reasons.

Two kinds of candidates can be ruled out: those withdrawn, which will never be measured, and, under
``repeats="avoid"``, those where f is known, so that a measurement adds nothing. A policy then
chooses among the others alone, from the same posterior: R, R+ and y_dot stay those of all X.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.optional import optional
from ucbpe_core.support.validation import frozen_copy, non_negative, read_only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.gp.region import RelevantRegion
    from ucbpe_core.support.validation import Booleans, Floats, Integers, Repeats, SharedBy


@dataclass(frozen=True)
class Pick:
    """One choice inside a batch: candidate `index`, chosen as `role` for its `score`.

    `std` is the posterior's there just before the pick, earlier picks of the batch hallucinated.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import pick_upper
    >>> pick_upper(Posterior.prior(GaussianProcess(RBF()), range(5)), beta=4.0)
    Pick(index=0, role='ucb', std=1.0, score=2.0)
    """

    index: int
    role: str
    std: float
    score: float


@dataclass(frozen=True, eq=False)
class Explored(Frozen):
    """A region that a policy explores in place of R+: where mean + coefficient * std >= level.

    Attributes
    ----------
    level : in units of y; under direction="minimize" mean and level are those of -f. -inf where the
        mask alone defines the region
    coefficient : of the std given the measured points, without the pending ones
    slope : of the penalty outside, by which the std is lowered; inf where no pick may be outside
    mask : the candidates in it, shape (M,); fewer where the policy says so

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, GaussianProcess, Matern, Posterior
    >>> from ucbpe_core.policies import VizierUCBPE
    >>> start = Posterior.prior(GaussianProcess(Matern(4.0)), range(21)).observe([5, 10], [0, 2])
    >>> decision = VizierUCBPE(2, seed=0).decide(start, 1, ConstantBeta())
    >>> region = decision.explored[1]  # of a pick that explores; the first takes the upper bound
    >>> decision.explored[0], round(region.level, 3), region.coefficient
    (None, 1.626, 0.5)
    """

    level: float
    coefficient: float
    slope: float
    mask: Booleans = field(repr=False)


@dataclass(frozen=True, eq=False)
class Decision(Frozen):
    """One batch: K picks in order, and the quantities at batch start that explain them.

    Attributes
    ----------
    t : iteration, from 1
    indices : of the candidates picked, shape (K,); over a box, the numbers of the picks, counted
        from 0 over the whole experiment. `tell` and `withdraw` take them
    points : the picks, shape (K, d)
    roles : why each was picked: "ucb", "pe", or another role of the policy
    stds : standard deviation at each pick just before it was made, shape (K,)
    scores : value of the criterion that each pick maximised, shape (K,); under
        direction="minimize" it is one of -f
    beta, beta_next : beta_t and beta_(t+1)
    y_dot : the greatest lower bound; under direction="minimize" the least upper bound
    region, region_plus : masks of R and R+, shape (M,); over a box there are none, shape (0,)
    n : points conditioned on at batch start, outstanding picks included
    known : whether the value of each pick was already known, shape (K,): without noise, where it,
        or a numerically equal point, was measured or picked before. A result there is not
        informative
    exhausted : whether no candidate of R+ is left whose measurement tells anything new: at batch
        start f is known at each (without noise), or it was withdrawn. Over a box, as far as the
        search found, and given the first pick
    labels : of the picks, where the candidates have labels (`Bandit.labels`); else None
    names : of the inputs, where they have names; else None
    settings : of the picks, over a box whose inputs have names: a dict each; else None. What `tell`
        takes: indices, labels, settings, or the rows of `to_frame`
    explored : the region that each pick explored, if that is not R+, and None for one that did not;
        () for a policy without such a region, and over a box

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> decision = bandit.ask()
    >>> decision.indices, decision.stds.round(2), decision.region_plus.all().item()
    (array([17,  0, 20]), array([0.98, 0.93, 0.78]), True)
    >>> bandit.tell(decision.indices, [0.1, 0.4, 0.3])
    """

    t: int
    indices: Integers
    points: Floats
    roles: tuple[str, ...]
    stds: Floats
    scores: Floats
    beta: float
    beta_next: float
    y_dot: float
    region: Booleans = field(repr=False)
    region_plus: Booleans = field(repr=False)
    n: int
    known: Booleans = field(repr=False)
    exhausted: bool = False
    labels: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    settings: tuple[dict[str, Any], ...] | None = None
    explored: tuple[Explored | None, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        picks: Sequence[Pick],
        points: Floats,
        gp: GaussianProcess,
        *,
        t: int,
        n: int,
        betas: tuple[float, float],
        relevant: RelevantRegion,
        signal: float,
        exhausted: bool,
        explored: tuple[Explored | None, ...] = (),
    ) -> Decision:
        """The decision for these picks at points (K, d), under the prior `gp`.

        `betas` are beta_t and beta_(t+1); `signal` is the largest prior variance of a candidate;
        the rest is as above.
        """
        stds = frozen_copy([pick.std for pick in picks])
        return cls(
            t=t,
            indices=frozen_copy([pick.index for pick in picks], np.intp),
            points=frozen_copy(points),
            roles=tuple(pick.role for pick in picks),
            stds=stds,
            scores=frozen_copy([pick.score for pick in picks]),
            beta=float(betas[0]),
            beta_next=float(betas[1]),
            y_dot=float(relevant.y_dot),
            region=relevant.region,
            region_plus=relevant.region_plus,
            n=n,
            known=gp.knows(stds, signal),
            exhausted=bool(exhausted),
            explored=explored,
        )

    def to_frame(self) -> pd.DataFrame:
        """The picks as a table of pandas: one row for each, by its label if there are labels.

        Raises
        ------
        InputError
            Without pandas, which the extra "study" installs.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
        >>> bandit.ask().to_frame()[["candidate", "input 1", "role"]].values.tolist()
        [[0, 0.0, 'ucb'], [20, 20.0, 'pe']]
        """
        pandas = optional("pandas", "study")
        if self.settings is None:
            numbered = tuple(f"input {i + 1}" for i in range(self.points.shape[1]))
            names = numbered if self.names is None else self.names
            inputs = pandas.DataFrame(self.points, columns=names, index=self.labels)
        else:
            inputs = pandas.DataFrame(list(self.settings))
        why = {"role": self.roles, "std": self.stds, "score": self.scores}
        first = pandas.DataFrame({"candidate": self.indices}, index=inputs.index)
        return pandas.concat([first, inputs, pandas.DataFrame(why, index=inputs.index)], axis=1)

    @property
    def sqrt_beta(self) -> float:
        return float(np.sqrt(self.beta))


def checked_picks(
    picks: Any, owner: str, size: int, batch_size: int, rules: Mapping[str, str], *, repeats: bool
) -> tuple[Pick, ...]:
    """`picks` if they are what the policy `owner` has to return over `size` candidates.

    The others are attributes of the policy.

    Raises
    ------
    InputError
        For another number than `batch_size`, anything but a `Pick`, a role that is not in `rules`,
        an index that is not a candidate's, a std that is negative or not finite, or a candidate
        twice if the policy says that it repeats none.
    """
    owner = f"{owner}.picks"
    if not isinstance(picks, tuple | list):
        raise InputError(f"a tuple of picks from {owner}", type(picks).__name__, "return a tuple")
    if len(picks) != batch_size:
        wanted = f"{batch_size} picks from {owner}, its batch_size"
        raise InputError(wanted, str(len(picks)), "return one Pick for each")
    for k, pick in enumerate(picks):
        _check(pick, k, owner, size, rules)
    indices = [int(pick.index) for pick in picks]
    if not repeats and len(set(indices)) < len(indices):
        twice = next(j for j in indices if indices.count(j) > 1)
        wanted = f"no candidate twice from {owner}, which says repeats = False"
        raise InputError(wanted, f"candidate {twice} twice", "leave it out, or set repeats = True")
    return tuple(picks)


def _check(pick: Any, k: int, owner: str, size: int, rules: Mapping[str, str]) -> None:
    """Raise InputError unless pick k is one of a candidate, with a known role and a std."""
    where = f"pick {k} of {owner}"
    if not isinstance(pick, Pick):
        raise InputError(f"{where} to be a Pick", type(pick).__name__, "return Pick(j, role, ..)")
    if pick.role not in rules:
        wanted = f"{where} to have a role among {', '.join(rules)}"
        raise InputError(wanted, repr(pick.role), "add it to rules, with its rule in words")
    try:
        index = operator.index(pick.index)
    except TypeError:
        index = -1
    if not 0 <= index < size:
        wanted = f"{where} to be a candidate from 0 to {size - 1}"
        raise InputError(wanted, repr(pick.index), "return the row number of a candidate")
    non_negative(pick.std, f"the std of {where}")


@dataclass(frozen=True, eq=False)
class Eligible(Frozen):
    """Which of M candidates can be picked.

    Attributes
    ----------
    allowed : candidates that were not withdrawn, shape (M,); None for all. Where R+ has none of
        them, they take its place
    repeats : "avoid" leaves out candidates where f is known, given the picks before: without noise,
        those measured or picked, and numerically equal ones. Where R+ has no other, the policy goes
        on over X, and a batch has fewer than `batch_size` picks where X has no other. "allow" is
        the rule of the policy itself
    groups : a number for each candidate, shape (M,), if all picks of a batch are to have the same
        one; else None
    shared_by : which one, as in `history.plan.Plan`

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, GPUCBPE, Matern, Posterior
    >>> from ucbpe_core.policies import Eligible
    >>> posterior = Posterior.prior(GaussianProcess(Matern(4.0)), range(21))
    >>> eligible = Eligible.without([0, 20], size=21)
    >>> GPUCBPE(batch_size=3).decide(posterior, 1, FiniteBeta(), eligible=eligible).indices
    array([ 1, 19, 10])
    """

    allowed: Booleans | None = None
    repeats: Repeats = "allow"
    groups: Integers | None = None
    shared_by: SharedBy = "first"

    @classmethod
    def without(
        cls, indices: Sequence[int] | Integers, size: int, repeats: Repeats = "allow"
    ) -> Eligible:
        """All of `size` candidates but those `indices` (k,)."""
        if len(indices) == 0:
            return cls(None, repeats)
        allowed = np.ones(size, dtype=bool)
        allowed[np.asarray(indices, dtype=np.intp)] = False  # a tuple would be one index
        return cls(read_only(allowed), repeats)

    def mask(self, posterior: Posterior) -> Booleans | None:
        """Where a pick can be made, given the posterior after the picks before, shape (M,); None
        for everywhere.
        """
        return both(self.allowed, unknown(posterior) if self.repeats == "avoid" else None)


EVERYWHERE = Eligible()


@dataclass(frozen=True, eq=False)
class BatchContext(Frozen):
    """All that a policy may know at the start of batch t: neither the problem nor a true value.

    Attributes
    ----------
    posterior : at batch start, outstanding picks of earlier batches hallucinated
    t : iteration, from 1
    beta, beta_next : beta_t and beta_(t+1)
    y_dot, region, region_plus : the relevant region at batch start
    eligible : which candidates can be picked. A policy that draws or ranks candidates itself asks
        ``eligible.mask(posterior)``, with the posterior after the earlier picks

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import RandomSearch
    >>> class Reporting(RandomSearch):
    ...     def picks(self, context):
    ...         print(context.t, round(context.beta, 2), context.region_plus)
    ...         return super().picks(context)
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(4)).observe([1], [9.0])
    >>> decision = Reporting(2, seed=0).decide(posterior, t=1, schedule=FiniteBeta(scale=0.2))
    1 1.67 [False  True False False]
    """

    posterior: Posterior
    t: int
    beta: float
    beta_next: float
    y_dot: float
    region: Booleans
    region_plus: Booleans
    eligible: Eligible = EVERYWHERE


def unknown(posterior: Posterior) -> Booleans | None:
    """Where f is not known, shape (M,); None for everywhere, as with noise."""
    known = _known(posterior, posterior.std)
    return ~known if known.any() else None


def _known(posterior: Posterior, std: Floats) -> Booleans:
    """Whether f is known (`gp.knows`) at candidates with that std, shape (k,)."""
    return posterior.gp.knows(std, posterior.prior_variance)


def both(left: Booleans | None, right: Booleans | None) -> Booleans | None:
    """Where two conditions hold; None stands for everywhere."""
    if left is None or right is None:
        return left if right is None else right
    return left & right


def fresh(posterior: Posterior, picks: tuple[Pick, ...]) -> int:
    """How many picks come before the first where f is known; at least one, as it was free."""
    known = _known(posterior, np.array([pick.std for pick in picks]))
    return max(int(known.argmax()), 1) if known.any() else len(picks)
