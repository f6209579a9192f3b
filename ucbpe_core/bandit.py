"""Ask and tell: choose real experiments, in batches, with results in any order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ucbpe_core import large
from ucbpe_core.asktell import AskTell
from ucbpe_core.labels import is_index, labels_of, rows_of
from ucbpe_core.locking import exclusive
from ucbpe_core.policies.eligible import Eligible
from ucbpe_core.schedules import FiniteBeta
from ucbpe_core.ties import first_best
from ucbpe_core.validation import frozen_copy, measurements, names_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.ledger import Ledger
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Direction, Floats, Noise, Repeats


class Bandit(AskTell):
    """A batch bandit over M candidates: `ask` for K picks, `tell` the values measured there.

    Results may be told for any part of a batch, in any order; picks still outstanding are
    hallucinated. `ask` returns the same decision until one of its picks has been told or withdrawn;
    the next call then opens a new batch. t counts batches: it advances when a batch is complete or
    the next one is opened. A call that raises changes nothing.

    Minimising f is maximising -f with the prior mean negated: the picks are identical, bit for bit.
    y, `gp`, `posterior`, `process` and `Decision.y_dot` are in the user's units, of f.

    `policy`, `schedule` and `repeats` may be assigned, and hold for the batches asked from then on.
    `refit` changes the prior.

    Parameters
    ----------
    candidates : points, shape (M, d); of a pandas DataFrame, `names` keeps the column names, and
        `labels` its index as text unless that counts the rows
    gp : the prior
    policy : chooses what to measure next
    beta : schedule of beta_t; default `FiniteBeta()`
    direction : "maximize" or "minimize"
    repeats : "allow" is the paper's rule: without noise it can pick candidates whose value is known
        already, and does once R+ has no other; `ask` then warns. "avoid" leaves these out, goes on
        over the candidates outside R+, and raises when f is known at all of them (`Policy.decide`)

    Raises
    ------
    InputError
        For candidates that are not (M, d) finite numbers, or an argument of the wrong type.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> x = np.linspace(0, 1, 11)
    >>> bandit = Bandit(x, GaussianProcess(Matern(lengthscale=0.3)), GPUCBPE(batch_size=3))
    >>> bandit.tell([2, 7], [0.2, 0.7])  # measured before the first batch
    >>> decision = bandit.ask()
    >>> decision.indices, decision.roles
    (array([10,  0,  5]), ('ucb', 'pe', 'pe'))
    >>> bandit.tell(decision.indices[:2], [0.6, 0.9])  # candidate 5 stays outstanding
    >>> bandit.pending, bandit.best()
    ((5,), 0)
    """

    _set_once = AskTell._set_once | {"names", "labels"}

    def __init__(
        self,
        candidates: ArrayLike,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
        *,
        direction: Direction = "maximize",
        repeats: Repeats = "allow",
    ) -> None:
        beta = FiniteBeta() if beta is None else beta
        super().__init__(candidates, gp, policy, beta, direction, repeats)
        self.names, self.labels = names_of(candidates), labels_of(candidates)

    @classmethod
    def restore(
        cls,
        posterior: Posterior,
        policy: Policy,
        beta: BetaSchedule,
        ledger: Ledger,
        decision: Decision | None = None,
        *,
        direction: Direction = "maximize",
        repeats: Repeats = "allow",
    ) -> Self:
        """A bandit in the middle of an experiment.

        Parameters
        ----------
        posterior : given all values told
        policy, beta, direction, repeats : as for a new one
        ledger : the outstanding picks, and those withdrawn
        decision : the open decision, which `ask` returns; None if part of that batch was told or
            withdrawn

        Raises
        ------
        InputError
            For an outstanding pick that is not a candidate, or a decision of another batch.
        """
        options: dict[str, Any] = {"direction": direction, "repeats": repeats}
        bandit = cls(posterior.candidates, posterior.gp, policy, beta, **options)
        bandit._restore(ledger, decision)
        bandit._current = posterior.signed(bandit._sign)
        return bandit

    @classmethod
    def load(cls, path: PathOrFile) -> Self:
        """The bandit that `save` wrote, by replay of its results; no code in the file is executed.

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, has another format or version, or has
            invalid content; the message gives the path of the field.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
        >>> bandit.tell([5, 10], [0.2, 0.7])
        >>> bandit.save("bandit.json")
        >>> (Bandit.load("bandit.json").ask().indices == bandit.ask().indices).all().item()
        True
        """
        from ucbpe_core.records import bandit

        return bandit.load(path, cls)

    @property
    def posterior(self) -> Posterior:
        """The posterior given all values told, in the units of y; without outstanding picks."""
        return self._posterior

    @property
    @exclusive
    def pending_points(self) -> Floats:
        return frozen_copy(self._current.candidates[list(self.pending)])

    @exclusive
    def tell(
        self,
        indices: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Add measurements y (k,) at the candidates `indices` (k,).

        A value at an outstanding pick is the result of that pick; any other value is an observation
        made outside the batches (e.g. an initial one) and does not advance t.

        Parameters
        ----------
        indices, y : candidates and values, (k,) each; a pandas Index is read as labels
        noise_variance : known noise variance of each value, a number or (k,), in squared units of
            y; None stands for that of the prior
        progress : called as progress(done, total) during long updates; if it raises, the update is
            cancelled and nothing is added

        Raises
        ------
        InputError
            For an unknown index or label, NaN, infinities, shapes that do not agree or a negative
            noise variance; nothing is added. For what was not measured, see `withdraw`.
        TooLargeError
            If the posterior would not fit in memory; nothing is added.
        """
        chosen = np.array(self._indices(indices), dtype=np.intp)
        measured = self._sign * measurements(y, len(chosen))
        self._current = self._current.observe(chosen, measured, noise_variance, progress)
        self._update(self._ledger.told(chosen.tolist())[0])

    @exclusive
    def best(self) -> int:
        """The candidate with the best posterior mean: the one to use if the experiment ends now."""
        return first_best(self._maximised.mean, self._maximised.tolerance)

    def _decide(self, t: int) -> Decision:
        pending = np.array(self.pending, dtype=np.intp)
        start = self._current.hallucinate(pending) if len(pending) else self._current
        eligible = Eligible.without(list(self.withdrawn), self._size, self.repeats)
        decision, screened = large.decide(start, self.policy, t, self.schedule, eligible)
        if not len(pending):
            self._current = screened
        return self._labelled(decision)

    def _labelled(self, decision: Decision) -> Decision:
        """The decision with the labels of its picks."""
        if self.labels is None:
            return decision
        return replace(decision, labels=tuple(self.labels[j] for j in decision.indices))

    def _indices(self, given: ArrayLike) -> list[int]:
        """The indices `given`, or those of the labels in a pandas Index."""
        if is_index(given):
            given = rows_of(given, self.labels, framed=self.names is not None)
        return super()._indices(given)

    @property
    def _domain(self) -> Floats:
        return self._current.candidates

    @property
    def _size(self) -> int:
        return len(self._current.candidates)
