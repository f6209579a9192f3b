"""Ask and tell: choose real experiments, in batches, with results in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.confidence import BetaSchedule, FiniteBeta
from ucbpe_core.errors import InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.policies.base import Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import indices as checked_indices
from ucbpe_core.validation import values as checked_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.policies.base import Decision


class Bandit:
    """A batch bandit over M candidates: `ask` for K picks, `tell` what they gave.

    Any part of a batch may be told, in any order; picks still outstanding keep counting as
    hallucinations. `ask` returns the same decision until one of its picks has been told; asking
    again then opens the next batch around the outstanding picks. t counts batches: it moves on
    when a batch has been told whole, or when the next one is opened. A call that raises leaves
    everything as it was.

    Parameters
    ----------
    candidates : points, shape (M, d)
    gp : the prior
    policy : what is queried next
    beta : schedule of beta_t; `FiniteBeta()` unless given
    """

    def __init__(
        self,
        candidates: ArrayLike,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
    ) -> None:
        if not isinstance(gp, GaussianProcess):
            raise InputError("a GaussianProcess", type(gp).__name__, "pass GaussianProcess(RBF())")
        if not isinstance(policy, Policy):
            raise InputError("a Policy", type(policy).__name__, "pass GPUCBPE(batch_size=10), say")
        beta = FiniteBeta() if beta is None else beta
        if not isinstance(beta, BetaSchedule):
            raise InputError("a BetaSchedule", type(beta).__name__, "pass ConstantBeta(4.0), say")
        self.policy = policy
        self.schedule = beta
        self._posterior = Posterior.prior(gp, candidates)
        self._earlier: tuple[int, ...] = ()  # outstanding picks of closed batches
        self._open: Decision | None = None
        self._untold: tuple[int, ...] = ()  # outstanding picks of the open one
        self._t = 1

    @property
    def posterior(self) -> Posterior:
        """The belief after everything told; outstanding picks are not in it."""
        return self._posterior

    @property
    def t(self) -> int:
        """Iteration of the batch that is open, or else of the next one."""
        return self._t

    @property
    def pending(self) -> tuple[int, ...]:
        """Candidates asked and not yet told, oldest first."""
        return self._earlier + self._untold

    def ask(self) -> Decision:
        """The open decision, or a new one if some of it was told or none is open."""
        if self._open is not None and len(self._untold) == len(self._open.indices):
            return self._open
        t = self._t + 1 if self._open is not None else self._t
        belief = self._posterior.hallucinate(self.pending)
        decision = self.policy.decide(belief, t, self.schedule)
        picks = tuple(int(j) for j in decision.indices)
        self._earlier += self._untold
        self._t, self._open, self._untold = t, decision, picks
        return decision

    def tell(self, indices: ArrayLike, y: ArrayLike) -> None:
        """Add measurements y (k,) at the candidates `indices` (k,).

        Those that answer outstanding picks settle them; any other counts as an observation made
        outside the batches (an initial one, say) and does not advance t.

        Raises
        ------
        InputError
            For an unknown index, NaN, infinities or shapes that do not agree; nothing is added.
        """
        members = checked_indices(indices, len(self._posterior.candidates))
        measured = checked_values(y, "y", len(members))
        self._posterior = self._posterior.observe(members, measured)
        earlier, untold = list(self._earlier), list(self._untold)
        for j in members.tolist():
            # The open batch first: its completion is what moves t on.
            for outstanding in (untold, earlier):
                if j in outstanding:
                    outstanding.remove(j)
                    break
        self._earlier, self._untold = tuple(earlier), tuple(untold)
        if self._open is not None and not untold:
            self._open = None
            self._t += 1

    def withdraw(self) -> tuple[int, ...]:
        """Give up every outstanding pick and return them; an open batch is closed without them."""
        given_up = self.pending
        untouched = self._open is not None and len(self._untold) == len(self._open.indices)
        self._earlier, self._untold = (), ()
        if self._open is not None and not untouched:
            self._t += 1
        self._open = None
        return given_up

    def best(self) -> int:
        """Candidate of highest posterior mean: what to use if the experiment ends now."""
        return int(np.argmax(self._posterior.mean))
