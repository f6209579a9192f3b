"""An atlas of settings: results of complete runs, by lengthscale and by the scale c of beta.

Each cell is the run on screen with another lengthscale and c, on several seeds. The browser
computes the runs, see `pages.step.atlas`; here is what is asked for, and what has come of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.choices import ALONE
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.sentences.texts import number, percent, say
from ucbpe_core.errors import InputError
from ucbpe_core.gp.fitting import log_marginal_likelihood
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core.support.validation import Booleans, Floats

SIDE, SEEDS = 13, 3  # cells along each axis; runs of a cell
FACTOR = 5.0  # of lengthscales, each way
_SCALES = (1 / 300, 300**0.2)  # the least and the largest c: a cell has c = 1, the theory's
LEAST_REGRET = 1e-3  # what is less counts as this, for the colour
NEAR = 2.0  # nats below the largest likelihood
# Where the first runs are, of which the others take the colour until they are run: c = 1 and the
# lengthscale that the problem suggests are among them.
_FIRST_ROWS, _FIRST_COLUMNS = range(1, SIDE, 3), range(0, SIDE, 3)
REGRET, OUTSIDE, SHARE, WHOLE = range(4)  # the columns of `Atlas.runs`
_FINE, _COARSE, _MANY = 61, 25, 150  # lengthscales of a likelihood, and results for the coarse one

Cell = tuple[int, int]  # of a scale, from the least up, and of a lengthscale
Part = tuple[int, int, tuple[int, ...]]  # of a column: its number, the seed, the rows


@dataclass(frozen=True, eq=False)
class Atlas:
    """The cells, as far as they are run.

    Attributes
    ----------
    spec : the run whose lengthscale, scale and seed the cells change
    lengthscales, scales : of the cells, increasing, shape (SIDE,) each
    runs : the best regret of a run; batches at whose start f is outside its band; the share of X in
        the R+ of the last batch; batches whose R+ is all of X; shape (SIDE scales, SIDE
        lengthscales, SEEDS, 4), NaN where a run is missing
    """

    spec: RunSpec
    lengthscales: Floats
    scales: Floats
    runs: Floats

    @classmethod
    def of(cls, spec: RunSpec) -> Atlas:
        """The empty atlas around what the problem suggests, or around a run far from that."""
        prior = suggested(spec.problem)
        centre = prior["lengthscale"] if prior["kernel"] == spec.kernel else spec.lengthscale
        if not 1 / FACTOR < spec.lengthscale / centre < FACTOR:
            centre = spec.lengthscale
        empty = np.full((SIDE, SIDE, SEEDS, 4), np.nan)
        lengthscales = _middles(centre / FACTOR, centre * FACTOR)
        return cls(spec, lengthscales, _middles(*_SCALES), read_only(empty))

    def covers(self, spec: RunSpec) -> bool:
        """Whether these settings differ from a cell's by lengthscale and scale alone."""
        own = replace(self.spec, lengthscale=spec.lengthscale, scale=spec.scale)
        low, high = self.extent[0]
        return own == spec and low <= np.log10(spec.lengthscale) <= high

    @property
    def extent(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Logarithms to base 10 of the edges, of lengthscales and of scales."""
        return _edges(self.lengthscales), _edges(self.scales)

    def at(self, cell: Cell, seed: int = 0) -> RunSpec:
        """The settings of a run."""
        row, column = cell
        return replace(
            self.spec,
            lengthscale=float(self.lengthscales[column]),
            scale=float(self.scales[row]),
            seed=self.seeds[seed],
        )

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of the noise and of the initial points: that of the run on screen is the first."""
        return tuple((self.spec.seed + k) % 10_000 for k in range(SEEDS))

    def cell_of(self, lengthscale: float, scale: float) -> Cell:
        """The nearest cell."""
        ratios = (np.log(self.scales / scale), np.log(self.lengthscales / lengthscale))
        row, column = (int(np.argmin(np.abs(ratio))) for ratio in ratios)
        return row, column

    def filled(self, part: Part, runs: Floats) -> Atlas:
        """With the runs of a part of a column, shape (rows, 4)."""
        column, seed, rows = part
        changed = self.runs.copy()
        changed[list(rows), column, seed] = runs
        return replace(self, runs=read_only(changed))

    @property
    def missing(self) -> tuple[Part, ...]:
        """Runs to come, in parts of columns: a seed first, from the run on screen outwards.

        Of the first seed those are first that give a coarse picture of the whole.
        """
        _, here = self.cell_of(self.spec.lengthscale, self.spec.scale)
        columns = sorted(range(SIDE), key=lambda column: abs(column - here))
        first = [column for column in columns if column in _FIRST_COLUMNS]
        others = [column for column in columns if column not in first]
        between = [row for row in range(SIDE) if row not in _FIRST_ROWS]
        parts: list[tuple[int, int, Sequence[int]]]
        parts = [(column, 0, _FIRST_ROWS) for column in (*first, *others)]
        parts += [(column, 0, between) for column in columns]
        parts += [(column, seed, range(SIDE)) for seed in range(1, SEEDS) for column in columns]
        lacks = np.isnan(self.runs[:, :, :, REGRET])
        left = ((i, k, tuple(j for j in rows if lacks[j, i, k])) for i, k, rows in parts)
        return tuple(part for part in left if part[2])

    @property
    def left(self) -> int:
        """How many runs are to come."""
        return int(np.count_nonzero(np.isnan(self.runs[:, :, :, REGRET])))

    def mean(self, what: int) -> Floats:
        """Of the runs there are, shape (SIDE, SIDE); NaN for none. Batches are shares of T."""
        here = ~np.isnan(self.runs[:, :, :, what])
        counts = here.sum(axis=2)
        sums = np.where(here, self.runs[:, :, :, what], 0.0).sum(axis=2)
        per = self.spec.batches if what in (OUTSIDE, WHOLE) else 1
        return np.where(counts > 0, sums / np.maximum(counts, 1) / per, np.nan)

    def coarse(self, what: int) -> Floats:
        """The same, where a cell without a run has that of the nearest one with a run."""
        values = self.mean(what)
        known = np.argwhere(~np.isnan(values))
        if not len(known):
            return values
        apart = np.argwhere(np.isnan(values))
        nearest = known[((apart[:, None] - known) ** 2).sum(axis=2).argmin(axis=1)]
        values[tuple(apart.T)] = values[tuple(nearest.T)]
        return values

    @property
    def useless(self) -> Booleans:
        """Where R+ is all of X in every batch of every run, shape (SIDE, SIDE)."""
        whole: Booleans = self.mean(WHOLE) == 1
        return whole

    def said(self, cell: Cell) -> str:
        """The results of the runs of a cell."""
        if np.isnan(self.mean(REGRET)[cell]):
            return say("atlas.none")
        regret, outside, fraction = (self.mean(what)[cell] for what in (REGRET, OUTSIDE, SHARE))
        return say(
            "atlas.said",
            regret="@atlas.least" if regret <= LEAST_REGRET else number(regret),
            least=number(LEAST_REGRET),
            outside=percent(outside),
            kept="@atlas.whole" if self.useless[cell] else "@atlas.kept",
            share=percent(fraction),
            batches=self.spec.batches,
        )

    @property
    def warning(self) -> str:
        """The warning where the theory's beta excludes nothing: "" if it excludes something."""
        row, _ = self.cell_of(1.0, 1.0)
        at_one = self.useless[row]
        if not at_one.any():
            return ""
        run = int(np.isfinite(self.mean(WHOLE)[row]).sum())
        where = "" if at_one.sum() == run else f" at {at_one.sum()} of {run} lengthscales"
        batches = self.spec.batches
        return f"With c = 1, R⁺ is all of X in all {batches} batches{where}: it excludes nothing."


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log marginal likelihood of n results by lengthscale, less its largest value.

    Attributes
    ----------
    lengthscales, values : shape (m,) each
    near : the lengthscales next to the best at which it is `NEAR` less; NaN where that is outside
    """

    n: int
    lengthscales: Floats
    values: Floats

    @property
    def best(self) -> float:
        """The lengthscale of the largest value."""
        return float(self.lengthscales[np.argmax(self.values)])

    @property
    def near(self) -> tuple[float, float]:
        """Between the values, by straight lines over log lengthscales."""
        x, above = np.log(self.lengthscales), self.values + NEAR
        top = int(np.argmax(self.values))

        def crossing(order: range) -> float:
            for i, j in pairwise(order):
                if above[j] < 0:
                    return float(np.exp(np.interp(0.0, [above[j], above[i]], [x[j], x[i]])))
            return float("nan")

        return crossing(range(top, -1, -1)), crossing(range(top, len(x)))


def likelihood(atlas: Atlas, X: Floats, y: Floats) -> Likelihood | None:
    """Of results y (n,) at X (n, d), over the lengthscales of an atlas; None without results."""
    if not len(y):
        return None
    low, high = atlas.extent[0]
    scales = np.logspace(low, high, _FINE if len(y) <= _MANY else _COARSE)
    gps = (replace(atlas.spec, lengthscale=float(scale)).build_gp() for scale in scales)
    values = np.array([log_marginal_likelihood(gp, X, y) for gp in gps])
    return Likelihood(len(y), scales, values - values.max())


def require_lengthscale(spec: RunSpec) -> None:
    """Refuse a kernel that has no lengthscale."""
    if hasattr(spec.build_kernel(), "lengthscale"):
        return
    if hasattr(replace(spec, second=ALONE).build_kernel(), "lengthscale"):
        joined = f"{spec.kernel} {spec.second}"
        raise InputError("one kernel with one lengthscale", joined, "take the second kernel away")
    raise InputError("a kernel with a lengthscale", f"the kernel {spec.kernel}", "take another")


def _middles(low: float, high: float) -> Floats:
    """Of cells from one positive number to another, in equal ratios; three digits, as shown."""
    return read_only(np.array([float(f"{value:.3g}") for value in np.geomspace(low, high, SIDE)]))


def _edges(middles: Floats) -> tuple[float, float]:
    """The outer edges of cells, as logarithms to base 10."""
    first, last = np.log10(middles[0]), np.log10(middles[-1])
    half = (last - first) / (SIDE - 1) / 2
    return float(first - half), float(last + half)
