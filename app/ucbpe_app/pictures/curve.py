"""One input: the posterior with what is chosen on it, R and R+, and the standard deviation."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures import joint, marks
from ucbpe_app.pictures.picture import (
    Axis,
    Label,
    Picture,
    Plot,
    PlotKind,
    RunKind,
    axis_of,
    mark,
    padded,
    shown,
)
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.texts import at_least, number, percentage, pick_label, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_core.validation import Booleans, Floats, Integers

_X_PAD, _Y_PAD, _STD_PAD = 0.02, 0.06, 0.12  # of a range, so that no mark at its end is cut
_STRIPS = {"region_plus": (0.12, 0.88), "region": (1.12, 1.88)}  # where each lies, from below
_ROWS = Axis(0.0, 2.0, ((0.5, "R⁺"), (1.5, "R")))
_BRACKET = (0.2, 0.8)  # of the room beside the last candidate
_WIDEST = 2.0  # times the multiplier of the narrowest band
_ALIKE = 5.0  # between the multipliers of bands that share an axis
_LOWER_EDGE = 0.045  # of the height: the strip of R+ in a small picture
_FEW = 2  # picks that a label can name
_OLD, _FRESH = 11, 13  # px across a cross


def curve(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event of a run over one input."""
    one = _Curve(scene, frame, request)
    regions = {"region": one.regions} if scene.uses_region else {}
    return Picture(
        CURVE,
        MappingProxyType({"function": one.function, **regions, "std": one.deviation}),
        f"{scene.name}, over {scene.axes[0]}. {frame.tell(request.layers.plain).status}.",
        request.size,
        "band" if request.highlight == "upper" else request.highlight,
    )


def small_curve(scene: Scene, frame: Frame, request: Request) -> Picture:
    """A run after a batch, beside others on the same axes: no std, and R+ along the lower edge."""
    along = Candidates.of(scene)
    y = axis_of(request, "small", "y", _common_values(scene, frame, request))
    decision = request.decision or frame
    picks = marks.picks(
        [replace(pick, current=True) for pick in frame.picks],
        [float(pick.x[0]) for pick in frame.picks],
        pick_heights(scene, frame),
        color=request.color,
    )
    strip = along.intervals(
        "allowed", decision.region_plus, y.low, y.low + _LOWER_EDGE * (y.high - y.low)
    )
    plot = Plot(
        along.axis,
        y,
        shown(
            [
                *posterior_marks(scene, frame, along, truth=request.layers.truth),
                data_marks(scene, replace(frame, fresh=0))[0],
                strip,
                picks,
            ]
        ),
        (
            Label(scene.axes[-1], "", place="title"),
            Label(scene.axes[0], "", place="corner"),
        ),
    )
    text = f"{scene.name}, over {scene.axes[0]}. {frame.tell(request.layers.plain).status}."
    return Picture(SMALL_CURVE, MappingProxyType({"small": plot}), text, request.size)


def share_axis(one: Frame, other: Frame) -> bool:
    """Whether the bands of two runs can be seen on the same axis."""
    narrow, wide = sorted((one.sqrt_beta, other.sqrt_beta))
    return wide <= _ALIKE * narrow


def _common_values(scene: Scene, frame: Frame, request: Request) -> Axis:
    """The range of f that holds all runs whose bands are alike.

    Of a band more than twice as many stds wide as the narrowest, only so much. One that is much
    wider, as GP-BUCB's, has an axis of its own: it would press the others flat.
    """
    frames = [frame, *(one for _, one in request.others if share_axis(frame, one))]
    widest = _WIDEST * min(one.sqrt_beta for one in frames)
    low, high = float(scene.truth.min()), float(scene.truth.max())
    for one in frames:
        half = min(one.sqrt_beta, widest) * one.std
        low = min(low, float((one.mean - half).min()), *one.observed_y)
        high = max(high, float((one.mean + half).max()), *one.observed_y)
    return padded(low, high, _Y_PAD)


CURVE = RunKind(
    "curve",
    MappingProxyType(
        {
            "function": PlotKind(
                name="Function",
                roles=(
                    "pinned", "pinned_picks", "band", "draws", "noisy", "updated", "truth", "mean",
                    "y_dot", "bracket", "guide", "as_measured", "data", "fresh", "picks", "pointed",
                ),
                x_ticks=0,
                borders=(56, 8, 24, 4),
                rare=frozenset({"draws", "noisy", "pinned", "pinned_picks"}),
            ),
            "region": PlotKind(
                name="Relevant region",
                roles=("strip", "region", "region_plus", "guide"),
                height=44,
                x_ticks=0,
                grid=False,
                borders=(56, 8, 2, 2),
            ),
            "std": PlotKind(
                name="Standard deviation",
                roles=("guide", "before", "told", "outside", "std", "picks", "pointed"),
                height=168,
                y_ticks=3,
                borders=(56, 8, 22, 24),
                rare=frozenset({"told"}),
            ),
        }
    ),
    frozenset({"x"}),
    draw=curve,
    position=lambda scene, frame: (scene.candidates[:, 0], None),
)  # fmt: skip


SMALL_CURVE = RunKind(
    "small-curve",
    MappingProxyType(
        {
            "small": PlotKind(
                name="Function",
                roles=("band", "truth", "mean", "data", "allowed", "picks"),
                borders=(44, 8, 22, 24),
            )
        }
    ),
    draw=small_curve,
    position=lambda scene, frame: (scene.candidates[:, 0], None),
)


class Candidates(NamedTuple):
    """The candidates of one input, sorted.

    Attributes
    ----------
    order : their indices, shape (M,)
    x : their places, sorted
    edges : where each ends and the next begins, shape (M + 1,)
    """

    order: Integers
    x: Floats
    edges: Floats

    @classmethod
    def of(cls, scene: Scene) -> Candidates:
        """Those of a run."""
        along = scene.candidates[:, 0]
        order = np.argsort(along, kind="stable")
        return cls(order, along[order], cell_edges(along[order]))

    @property
    def axis(self) -> Axis:
        """The range that shows every candidate's cell."""
        return padded(float(self.edges[0]), float(self.edges[-1]), _X_PAD)

    def intervals(self, role: str, mask: Booleans | None, low: float, high: float) -> Mark | None:
        """The runs of a mask over the candidates, as bars between two heights."""
        if mask is None:
            return None
        steps = np.diff(mask[self.order].astype(np.int8), prepend=0, append=0)
        left, right = self.edges[:-1][steps[:-1] == 1], self.edges[steps == -1]
        heights = {"bottom": np.full(len(left), low), "top": np.full(len(left), high)}
        return mark(role, left=left, right=right, **heights)


def cell_edges(x: Floats) -> Floats:
    """Where each sorted candidate (M,) ends and the next begins: halfway, shape (M + 1,)."""
    if len(x) == 1:
        return np.array([x[0] - 0.5, x[0] + 0.5])
    middle = (x[:-1] + x[1:]) / 2
    return np.concatenate(([2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]))


def posterior_marks(scene: Scene, frame: Frame, along: Candidates, *, truth: bool) -> list[Mark]:
    """Band, mean, and true f if it is shown."""
    x, order = along.x, along.order
    known = [mark("truth", x=x, y=scene.truth[order])] if truth else []
    return [
        mark("band", x=x, lower=frame.lower[order], upper=frame.upper[order]),
        mark("mean", x=x, y=frame.mean[order]),
        *known,
    ]


def data_marks(scene: Scene, frame: Frame) -> list[Mark]:
    """What is measured; what this event measured is larger, in a ring."""
    x, y = scene.candidates[frame.observed, 0], frame.observed_y
    n, old = len(x), len(x) - frame.fresh
    size = np.repeat([_OLD, _FRESH], [old, n - old])
    return [mark("data", x=x, y=y, size=size), mark("fresh", x=x[old:], y=y[old:])]


class _Curve:
    """The three plots of an event."""

    def __init__(self, scene: Scene, frame: Frame, request: Request) -> None:
        self.scene, self.frame, self.request = scene, frame, request
        self.along = Candidates.of(scene)
        self.pick_x = [float(pick.x[0]) for pick in frame.picks]
        tops = joint.tops(scene, frame, request)
        self.heights = tops or pick_heights(scene, frame)
        self.x = axis_of(request, "function", "x", self.along.axis)

    def _say(self, name: str, **facts: object) -> str:
        """A text in the words of the request."""
        return say(name, plain=self.request.layers.plain, **facts)

    @property
    def function(self) -> Plot:
        """The posterior, and what is chosen and measured on it."""
        scene, frame, layers = self.scene, self.frame, self.request.layers
        half = frame.sqrt_beta * np.sqrt(frame.std**2 + scene.noise_variance)
        drawn, names = joint.lines(scene, frame, self.request)
        y_dot = None if frame.y_dot is None else mark("y_dot", y=[frame.y_dot])
        return Plot(
            self.x,
            axis_of(self.request, "function", "y", self._values),
            shown(
                [
                    *self._pinned,
                    *posterior_marks(scene, frame, self.along, truth=layers.truth),
                    drawn,
                    self._around("noisy", half) if layers.noisy else None,
                    self._around("updated", frame.sqrt_beta * frame.std_now)
                    if self._updated
                    else None,
                    y_dot,
                    self._bracket,
                    self._guide,
                    self._as_measured,
                    *data_marks(scene, frame),
                    marks.picks(frame.picks, self.pick_x, self._unmeasured),
                    self._pointed(frame.mean),
                ]
            ),
            (
                *self._line_labels,
                *names,
                *marks.pick_labels(scene, frame.picks, self.pick_x, self.heights),
            ),
        )

    @property
    def regions(self) -> Plot:
        """R and R+ as strips."""
        frame, along = self.frame, self.along
        rows = {"region": frame.region, "region_plus": frame.region_plus}
        strips = [along.intervals(role, mask, *_STRIPS[role]) for role, mask in rows.items()]
        low, high = zip(*_STRIPS.values(), strict=True)
        ends = {"left": [along.edges[0]] * 2, "right": [along.edges[-1]] * 2}
        ground = mark("strip", **ends, bottom=low, top=high)
        # Once the results are in, there is none to wait for in this batch.
        rows = {} if frame.event.kind is Event.OBSERVE else rows
        labels = (self._strip_label(role, mask) for role, mask in rows.items())
        named = tuple(label for label in labels if label.text)
        return Plot(self.x, _ROWS, shown([ground, *strips, self._guide]), named)

    def _strip_label(self, role: str, mask: Booleans | None) -> Label:
        name = f"label.{role}" if mask is not None else f"label.{role}.unknown"
        text = self._say(name, share="" if mask is None else percentage(mask))
        return Label(text, "" if mask is None else role, 0, sum(_STRIPS[role]) / 2)

    @property
    def deviation(self) -> Plot:
        """The std: strong where a pick can be made, and before this pick."""
        frame, (order, x, _) = self.frame, self.along
        inside = frame.region_plus
        now = frame.std_now if inside is None else np.where(inside, frame.std_now, np.nan)
        before = frame.std_before
        told, told_labels = joint.told(self.scene, frame, self.request)
        stds = [pick.std for pick in frame.picks]
        return Plot(
            self.x,
            axis_of(self.request, "std", "y", self._stds),
            shown(
                [
                    self._guide,
                    None if before is None else mark("before", x=x, y=before[order]),
                    told,
                    mark("outside", x=x, y=frame.std_now[order]),
                    mark("std", x=x, y=now[order]),
                    marks.picks(frame.picks, self.pick_x, stds),
                    self._pointed(frame.std_now),
                ]
            ),
            (
                Label(self._std_title, "", place="title"),
                Label(self.scene.axes[0], "", place="corner"),
                *self._std_labels,
                *told_labels,
            ),
        )

    @property
    def _frames(self) -> list[Frame]:
        """The event, and those of the runs beside."""
        return [self.frame, *(frame for _, frame in self.request.others)]

    @property
    def _values(self) -> Axis:
        """The range of f: it fits the batch, and stays still within it."""
        pinned = self.request.pinned
        frames = [*self._frames, *([pinned] if pinned else [])]
        noise = self.scene.noise_variance if self.request.layers.noisy else 0.0
        # sqrt(std^2 + noise) <= std + sqrt(noise).
        margin = self.frame.sqrt_beta * float(np.sqrt(noise))
        drawn = joint.reach(self.scene, self.frame, self.request)
        lows, highs = zip(*(one.values for one in frames), *drawn, strict=True)
        return padded(min(lows) - margin, max(highs) + margin, _Y_PAD)

    @property
    def _stds(self) -> Axis:
        """The range of the standard deviation, which fits the batch."""
        largest = max(one.largest_std for one in self._frames) or 1.0
        return Axis(-_STD_PAD / 2 * largest, (1 + _STD_PAD) * largest)

    @property
    def _pinned(self) -> list[Mark]:
        """Mean, edges of the band, and picks of a run behind."""
        if (behind := self.request.pinned) is None:
            return []
        curves = [one[self.along.order] for one in (behind.mean, behind.lower, behind.upper)]
        x, y = joined(self.along.x, *curves)
        return [
            mark("pinned", x=x, y=y),
            mark(
                "pinned_picks",
                x=np.array([float(pick.x[0]) for pick in behind.picks]),
                y=np.array(pick_heights(self.scene, behind)),
                marker=[marks.mark_of(pick.role).marker for pick in behind.picks],
            ),
        ]

    def _around(self, role: str, half: Floats) -> Mark:
        """Both edges of mean ± half."""
        mean, order = self.frame.mean, self.along.order
        x, y = joined(self.along.x, (mean - half)[order], (mean + half)[order])
        return mark(role, x=x, y=y)

    @property
    def _bracket(self) -> Mark | None:
        """From y. to the greatest upper bound, beside the last candidate."""
        found = self.frame.certificate
        if found is None or not self.request.layers.stop:
            return None
        last, end = float(self.along.edges[-1]), self.along.axis.high
        left, right = (last + share * (end - last) for share in _BRACKET)
        ends = [found.bound] * 2 + [found.extreme] * 2
        return mark("bracket", x=[left, right, right, left], y=ends)

    @cached_property
    def _guide(self) -> Mark:
        """Where the pick is that this event makes."""
        return mark("guide", x=[float(pick.x[0]) for pick in self.frame.picks if pick.current])

    @property
    def _updated(self) -> bool:
        """Whether picks are counted in the standard deviation and not yet in the band."""
        return self.frame.std_before is not None and self.frame.event.kind is not Event.OBSERVE

    @property
    def _unmeasured(self) -> Sequence[float]:
        """Heights of the picks: none once their measurements are there instead."""
        observed = self.frame.event.kind is Event.OBSERVE
        return [np.nan] * len(self.frame.picks) if observed else self.heights

    @property
    def _as_measured(self) -> Mark | None:
        """The values of measurements that were moved or left out."""
        if not self.frame.changed:
            return None
        x = self.scene.candidates[list(self.frame.changed), 0]
        return mark("as_measured", x=x, y=self.frame.changed_y)

    def _pointed(self, heights: Floats) -> Mark | None:
        index = self.request.pointed
        if index is None:
            return None
        return marks.pointed(float(self.scene.candidates[index, 0]), float(heights[index]))

    @property
    def _line_labels(self) -> list[Label]:
        """The names of the lines, at their ends, and of the axis."""
        scene, frame, layers = self.scene, self.frame, self.request.layers
        last, multiplier = self.along.order[-1], number(frame.sqrt_beta)
        mean, upper = float(frame.mean[last]), float(frame.upper[last])
        labels = [
            Label(scene.axes[-1], "", place="title"),
            Label(self._say("label.mean"), "mean", y=mean),
            Label(self._say("label.band", multiplier=multiplier), "band", y=(mean + upper) / 2),
        ]
        if layers.truth:
            labels.append(Label(self._say("label.truth"), "truth", y=float(scene.truth[last])))
        if layers.noisy:
            labels.append(Label(self._say("label.noisy"), "noisy", y=upper))
        if self._updated:
            edge = mean + frame.sqrt_beta * float(frame.std_now[last])
            taken = _named(counted(frame))
            labels.append(Label(self._say("label.updated", picks=taken), "updated", y=edge))
        if frame.y_dot is not None:
            name = "label.y_dot" if scene.sign > 0 else "label.y_dot.minimize"
            text = self._say(name, y_dot=at_least(frame.y_dot, scene.sign))
            labels.append(Label(text, "y_dot", y=frame.y_dot))
        if (found := frame.certificate) is not None and layers.stop:
            text = say("label.bracket", bound=at_least(found.regret, -1.0))
            labels.append(Label(text, "bracket", y=(found.bound + found.extreme) / 2))
        if (behind := self.request.pinned) is not None:
            labels.append(Label(self.request.pinned_label, "pinned", y=float(behind.mean[last])))
        return labels

    @property
    def _std_title(self) -> str:
        frame = self.frame
        parts = []
        if frame.std_before is not None and (taken := counted(frame)):
            parts.append(self._say("label.before", pick=pick_label(taken[-1].number)))
        if frame.region_plus is not None and not frame.region_plus.all():
            parts.append(self._say("label.outside"))
        return self._say("label.std") + (f" ({'; '.join(parts)})" if parts else "")

    @property
    def _std_labels(self) -> list[Label]:
        return [
            Label(
                f"{pick_label(pick.number)}: {number(pick.std)}", pick.role, float(pick.x[0]),
                pick.std, "point", strong=True,
            )
            for pick in self.frame.picks
            if pick.current
        ]  # fmt: skip


def joined(x: Floats, *curves: Floats) -> tuple[Floats, Floats]:
    """Several curves over x, shape (M,) each, as one line that NaN breaks."""
    gap = np.full(1, np.nan)
    xs = [part for _ in curves for part in (x, gap)][:-1]
    ys = [part for curve in curves for part in (curve, gap)][:-1]
    return np.concatenate(xs), np.concatenate(ys)


def pick_heights(scene: Scene, frame: Frame) -> list[float]:
    """Where picks are in the posterior: at their values once these are measured."""
    if frame.fresh and frame.picks:
        measured: list[float] = frame.observed_y[-frame.fresh :].tolist()
        return measured
    return [_height(scene, frame, pick) for pick in frame.picks]


def _height(scene: Scene, frame: Frame, pick: PickMark) -> float:
    """A star at the bound that it is best in, the others at the mean."""
    mean = float(frame.mean[pick.index])
    # Its std is that of its own moment: for later UCB picks of a batch, not the band's.
    bound = scene.sign * frame.sqrt_beta * pick.std
    return mean + bound if pick.role == "ucb" else mean


def _named(picks: Sequence[PickMark]) -> str:
    """Their names, of three or more the first and the last."""
    names = [pick_label(pick.number) for pick in picks]
    return ", ".join(names) if len(names) <= _FEW else f"{names[0]} … {names[-1]}"


def counted(frame: Frame) -> Sequence[PickMark]:
    """The picks that the present std counts as measured."""
    if frame.event.kind is Event.PICK:
        return [pick for pick in frame.picks if not pick.current]
    return frame.picks
