"""Frame and Scene: every array, number and sentence on screen, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.run.sentences import EventText

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.run.events import Event
    from ucbpe_app.run.joint import Joint
    from ucbpe_app.run.sentences import Line
    from ucbpe_core.gp.region import Certificate
    from ucbpe_core.policies import Explored
    from ucbpe_core.support.validation import Booleans, Floats, Integers


_NO_TEXT = EventText("", "", "", ())


@dataclass(frozen=True, eq=False)
class PickMark:
    """A pick of the batch on screen: x of shape (d,); `current` if this event makes it.

    `name` is what it is called, where that is not its number.
    """

    index: int
    number: int
    role: str
    std: float
    x: Floats
    current: bool
    name: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """One event, ready to draw. Arrays over candidates have shape (M,) and are read-only.

    Within a batch `mean`, `std`, `lower`, `upper`, `region` and `region_plus` are the same
    objects in every frame, so a view can skip what it has drawn already.

    Attributes
    ----------
    event, index : which of the run
    mean, std : of the posterior at batch start; after the measurements at an observe event
    lower, upper : mean -/+ sqrt_beta std
    std_now : std with the picks before this one hallucinated, std(k); `std` at fit
    std_before : std(k - 1), before this pick, or None where nothing was hallucinated yet
    y_dot, region, region_plus : None until the region event, and again once observed; of an
        experiment `region_plus` alone, where its policy does not pick inside R+
    explored : the region of its own that the policy explores, at its event and at a pick's
    compared : y. and R+ of GP-UCB-PE at the same batch start, wherever `explored` is there
    picks : those made so far in this batch, this event's included
    pending : picks of earlier decisions whose results are still to come, where these arrive one by
        one; at an observe event, after it
    group : the candidates that share what the picks of this batch share; None for no such
    subject : the pick that this event is about: the one it makes, the latest at the region event,
        that with the batch's best result at an observe event; None at fit
    observed, observed_y : candidates measured so far and the values, shape (n,)
    observed_x : where these are, (n, d), if not at the candidates; None: there
    changed, changed_y : candidates whose values were moved or left out, and as they were measured
    fresh : how many of them, at the end, this event has just measured
    beta, sqrt_beta, beta_next : of this batch
    values : (low, high) that holds the bands before and after this batch, the truth and the
        measurements so far: axes that fit the batch and stay still within it
    largest_std : at batch start, inside R+ if the policy has it: colours of the std fit it
    done : batches whose measurements are in
    certificate : what the band proves of the point with the greatest lower bound; None once the
        batch is observed, where the next one has another band
    stop : the certificate in words
    tell : the words of the event: plain ones or the field's, and whether f is secret
    """

    event: Event
    index: int = 0
    mean: Floats = field(repr=False)
    std: Floats = field(repr=False)
    lower: Floats = field(repr=False)
    upper: Floats = field(repr=False)
    std_now: Floats = field(repr=False)
    std_before: Floats | None = field(repr=False)
    y_dot: float | None
    region: Booleans | None = field(repr=False)
    region_plus: Booleans | None = field(repr=False)
    explored: Explored | None = None
    compared: tuple[float, Booleans] | None = field(default=None, repr=False)
    picks: tuple[PickMark, ...]
    pending: tuple[PickMark, ...] = ()
    group: Booleans | None = field(default=None, repr=False)
    subject: PickMark | None = None
    observed: Integers = field(repr=False)
    observed_y: Floats = field(repr=False)
    observed_x: Floats | None = field(default=None, repr=False)
    changed: tuple[int, ...] = ()
    changed_y: tuple[float, ...] = ()
    fresh: int = 0
    beta: float
    sqrt_beta: float
    beta_next: float
    values: tuple[float, float]
    largest_std: float
    done: int
    certificate: Certificate | None = None
    stop: str = ""
    tell: Callable[..., EventText] = field(default=lambda *_: _NO_TEXT, repr=False)

    @property
    def inside(self) -> Booleans | None:
        """The candidates in the region on show: the policy's own, R+, or else R."""
        if self.explored is not None:
            return self.explored.mask
        return self.region if self.region_plus is None else self.region_plus

    @property
    def which(self) -> str:
        """How the names of texts end that say which region that is: "" for R+."""
        if self.explored is not None:
            return "_own"
        return "_relevant" if self.region_plus is None and self.region is not None else ""

    @property
    def status(self) -> str:
        """Where we are, for the live region, in the field's words, as the next ones."""
        return self.tell(False).status

    @property
    def sentence(self) -> str:
        """Why this point."""
        return self.tell(False).sentence

    @property
    def lines(self) -> tuple[Line, ...]:
        """The algorithm, numbers filled in, the current line marked."""
        return self.tell(False).lines


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """What stays the same over a run: the axes and data that its frames are drawn on.

    Attributes
    ----------
    name : of the problem
    candidates, truth : points (M, d) and true values (M,)
    grid : shape of the regular grid in C order, or empty
    axes : names of the d inputs and of the output
    batches, batch_size : T and K
    noise_variance : that of the prior
    roles : those of the run's picks, in the order in which they first occur
    uses_region : whether picks are made inside R+, so that there is a region to show
    own_region : whether picks are made by a region of the policy's own
    optimum, optimum_index : f*, and the candidate that attains it
    means : (low, high), holding truth and every posterior mean
    values : (low, high), holding the band at every batch start
    largest_std : of the whole run
    simple, batch_cumulative, full_cumulative : regrets of the batches, shape (T,); empty where f is
        not known
    running : the least regret of all that was measured so far, initial points included, likewise
    certificates, certified : what the band bounds the regret of one point by at the start of each
        batch, and its true regret, shape (T,); empty likewise
    start : regret of the best initial point, if there is one; the batches do not count it
    results : the best measured value so far, at the start if there is one, and after each batch
    sign : 1, or -1 where f is minimised; all values are those of f itself
    joint : what the posterior says of several points together, for the layers that show it
    """

    name: str
    candidates: Floats = field(repr=False)
    truth: Floats = field(repr=False)
    grid: tuple[int, ...]
    axes: tuple[str, ...]
    batches: int
    batch_size: int
    noise_variance: float
    roles: tuple[str, ...]
    uses_region: bool
    optimum: float
    optimum_index: int
    means: tuple[float, float]
    values: tuple[float, float]
    largest_std: float
    simple: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    running: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    batch_cumulative: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    full_cumulative: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    certificates: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    certified: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    start: float | None = None
    results: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    sign: float = 1.0
    own_region: bool = False
    joint: Joint | None = field(default=None, repr=False)

    @cached_property
    def extents(self) -> Floats:
        """How far the candidates reach along each input, shape (d,)."""
        reach: Floats = np.ptp(self.candidates, axis=0)
        return reach

    @property
    def output(self) -> str:
        """What the values are: a function of one input says of which."""
        name = self.axes[-1]
        return f"f({self.axes[0]})" if name == "f" and self.dimension == 1 else name

    @property
    def dimension(self) -> int:
        return int(self.candidates.shape[1])


def best_measured(scene: Scene, frame: Frame) -> int:
    """The candidate measured so far, at least one, where f itself is best: the lowest of a tie."""
    measured = np.unique(frame.observed)
    return int(measured[np.argmax(scene.sign * scene.truth[measured])])
