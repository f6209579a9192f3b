"""Two inputs: one large map of what an event is about, and small ones of the rest."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from ucbpe_app.pictures import joint, marks
from ucbpe_app.pictures.outline import Grid, edges
from ucbpe_app.pictures.picture import (
    Axis,
    Colors,
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
from ucbpe_app.pictures.scales import stepped
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.texts import earlier_picks, number, percentage, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Mark, Palette, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Floats

MAPS = ("truth", "mean", "upper", "std")  # in the order in which small ones stand
SLOTS = ("first", "second", "third")
MAXIMISED = {"ucb": "upper", "lp": "upper", "pe": "std", "init": "std"}  # by the role of a pick
_MARGIN = 0.04  # of the width, so that marks at the rim are whole
_MOST_DOTS, _FEWEST, _LARGEST = 240, 4.0, 14.0  # px of all dots in a row; of one, at least, at most
_SMALL = 0.4  # a small map's dots beside those of the large one


def field(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event: beside another run's, the large map alone."""
    one = _Field(scene, frame, request)
    large = one.arranged[0]
    plots = {"map": one.large(large)}
    if not request.others:
        plots |= {slot: one.small(name) for slot, name in zip(SLOTS, one.small_maps, strict=False)}
        plots["scale"] = one.scale("mean" if one.draw else large)
    highlight = "outline" if request.highlight == "region_plus" else ""
    kind = FIELD if scene.grid else SCATTERED
    return Picture(kind, MappingProxyType(plots), one.text, request.size, highlight)


def small_field(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The mean, in colours that hold those of all other runs."""
    one = _Field(scene, frame, request)
    lows, highs = zip(*(other.means for other in one.scenes), strict=True)
    colors = one.colors("viridis", min(lows), max(highs))
    plot = Plot(
        one.x,
        one.y,
        shown(
            [
                one.values(frame.mean),
                one.region("outline_small"),
                one.optimum if request.layers.truth else None,
                marks.data_over(scene, frame),
                marks.picks(frame.picks, *one.places, "picks_small", color=request.color),
            ]
        ),
        colors=colors,
    )
    return Picture(SMALL_FIELD, MappingProxyType({"small": plot}), one.text, request.size)


def press(scene: Scene, frame: Frame, request: Request, slot: str) -> Request:
    """Feature the map of a slot; the one that the event is about leaves the choice to events."""
    small = _Field(scene, frame, request).small_maps
    name = dict(zip(SLOTS, small, strict=False)).get(slot, "")
    return replace(request, featured="" if name == maximised(frame) else name)


def maximised(frame: Frame) -> str:
    """The map that an event is about: what its pick maximises, the bound that rules out, or μ."""
    if frame.event.kind is Event.REGION:
        return "upper"
    if frame.event.kind is not Event.PICK or frame.subject is None:
        return "mean"
    return MAXIMISED.get(frame.subject.role, "mean")


def _position(scene: Scene, frame: Frame) -> tuple[Floats, Floats]:
    x, y = scene.candidates.T
    return x, y


def _kind(
    values: tuple[str, ...],
    rare: tuple[str, ...],
    lines: tuple[str, ...],
    small_lines: tuple[str, ...],
) -> RunKind:
    """Maps whose values and whose outlines are drawn by these roles, `rare` ones at times."""
    small = PlotKind(
        name="Small map",
        roles=(*values, *small_lines, "picks_small", "pointed", "lit"),
        x_ticks=0,
        y_ticks=0,
        borders=(1, 1, 26, 1),
        grid=False,
        press=True,
    )
    large = PlotKind(
        name="Function",
        roles=(
            *values, *rare, *lines[:1], "pinned_over", *lines[1:], "picks_over", "ring",
            "data_over", "numbers", "pointed", "lit",
        ),
        height=400,
        borders=(40, 56, 26, 26),
        grid=False,
        bar=True,
        zoom=True,
        rare=frozenset({*rare, *lines[:1], "pinned_over"}),
    )  # fmt: skip
    scale = replace(small, name="Scale of the small maps", roles=(), press=False, bar=True)
    maps = {slot: replace(small, name=f"{slot.capitalize()} small map") for slot in SLOTS}
    return RunKind(
        "field",
        MappingProxyType({"map": large, **maps, "scale": replace(scale, borders=(0, 56, 26, 1))}),
        frozenset({"x", "y", *small_lines, "picks_small", "pointed"}),
        draw=field,
        position=_position,
        press=press,
    )


# Of a grid, and of candidates off a grid, which have no outlines.
FIELD = _kind(
    ("values", "veil"),
    ("draw", "told_prior", "told_over"),
    ("pinned_outline", "outline_region", "outline"),
    ("outline_small",),
)
SCATTERED = _kind(("dots", "veiled"), ("draw_dots",), (), ())
SMALL_FIELD = RunKind(
    "small-field",
    MappingProxyType(
        {
            "small": PlotKind(
                name="Mean",
                roles=("values", "dots", "outline_small", "data_over", "optimum", "picks_small"),
                height=220,
                borders=(30, 4, 4, 22),
                x_ticks=3,
                y_ticks=3,
                grid=False,
                zoom=True,
            )
        }
    ),
    draw=small_field,
    position=_position,
)


class _Field:
    """The maps of an event."""

    def __init__(self, scene: Scene, frame: Frame, request: Request) -> None:
        self.scene, self.frame, self.request = scene, frame, request
        self.grid = Grid.of(scene) if scene.grid else None
        self.x, self.y = self._axis("x", 0), self._axis("y", 1)
        self.places = _places(frame)

    @property
    def scenes(self) -> list[Scene]:
        """The run, and those beside."""
        return [self.scene, *(scene for scene, _ in self.request.others)]

    @cached_property
    def arranged(self) -> list[str]:
        """The maps, the large one first; the one that the event is about stands in its place."""
        maps = [one for one in MAPS if one != "truth" or self.request.layers.truth]
        about = maximised(self.frame)
        arranged = [about, *(one for one in maps if one != about)]
        if self.request.featured in maps:
            place = arranged.index(self.request.featured)
            arranged[0], arranged[place] = arranged[place], arranged[0]
        return arranged

    @cached_property
    def draw(self) -> tuple[Mark, str] | None:
        """One draw, which is large in place of a map, and its name."""
        return joint.one_draw(self.scene, self.frame, self.request, self._dot)

    @cached_property
    def told(self) -> list[Mark | None]:
        """Outlines of where f moves with the candidate pointed at."""
        return joint.correlated(self.scene, self.frame, self.request, self.grid)

    @property
    def small_maps(self) -> list[str]:
        """Those beside the large one."""
        return self.arranged[0 if self.draw else 1 :]

    @property
    def text(self) -> str:
        """All of it, for who cannot see it."""
        scene = self.scene
        return f"{scene.name}, over {scene.axes[0]} and {scene.axes[1]}. {self.frame.status}."

    def large(self, name: str) -> Plot:
        """A map with its axes, data and the names of picks."""
        scene, frame, request = self.scene, self.frame, self.request
        made = frame.picks
        draw, title = self.draw or (None, self._title(name))
        return Plot(
            self.x,
            self.y,
            shown(
                [
                    *(self._map(name, 1.0) if draw is None else [draw]),
                    *self.told,
                    *self._pinned,
                    self._region_lit,
                    self.region("outline"),
                    marks.picks(made, *self.places, "picks_over"),
                    marks.ring(made, *self.places),
                    marks.data_over(scene, frame),
                    marks.numbers(scene, made, *self.places, self.x),
                    self._pointed,
                    self._lit(name),
                ]
            ),
            (
                Label(title, "", place="title", strong=True),
                Label(self._note(short=request.size == "present"), "", place="note"),
                *self.axis_names,
            ),
            self._colors(name if draw is None else "mean"),
        )

    def small(self, name: str) -> Plot:
        """A map without axes, data and names."""
        return Plot(
            self.x,
            self.y,
            shown(
                [
                    *self._map(name, _SMALL),
                    self.region("outline_small"),
                    marks.picks(self.frame.picks, *self.places, "picks_small"),
                    self._pointed,
                    self._lit(name),
                ]
            ),
            (Label(self._short_title(name), "", place="title"),),
            self._colors(name),
        )

    def scale(self, large: str) -> Plot:
        """The colours of small maps that the large one does not have: those of f, or of std."""
        other = "mean" if large == "std" else "std"
        name = self.scene.output if other == "mean" else say("label.std")
        labels = (Label(name, "", place="title"),)
        return Plot(self.x, self.y, (), labels, self._colors(other))

    def values(self, values: Floats, share: float = 1.0) -> Mark:
        """Values over the candidates: an image of a grid, or else dots."""
        if self.grid is not None:
            return self.grid.image("values", values, np.float32)
        x, y = self.scene.candidates.T
        size = np.full(len(x), share * self._dot)
        return mark("dots", x=x, y=y, value=values, size=size)

    def region(self, role: str) -> Mark | None:
        """The outline of R+; off a grid there is none."""
        if self.grid is None:
            return None
        return self.grid.region_plus(role, self.scene, self.request.decision or self.frame)

    @property
    def optimum(self) -> Mark:
        """Where f is best."""
        return marks.optimum(*map(float, self.scene.candidates[self.scene.optimum_index]))

    @property
    def axis_names(self) -> tuple[Label, ...]:
        """The names of both inputs."""
        across, upwards = self.scene.axes[:2]
        return Label(upwards, "", place="axis"), Label(across, "", place="corner")

    def colors(self, palette: Palette, low: float, high: float) -> Colors:
        """Colours from low to high, or those of the same palette in a locked picture."""
        if self.request.locked is not None:
            held = (one.colors for one in self.request.locked.plots.values())
            for one in held:
                if one is not None and one.palette == palette:
                    return one
        return Colors(palette, low, high if high > low else low + 1)

    def _colors(self, name: str) -> Colors:
        """Those of the std, or of f with its mean and its bound, which share theirs."""
        pairs = [(self.scene, self.frame), *self.request.others]
        if name == "std":
            return self.colors("magma", 0.0, max(_largest_std(*one) for one in pairs))
        lows, highs = zip(*(_values(*one) for one in pairs), strict=True)
        return self.colors("viridis", min(lows), max(highs))

    def _axis(self, name: Literal["x", "y"], i: int) -> Axis:
        first = next(iter(self.request.locked.plots), "") if self.request.locked else ""
        ends = edges(np.unique(self.scene.candidates[:, i]))
        return axis_of(self.request, first, name, padded(*ends, _MARGIN))

    def _map(self, name: str, share: float) -> list[Mark | None]:
        """The values of a map, veiled where no pick can be made: of a grid, the std alone."""
        scene, frame = self.scene, self.frame
        given = {
            "truth": scene.truth, "mean": frame.mean, "std": frame.std_now,
            "upper": frame.mean + scene.sign * frame.sqrt_beta * frame.std_now,
        }  # fmt: skip
        return [self.values(given[name], share), self._veil(name, share)]

    def _veil(self, name: str, share: float) -> Mark | None:
        plus = self.frame.region_plus
        if plus is None:
            return None
        if self.grid is not None:
            return self.grid.image("veil", plus, np.uint8) if name == "std" else None
        x, y = self.scene.candidates[~plus].T
        return mark("veiled", x=x, y=y, size=np.full(len(x), share * self._dot + 1))

    @property
    def _dot(self) -> float:
        """Px of a candidate off a grid: together they fill much of the map."""
        return float(np.clip(_MOST_DOTS / np.sqrt(len(self.scene.candidates)), _FEWEST, _LARGEST))

    @property
    def _region_lit(self) -> Mark | None:
        """The outline of R, while a person points at its name."""
        if self.grid is None or self.request.highlight != "region":
            return None
        return self.grid.region("outline_region", self.scene, self.frame)

    @property
    def _pinned(self) -> list[Mark | None]:
        """The outline of R+ and the picks of a run behind."""
        if (behind := self.request.pinned) is None:
            return []
        x, y = _places(behind)
        markers = [marks.mark_of(pick.role).marker for pick in behind.picks]
        around = self.grid.region_plus("pinned_outline", self.scene, behind) if self.grid else None
        return [around, mark("pinned_over", x=x, y=y, marker=markers)]

    def _lit(self, name: str) -> Mark | None:
        """A frame around the map while a person points at its name."""
        if self.request.highlight != name:
            return None
        across, upwards = self.x, self.y
        ends = {"left": [across.low], "right": [across.high]}
        return mark("lit", **ends, bottom=[upwards.low], top=[upwards.high])

    @property
    def _pointed(self) -> Mark | None:
        index = self.request.pointed
        return None if index is None else marks.pointed(*map(float, self.scene.candidates[index]))

    def _title(self, name: str) -> str:
        """The name of the large map, with how it is made."""
        frame = self.frame
        if name == "std" and frame.event.kind is Event.PICK and frame.event.k:
            return say("label.std_after", **earlier_picks(frame.event.k))
        if name == "upper":
            which = "upper" if self.scene.sign > 0 else "lower"
            return say(f"label.{which}_bound.made", multiplier=number(frame.sqrt_beta))
        return self._short_title(name)

    def _short_title(self, name: str) -> str:
        if name == "upper":
            return say("label.upper_bound" if self.scene.sign > 0 else "label.lower_bound")
        return say(f"label.{name}")

    def _note(self, *, short: bool) -> str:
        """What the line is, and the crosses; and the name of a run behind."""
        plus, layers = self.frame.region_plus, self.request.layers
        if self.request.size != "print" and (layers.draws or layers.prior):
            return ""  # tabs are there
        if self.request.pointed is not None and self.scene.joint is not None:
            return say("label.told.outline" if self.told else "label.told.no_grid")
        parts = []
        if plus is not None and plus.all():
            parts.append(say("label.all"))
        elif plus is not None:
            name = "label.inside" if self.grid is not None else "label.unveiled"
            parts.append(say(name, share=percentage(plus)))
        if self.request.pinned is not None:
            parts.append(say("label.dotted", run=self.request.pinned_label))
        elif len(self.frame.observed) and not short:
            parts.append(say("label.measured"))
        return "; ".join(parts)


def _places(frame: Frame) -> tuple[Floats, Floats]:
    """Where the picks are, shape (K,) each."""
    x, y = np.array([pick.x for pick in frame.picks], float).reshape(-1, 2).T
    return x, y


def _largest_std(scene: Scene, frame: Frame) -> float:
    """The end of the scale of std: it fits the batch, and changes rarely, never within a batch."""
    return stepped(scene.largest_std, float(frame.std.max()))


def _values(scene: Scene, frame: Frame) -> tuple[float, float]:
    """The ends of the scale of f: they hold all means of the run, and the bound of this batch."""
    (low, high), (bottom, top) = scene.means, scene.values
    # The bound that an optimist goes by never lies on the other side of the means.
    if scene.sign > 0:
        return low, high + stepped(top - high, float(frame.upper.max()) - high)
    return low - stepped(low - bottom, low - float(frame.lower.min())), high
