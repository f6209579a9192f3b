"""A run as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.metadata import entry_points
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core import regret
from ucbpe_core.assignment import Frozen
from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import frozen_copy, read_only

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Iteration(Frozen):
    """Batch t of a run.

    Attributes
    ----------
    decision : the picks, and what explains them
    y : measured there (unless `Trace.held`), shape (K,)
    values : true f where they were measured, shape (K,)

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4)
    >>> trace.iterations[0].decision.roles, trace.iterations[0].y.shape
    (('ucb', 'pe', 'pe'), (3,))
    """

    decision: Decision
    y: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class Trace(Frozen):
    """A finished run of `policy` on `problem`, in the direction of the problem.

    Values, measurements, `posterior` and y_dot are in the units of f in either direction; regrets
    are at least 0.

    Attributes
    ----------
    problem, gp, policy, schedule, seed : what was run; `gp` is the prior that the policy used
    initial : number of observations before batch 1
    y : every measurement in order, shape (initial + T K,)
    iterations : the T batches
    posterior : after the last batch; `posterior.at(n)` is that after n observations
    refits : (t, prior) for each time that the prior was fitted again: it is that of batch t and of
        those after. `posterior` has the last one, so that with refits `posterior.at(n)` is the
        posterior of the first n observations under this prior, not what the posterior was then.
    held : whether the measurements are those of another run (see `redecide`): `y`, `values` and the
        regrets then belong to the candidates in `posterior`, not to the picks

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, Trace
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=5, initial=4)
    >>> trace.simple_regret.round(2)
    array([0.44, 1.68, 0.01, 0.01, 0.  ])
    >>> trace.save("run.json")
    >>> Trace.load("run.json").digest == trace.digest
    True
    """

    problem: Problem
    gp: GaussianProcess
    policy: Policy
    schedule: BetaSchedule
    seed: int
    initial: int
    y: Floats = field(repr=False)
    iterations: tuple[Iteration, ...] = field(repr=False)
    posterior: Posterior = field(repr=False)
    refits: tuple[tuple[int, GaussianProcess], ...] = ()
    held: bool = False

    def save(self, path: PathOrFile) -> None:
        """Write a JSON file that `load` reads back; `docs/trace.md` describes its fields.

        Parameters
        ----------
        path : the file, or a text file open for writing

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written, or measurements of another run. An existing file is then left unchanged.
        """
        from ucbpe_core.records import run  # as below: not needed unless a run is saved

        self.require_measured("save it")
        run.save(self, path)

    @classmethod
    def load(cls, path: PathOrFile) -> Trace:
        """The trace that `save` wrote, equal to the last bit.

        The posterior is conditioned again: on the same machine that gives the same bits; on another
        the decisions and measurements are the same, and the posterior differs by rounding. Nothing
        in the file is executed, and loading needs no more memory than the run did.

        Parameters
        ----------
        path : the file, or a text file open for reading

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, is truncated, has another version, or has
            content that no run can have; the message gives the path of the field.
        """
        from ucbpe_core.records import run_load

        def build(iterations: list[tuple[Any, ...]], **fields: Any) -> Trace:
            return cls(iterations=tuple(Iteration(*one) for one in iterations), **fields)

        return run_load.load(path, build)

    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each measurement; `docs/trace.md` describes the columns.

        Parameters and errors are those of `save`.
        """
        from ucbpe_core.records import run_csv

        self.require_measured("write a row for each measurement")
        run_csv.write(self, path)

    def to_frame(self) -> pd.DataFrame:
        """The rows and columns of `to_csv` as a pandas table; `attrs` describes the run.

        Raises
        ------
        InputError
            Without pandas, which the extra "study" installs, or for measurements of another run.

        Examples
        --------
        >>> from ucbpe_core import GPUCBPE, problems, simulate
        >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=5, initial=4)
        >>> frame = trace.to_frame()
        >>> len(frame), list(frame.columns[:4])
        (19, ['t', 'k', 'role', 'candidate'])
        """
        from ucbpe_core.records import run_csv, run_labels

        self.require_measured("list its measurements")
        head, *rows = run_csv.rows(self)
        frame = optional("pandas", "study").DataFrame(rows, columns=head)
        frame.attrs.update(run_labels.about(self))
        return frame

    def to_xarray(self) -> xr.Dataset:
        """Picks, measurements, regions and regrets as arrays with names and units.

        Dimensions are ``batch``, ``pick`` and ``candidate``; the inputs are coordinates of the
        candidates, and those of the picks are data. ``initial`` counts what came before batch 1.

        Raises
        ------
        InputError
            Without xarray, which the extra "xarray" installs, or as `to_frame`.

        Examples
        --------
        >>> from ucbpe_core import GPUCBPE, problems, simulate
        >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=5, initial=4)
        >>> round(trace.to_xarray()["simple_regret"].sel(batch=3).item(), 3)
        0.007
        """
        from ucbpe_core.records import run_labels

        self.require_measured("list its measurements")
        return run_labels.dataset(self)

    def plot(self) -> Any:
        """r_t^K, the least of them so far, as a HoloViews overlay; the dashboard draws it.

        Raises
        ------
        InputError
            Without the dashboard, which the extra "app" installs.
        """
        for entry in entry_points(group="ucbpe.plots", name="trace"):
            return entry.load()(self)
        remedy = "pip install 'ucbpe[app]'"
        raise InputError("the dashboard, which draws, to be installed", "none", remedy)

    def _repr_html_(self) -> str:
        """What a notebook shows: what was run, and how well it did."""
        from ucbpe_core.records import run_labels

        return run_labels.html(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what was chosen and measured, 64 hexadecimal digits.

        Two runs have the same digest only if every pick, every measurement and every beta_t are the
        same to the last bit, initial observations included; the settings do not enter. Hashed in
        this order, little-endian: the counts (initial, T, K), the candidate index of each
        observation (-1 for a point outside the set), shape (initial + T K,), as 64-bit integers;
        `y`, shape (initial + T K,), and beta_t, shape (T,), as 64-bit floats. If any measurement
        has a noise variance of its own, not equal to that of every prior, one for each follows,
        shape (initial + T K,), as 64-bit floats: -1 where that of the prior holds. If the
        measurements are those of another run, the indices of the picks, shape (T K,), follow those
        of the observations.
        """
        counts = (self.initial, len(self.iterations), self.policy.batch_size)
        picks = [i for one in self.iterations for i in one.decision.indices] if self.held else []
        integers = np.array([*counts, *self.posterior.conditioned_indices, *picks], dtype="<i8")
        betas = [iteration.decision.beta for iteration in self.iterations]
        floats = np.array([*self.y, *betas, *self._own_noise()], dtype="<f8")
        return sha256(integers.tobytes() + floats.tobytes()).hexdigest()

    def _own_noise(self) -> list[float]:
        """The noise variance of each measurement, -1 for the prior's; empty if it is for all."""
        priors = {gp.noise_variance for gp in (self.gp, *(gp for _, gp in self.refits))}
        known = self.posterior.known_noise
        own = [-1.0 if one is None or {one} == priors else one for one in known]
        return own if any(one >= 0 for one in own) else []

    def posterior_of(self, t: int) -> Posterior:
        """The posterior under the prior of batch t, after all batches that this prior chose.

        `posterior_of(t).at(decision.n)` is the posterior that batch t was chosen from, to rounding
        if the prior was fitted again; without refits `posterior_of(t)` is `posterior` itself.
        """
        return next(one for first, one in reversed(self._posteriors) if first <= t)

    @cached_property
    def _posteriors(self) -> tuple[tuple[int, Posterior], ...]:
        """For each prior, the batch from which it holds, and the posterior after its last one."""
        priors = ((1, self.gp), *self.refits)
        posterior, indices = self.posterior, self.posterior.conditioned_indices
        earlier = []
        for (first, gp), (end, _) in pairwise(priors):
            n = self.iterations[end - 1].decision.n
            start = Posterior.prior(gp, posterior.candidates)
            noise = self.posterior.known_noise[:n]
            earlier.append((first, start.observe(indices[:n], self.y[:n], noise)))
        return (*earlier, (priors[-1][0], posterior))

    def require_steppable(self, purpose: str) -> None:
        """Raise InputError unless all batches have one prior, as stepping back requires."""
        if self.refits:
            times = f"one fitted again before batches {[t for t, _ in self.refits]}"
            remedy = "simulate it without refit_every"
            raise InputError(f"a run with one prior, to {purpose}", times, remedy)

    def require_measured(self, purpose: str) -> None:
        """Raise InputError unless the measurements were made at the picks."""
        if self.held:
            remedy = "use the run that was measured"
            raise InputError(
                f"a run measured at its own picks, to {purpose}",
                "measurements of another run",
                remedy,
            )

    @property
    def values(self) -> Floats:
        """True f where each batch was measured, shape (T, K)."""
        return frozen_copy(np.stack([iteration.values for iteration in self.iterations]))

    @cached_property
    def simple_regret(self) -> Floats:
        """r_t^K, shape (T,)."""
        return read_only(regret.simple(-self._regrets, 0.0))

    @cached_property
    def running_minimum(self) -> Floats:
        """The least r_s^K for s <= t, shape (T,)."""
        return read_only(regret.running_minimum(-self._regrets, 0.0))

    @property
    def batch_cumulative_regret(self) -> Floats:
        """R_T^K, shape (T,)."""
        return regret.batch_cumulative(-self._regrets, 0.0)

    @property
    def full_cumulative_regret(self) -> Floats:
        """R_TK, shape (T,)."""
        return regret.full_cumulative(-self._regrets, 0.0)

    @property
    def _regrets(self) -> Floats:
        """r_t^(k), shape (T, K)."""
        return self.problem.regret(self.values)
