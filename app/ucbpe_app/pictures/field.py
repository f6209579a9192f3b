"""Two inputs: one large map of what an event is about, small ones of the rest, and their words."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures import joint, marks, on_request
from ucbpe_app.pictures.maps import Maps, places_of, position
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Colors, Label, Picture, Plot, PlotKind, RunKind, mark, shown
from ucbpe_app.pictures.plane_geometry import stepped
from ucbpe_app.run.events import Kind
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.texts import earlier_picks, number, percentage, say

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene


def map_title(scene: Scene, frame: Frame, name: str) -> str:
    """The name of a large map, with how it is made."""
    if name == "std" and frame.event.kind is Kind.PICK and frame.event.k:
        return say("label.std_after", **earlier_picks(frame.event.k))
    if name == "upper":
        which = "upper" if scene.sign > 0 else "lower"
        return say(f"label.{which}_bound.made", multiplier=number(frame.sqrt_beta))
    return short_title(scene, name)


def short_title(scene: Scene, name: str) -> str:
    """The name of a small map."""
    if name == "upper":
        return say("label.upper_bound" if scene.sign > 0 else "label.lower_bound")
    return say(f"label.{name}")


def outline_note(request: Request, *, outlined: bool) -> str:
    """What the outlines around a candidate are that a person points at."""
    if _has_tabs(request):
        return ""
    return say("label.told.outline" if outlined else "label.told.no_grid")


def map_note(
    scene: Scene, frame: Frame, request: Request, *, outlined: bool, compared: bool
) -> str:
    """What the lines are and the crosses, and the name of a run behind.

    Parameters
    ----------
    outlined : whether the region has a line; else dots outside it are veiled
    compared : whether there is another one, of R+ for comparison
    """
    inside, parts, which = frame.inside, list[str](), frame.which
    if _has_tabs(request):
        return ""
    if interval := on_request.map_note(scene, frame, request):
        return interval  # both have no room
    if inside is not None and inside.all():
        parts.append(say(f"label.all{which}"))
    elif inside is not None:
        name = "label.inside" if outlined else "label.unveiled"
        parts.append(say(f"{name}{which}", share=percentage(inside)))
    if request.pinned is not None:
        parts.append(say("label.dotted", run=request.pinned_label))
    elif compared:
        parts.append(say("label.dotted_plus"))
    elif len(frame.observed) and request.size != "present":
        parts.append(say("label.measured"))
    return "; ".join(parts)


def _has_tabs(request: Request) -> bool:
    """Whether the choice of a draw takes the place of the note."""
    return request.size != "print" and (request.layers.draws or request.layers.prior)


MAPS = ("truth", "mean", "upper", "std")  # in the order of the small ones
SLOTS = ("first", "second", "third")
MAXIMISED = {"ucb": "upper", "lp": "upper", "pe": "std", "init": "std"}  # by the role of a pick


def field(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The picture of an event: one large map, and small ones of the rest."""
    maps = _Field(scene, frame, request)
    large = maps.arranged[0]
    plots = {
        "map": maps.large(large),
        **{slot: maps.small(name) for slot, name in zip(SLOTS, maps.small_maps, strict=False)},
        "scale": maps.scale("mean" if maps.draw else large),
    }
    highlight = "outline" if request.highlight == "region_plus" else ""
    kind = FIELD if scene.grid else SCATTERED
    return Picture(kind, MappingProxyType(plots), maps.text, request.size, highlight)


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
        rare=frozenset({"pointed", "lit"}),
    )
    large = PlotKind(
        name="Function",
        roles=(
            *values, *rare, *lines[:1], "pinned_over", *lines[1:], "pending_over", "picks_over",
            "ring", "data_over", "bracket_over", "numbers", "bracket_name", "pointed", "lit",
        ),
        height=400,
        borders=(40, 56, 26, 26),
        grid=False,
        bar=True,
        zoom=True,
        rare=frozenset(
            {
                *rare, *lines[:2], "pinned_over", "pending_over", "bracket_over", "bracket_name",
                "pointed", "lit",
            }
        ),
    )  # fmt: skip
    scale = replace(small, name="Scale of the small maps", roles=(), press=False, bar=True)
    maps = {slot: replace(small, name=f"{slot.capitalize()} small map") for slot in SLOTS}
    return RunKind(
        "field",
        MappingProxyType({"map": large, **maps, "scale": replace(scale, borders=(0, 56, 26, 9))}),
        frozenset({"x", "y", *small_lines, "picks_small", "pointed"}),
        draw=field,
        position=position,
        press=press,
    )


# Of a grid, and of candidates off a grid, which have no outlines.
FIELD = _kind(
    ("values", "veil"),
    ("draw", "told_prior", "told_over"),
    ("pinned_outline", "outline_compared", "outline_region", "outline"),
    ("outline_small",),
)
SCATTERED = _kind(("dots", "veiled"), ("draw_dots",), (), ())


class _Field(Maps):
    """The maps of an event."""

    @cached_property
    def arranged(self) -> list[str]:
        """The maps, the large one first; the map that the event is about takes its place."""
        maps = [name for name in MAPS if name != "truth" or self.request.layers.truth]
        about = maximised(self.frame)
        arranged = [about, *(name for name in maps if name != about)]
        if self.request.featured in maps:
            place = arranged.index(self.request.featured)
            arranged[0], arranged[place] = arranged[place], arranged[0]
        return arranged

    @cached_property
    def draw(self) -> tuple[Mark, str] | None:
        """One draw, which is large in place of a map, and its name."""
        return joint.one_draw(self.scene, self.frame, self.request, self.dot)

    @cached_property
    def correlated(self) -> list[Mark | None]:
        """Outlines of where f moves with the candidate pointed at."""
        return joint.correlated(self.scene, self.frame, self.request, self.grid)

    @property
    def small_maps(self) -> list[str]:
        """The small maps, next to the large one."""
        return self.arranged[0 if self.draw else 1 :]

    def large(self, name: str) -> Plot:
        """A map with its axes, data and the names of picks."""
        scene, frame, request = self.scene, self.frame, self.request
        made, waiting = frame.picks, places_of(frame.pending)
        draw, title = self.draw or (None, map_title(scene, frame, name))
        return Plot(
            self.x,
            self.y,
            shown(
                [
                    *(self._map(name, 1.0) if draw is None else [draw]),
                    *self.correlated,
                    self._compared,
                    *self._pinned,
                    self._highlighted_region,
                    self.region("outline"),
                    marks.pending(frame, *waiting, "pending_over"),
                    marks.picks(made, *self.places, "picks_over"),
                    marks.ring(made, *self.places),
                    marks.data_over(scene, frame),
                    *on_request.map_marks(scene, frame, request, self.x),
                    marks.numbers(
                        [
                            *marks.pending_labels(frame, *waiting),
                            *marks.pick_labels(scene, made, *self.places),
                        ],
                        self.x,
                        self.y,
                    ),
                    self._pointed,
                    self._highlight(name),
                ]
            ),
            (
                Label(title, "", place="title", strong=True),
                Label(self._note, "", place="note"),
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
                    *self._map(name, GEOMETRY.small_dot),
                    self.region("outline_small"),
                    marks.picks(self.frame.picks, *self.places, "picks_small"),
                    self._pointed,
                    self._highlight(name),
                ]
            ),
            (Label(short_title(self.scene, name), "", place="title"),),
            self._colors(name),
        )

    def scale(self, large: str) -> Plot:
        """The colours of small maps that the large one does not have: those of f, or of std."""
        other = "mean" if large in ("std", "upper") else "std"
        name = self.scene.output if other == "mean" else say("label.std")
        labels = (Label(name, "", place="title"),)
        return Plot(self.x, self.y, (), labels, self._colors(other))

    def _colors(self, name: str) -> Colors:
        """Those of the std, of the bound, which is far from f at first, or of f and its mean."""
        if name == "std":
            return self.colors("magma", 0.0, _largest_std(self.scene, self.frame))
        if name == "upper":
            return self.colors("bound", *_bounds(self.scene, self.frame))
        return self.colors("viridis", *self.scene.means)

    def _map(self, name: str, fraction: float) -> list[Mark | None]:
        """The values of a map, veiled where no pick can be made: of a grid, the std alone."""
        scene, frame = self.scene, self.frame
        values = {
            "truth": scene.truth, "mean": frame.mean, "std": frame.std_now,
            "upper": frame.mean + scene.sign * frame.sqrt_beta * frame.std_now,
        }  # fmt: skip
        return [self.values(values[name], fraction), self._veil(name, fraction)]

    def _veil(self, name: str, fraction: float) -> Mark | None:
        inside = self.frame.inside
        if inside is not None and self.grid is not None and name == "std":
            return self.grid.image("veil", inside, np.uint8)
        return self.veiled(inside, fraction)

    @property
    def _highlighted_region(self) -> Mark | None:
        """The outline of R, while a person points at its name."""
        if self.grid is None or self.request.highlight != "region":
            return None
        return self.grid.region("outline_region", self.scene, self.frame)

    @property
    def _compared(self) -> Mark | None:
        """The outline of R+ where the policy has a region of its own."""
        if self.grid is None:
            return None
        return self.grid.compared("outline_compared", self.scene, self.frame)

    @property
    def _pinned(self) -> list[Mark | None]:
        """The outline of R+ and the picks of a run behind."""
        if (behind := self.request.pinned) is None:
            return []
        x, y = places_of(behind.picks)
        markers = [marks.mark_of(pick.role).marker for pick in behind.picks]
        around = self.grid.region_plus("pinned_outline", self.scene, behind) if self.grid else None
        return [around, mark("pinned_over", x=x, y=y, marker=markers)]

    def _highlight(self, name: str) -> Mark | None:
        """A frame around the map while a person points at its name."""
        if self.request.highlight != name:
            return None
        across, upwards = self.x, self.y
        ends = {"left": [across.low], "right": [across.high]}
        return mark("lit", **ends, bottom=[upwards.low], top=[upwards.high])

    @property
    def _note(self) -> str:
        """The note to the right of the title."""
        scene, frame, request = self.scene, self.frame, self.request
        if request.pointed is not None and scene.joint is not None:
            return outline_note(request, outlined=bool(self.correlated))
        outlined, compared = self.grid is not None, self._compared is not None
        return map_note(scene, frame, request, outlined=outlined, compared=compared)

    @property
    def _pointed(self) -> Mark | None:
        index = self.request.pointed
        return None if index is None else marks.pointed(*map(float, self.scene.candidates[index]))


def _largest_std(scene: Scene, frame: Frame) -> float:
    """The end of the scale of std: it fits R+, and changes rarely, never within a batch.

    Outside R+, under the veil, the std can be beyond it.
    """
    return stepped(scene.largest_std, frame.largest_std)


def _bounds(scene: Scene, frame: Frame) -> tuple[float, float]:
    """The ends of the scale of the bound: it holds every mean, and the bound of this batch."""
    (low, high), (bottom, top) = scene.means, scene.values
    # The bound that an optimist goes by never lies on the other side of the means.
    if scene.sign > 0:
        return low, high + stepped(top - high, float(frame.upper.max()) - high)
    return low - stepped(low - bottom, low - float(frame.lower.min())), high
