"""A picture as a value: axes, marks by role, labels, and the same in words.

`render` draws it, in a browser or in print. Two pictures are equal if all their values are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.support.validation import Floats

Size = Literal["step", "small", "present", "print"]
Place = Literal["end", "tip", "point", "title", "note", "axis", "corner", "inside"]
Palette = Literal["viridis", "magma", "cividis", "bound"]


class _Value:
    """Equality by value, for dataclasses that hold arrays."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            _same(getattr(self, attribute.name), getattr(other, attribute.name))
            for attribute in fields(self)  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype == right.dtype == object:
            return left.shape == right.shape and all(map(_same, left, right))
        exact = left.dtype.kind not in "fc"
        return left.shape == right.shape and np.array_equal(left, right, equal_nan=not exact)
    if isinstance(left, MappingProxyType):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    if is_dataclass(left):
        return left == right
    return bool(left == right)


@dataclass(frozen=True, eq=False)
class Mark(_Value):
    """What is drawn of one role of `styles.STYLES`: columns of equal length, read-only."""

    role: str
    columns: Mapping[str, np.ndarray]


def mark(role: str, **columns: ArrayLike) -> Mark:
    """A mark of these columns, which become read-only."""
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    for name, column in arrays.items():
        if column.flags.writeable:
            arrays[name] = column = column.view()
            column.flags.writeable = False
    return Mark(role, MappingProxyType(arrays))


def ragged(rows: Sequence[Floats]) -> np.ndarray:
    """A column whose entries are arrays of any lengths."""
    column = np.empty(len(rows), dtype=object)
    for i, row in enumerate(rows):
        column[i] = row
    return column


@dataclass(frozen=True)
class Label:
    """Text next to what it names, in the ink of a role.

    Attributes
    ----------
    text : a few words
    role : of `styles.STYLES`; "" for the ink of other text
    x, y : what it names, in the units of the axes
    place : right of the frame at the height y, right of (x, y), where a line ends ("tip"), next to
        this point, or around it; or above the frame, at its left ("title") or at its right
        ("note"); or as the name of the vertical axis left of a title ("axis"), or of the horizontal
        one ("corner")
    strong : whether it names what the event is about
    inks : instead of the role's, on light pages and on dark ones
    """

    text: str
    role: str = ""
    x: float = 0.0
    y: float = 0.0
    place: Place = "end"
    strong: bool = False
    inks: tuple[str, str] | None = None


@dataclass(frozen=True)
class Axis:
    """The range of an axis, and its ticks unless a renderer chooses them."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()

    def fraction(self, value: float) -> float:
        """How far along the axis a value is: 0 at its low end, 1 at its high end."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Colors:
    """The colours of values, from a low one to a high one, and the ticks of their scale, if any."""

    palette: Palette
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Plot(_Value):
    """Marks over one pair of axes, in no order: `PlotKind.roles` says what lies above what.

    `colors` are those of images, and of points whose role has the column "value".
    """

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...] = ()
    colors: Colors | None = None


@dataclass(frozen=True, eq=False)
class Picture(_Value):
    """One event, or one state of a chart.

    Attributes
    ----------
    kind : what it is a picture of
    plots : by the names of its kind's plots
    text : what it shows, for who cannot see it
    size : for what place it is drawn
    highlight : the role whose marks stand out, or ""
    """

    kind: Kind
    plots: Mapping[str, Plot]
    text: str
    size: Size = "step"
    highlight: str = ""


@dataclass(frozen=True, kw_only=True)
class PlotKind:
    """What is the same in all pictures of a kind, of one pair of axes.

    Attributes
    ----------
    name : accessible name
    roles : all that can be drawn, from the bottom up
    height : px, unless a page gives another
    borders : px around the frame: left, right, top, bottom
    x_ticks, y_ticks : about so many, where the picture names none; 0 for an axis that is not drawn
    grid : whether there are lines at the ticks of y
    rows : whether y names rows, and its axis has no line
    bar, bar_ticks : whether it has a scale of its colours, with ticks of the picture
    zoom : whether a person can pan and zoom
    press : whether a press on it is `RunKind.press`
    ends : whether labels of line ends have a column right of the frame where the plot is wide
    rare : roles that most pictures do not have, as those of layers that are off at first: a
        renderer makes what draws them when it has to, which costs four steps, so no step brings one
    """

    name: str
    roles: tuple[str, ...]
    height: int = 280
    borders: tuple[int, int, int, int] = (56, 8, 8, 8)
    x_ticks: int = 6
    y_ticks: int = 5
    grid: bool = True
    rows: bool = False
    bar: bool = False
    bar_ticks: bool = False
    zoom: bool = False
    press: bool = False
    ends: bool = True
    rare: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Kind:
    """What is the same in all pictures of a kind.

    Attributes
    ----------
    name : in class names and messages
    plots : from the top down
    shared : the axes, "x" or "y", and the roles that are the same in all plots which have them
    """

    name: str
    plots: Mapping[str, PlotKind]
    shared: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class RunKind(Kind):
    """A kind of picture of the events of a run.

    Attributes
    ----------
    draw : the function that draws it
    position : where candidates are in its figures, to be pointed at: columns x and y, shape (M,)
        each; without y the height of a place does not matter
    press : how the same event is to be drawn after a press on one of the plots
    reach : px from a place to the candidate that it means, at most
    """

    draw: Callable[[Scene, Frame, Request], Picture] = field(repr=False, kw_only=True)
    position: Callable[[Scene, Frame], tuple[Floats, Floats | None]] = field(
        repr=False, kw_only=True
    )
    press: Callable[[Scene, Frame, Request, str], Request] | None = field(
        default=None, repr=False, kw_only=True
    )
    reach: float = field(default=np.inf, kw_only=True)

    @property
    def whole(self) -> RunKind:
        """The kind with all its roles made at once: nothing can be added to a file."""
        plots = {name: replace(plot, rare=frozenset()) for name, plot in self.plots.items()}
        return replace(self, plots=MappingProxyType(plots))


@dataclass(frozen=True, kw_only=True, eq=False)
class Request:
    """How an event is to be drawn.

    Attributes
    ----------
    layers : what the person chose to see
    size : for what place
    pinned, pinned_label : the same event of another run, drawn behind, and its name
    pinned_scene : that run
    bounds : Theorem 1 as printed and as proved, (T,) each, drawn with the layer that shows them
    others : other runs and their events, which share the axes
    decision : the event whose region is drawn, where the event itself comes after it
    featured : the map that is drawn large, or "" for the one that the event is about
    pointed : the candidate that is marked, if any
    found, handle : whether the best place measured is ringed, as at the end of a lesson, and a
        measurement has arrows that say it can be dragged
    highlight : the role whose marks stand out, or ""
    locked : a picture whose axes are kept, whatever is drawn
    color : of picks where it says whose they are; their shape is the role everywhere
    """

    layers: Layers = field(default_factory=Layers)
    size: Size = "step"
    pinned: Frame | None = None
    pinned_label: str = ""
    pinned_scene: Scene | None = None
    bounds: tuple[Floats, Floats] | None = None
    others: tuple[tuple[Scene, Frame], ...] = ()
    decision: Frame | None = None
    featured: str = ""
    pointed: int | None = None
    found: bool = False
    handle: bool = False
    highlight: str = ""
    locked: Picture | None = None
    color: str = ""


def axis_of(request: Request, plot: str, axis: Literal["x", "y"], computed: Axis) -> Axis:
    """The axis of a locked picture, or else the one that was computed."""
    if request.locked is None:
        return computed
    locked: Axis = getattr(request.locked.plots[plot], axis)
    return locked


def padded(low: float, high: float, fraction: float) -> Axis:
    """The range widened at both ends by a fraction of it; one of no width becomes 2 wide."""
    pad = fraction * (high - low) or 1.0
    return Axis(low - pad, high + pad)


def shown(marks: Iterable[Mark | None]) -> tuple[Mark, ...]:
    """The marks that there are."""
    return tuple(entry for entry in marks if entry is not None)
