"""Step a view through a run, and record everything that changes, as JSON and arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil, isfinite, log2
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, ModelChangedEvent
from bokeh.model import Model
from bokeh.models import ColumnDataSource
from panel.io.state import set_curdoc

from ucbpe_app.engine.parts import engine_parts, modules, named_parts, run_parts
from ucbpe_app.private.panel import Component, Region
from ucbpe_app.render.legends import Labels
from ucbpe_app.render.markup import Markup
from ucbpe_app.widgets.lesson import EndCard, LessonCard
from ucbpe_app.widgets.tabs import DrawTabs
from ucbpe_app.widgets.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator

    from bokeh.model import Model
    from panel.viewable import Viewable

    from ucbpe_app.files.layout import LessonPage
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers


_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
# A longer list of numbers is smaller as an array.
_MANY = 64
_ARRAY_KINDS = {
    "f4": "float32",
    "f8": "float64",
    "u1": "uint8",
    "i1": "int8",
    "i4": "int32",
    "i8": "int32",
}
# Steps of a picture's range: 16 for each of its 256 colours. Round numbers deflate to less.
_PICTURE_BITS = 12
_POINT_SHARE = 2.0**-20  # of the range of an array of points that its numbers may be off


class Values:
    """The distinct values of a recording, and its distinct arrays by number.

    Written as JSON, with ``{"array": number}`` for an array, ``{"map": [[key, value], ..]}`` for
    a dict, which is an object if its keys are texts, and ``{"number": "NaN"}`` for what JSON has
    no number for.
    """

    def __init__(self) -> None:
        self._arrays: list[np.ndarray] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._places: dict[Hashable, dict[str, int]] = {}
        self._latest: dict[Hashable, Any] = {}

    def put(self, values: list[Any], which: list[int], value: Any, key: Hashable) -> None:
        """Append to `which` the place of `value` in `values`, where it is put if it is new.

        `key` names the property whose values these are.
        """
        if which and value is self._latest.get(key):
            which.append(which[-1])
            return
        self._latest[key] = value
        encoded = self.encode(value)
        places = self._places.setdefault(key, {})
        place = places.setdefault(json.dumps(encoded), len(values))
        if place == len(values):
            values.append(encoded)
        which.append(place)

    def encode(self, value: Any) -> Any:
        """A value as JSON."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if isfinite(value) else {"number": _NAMES[str(value)]}
        if isinstance(value, np.ndarray):
            return {"array": self._number(value)}
        if isinstance(value, dict):
            return {"map": [[key, self.encode(item)] for key, item in value.items()]}
        if isinstance(value, list | tuple):
            if len(value) > _MANY and all(type(item) is float for item in value):
                return {"array": self._number(np.array(value))}
            return [self.encode(item) for item in value]
        raise TypeError(f"a lesson's file cannot hold a {type(value).__name__}")

    def pack(self) -> tuple[list[list[Any]], bytes]:
        """Type and shape of each array, and the numbers of all, one array after the other."""
        headers = [[_ARRAY_KINDS[array.dtype.str[1:]], array.shape] for array in self._arrays]
        return headers, b"".join(array.tobytes() for array in self._arrays)

    def _number(self, array: np.ndarray) -> int:
        """The number of an array, which is kept if it is new."""
        kind = array.dtype.str[1:]
        if array.dtype.byteorder == ">" or kind not in _ARRAY_KINDS:
            raise TypeError(f"a lesson's file cannot hold numbers of type {array.dtype}")
        key = kind, array.shape, sha256(np.ascontiguousarray(array).tobytes()).digest()
        if key not in self._numbers:
            self._numbers[key] = len(self._arrays)
            self._arrays.append(_kept(array))
        return self._numbers[key]


def _kept(array: np.ndarray) -> np.ndarray:
    """The array as the file has it: as good as what is drawn of it, in single precision."""
    if array.dtype.kind != "f":
        return array.astype(np.int32) if array.dtype == np.int64 else array
    finite = array[np.isfinite(array)].astype(float)
    span = float(np.ptp(finite)) if finite.size else 0.0
    if array.dtype == np.float32:
        quantum = 2.0 ** (ceil(log2(span)) - _PICTURE_BITS) if span else 0.0
        return (np.rint(array / quantum) * quantum).astype(np.float32) if quantum else array
    with np.errstate(over="ignore"):
        single = array.astype(np.float32)
    error = np.abs(single[np.isfinite(array)] - finite).max(initial=0.0)
    return single if error <= _POINT_SHARE * span else array


_OF_COLUMN = {"classes": "css_classes", "styles": "styles", "visible": "visible"}
_ASKED = frozenset({"ask", "gap"})  # have arrays, and are set at each event


def _own(component: type[Component]) -> list[str]:
    """The parameters that a component has of its own."""
    return sorted(set(component.param) - set(pn.custom.JSComponent.param) - _ASKED)


_OF_TIMELINE = {name: name for name in ("items", "status", "facts", *sorted(_ASKED))}
_OF_CARD = {name: name for name in ("paragraphs", "questions", "slug")}
_OF_END = {name: name for name in _own(EndCard)} | {"visible": "visible"}
# Of each component its kind in the file, what can change in it, by the name there, and what stays.
_KINDS: dict[type, tuple[str, dict[str, str], Sequence[str]]] = {
    Timeline: ("timeline", _OF_TIMELINE, _own(Timeline)),
    LessonCard: ("card", _OF_CARD, _own(LessonCard)),
    EndCard: ("ending", _OF_END, ()),
    Markup: ("html", {**_OF_COLUMN, "html": "object"}, ()),
    Labels: ("labels", {"classes": "css_classes", "items": "items"}, ["borders"]),
    DrawTabs: ("draws", {"classes": "css_classes"}, ["tabs"]),
    pn.Column: ("column", _OF_COLUMN, ()),
}


@dataclass(frozen=True)
class Track:
    """One property through a run: event i has value `which[i]` of those that occur."""

    target: dict[str, Any]
    values: list[Any]
    which: list[int]


@dataclass(frozen=True)
class Recording:
    """A run in a view.

    Attributes
    ----------
    tree : the components laid out, each with its kind, style sheets and children
    document : the figures as Bokeh writes them, roots in the order of the tree
    tracks : what changes, arrays by their number in `values`
    values : the arrays
    nodes : the components by their number in the tree
    """

    tree: dict[str, Any]
    document: dict[str, Any]
    tracks: tuple[Track, ...]
    values: Values
    nodes: tuple[Viewable, ...]


def record(
    root: Viewable,
    show: Callable[[int], None],
    total: int,
    progress: Callable[[int, int], None] | None = None,
    *,
    values: Values | None = None,
    computed: Sequence[Model] = (),
) -> Recording:
    """Call `show` twice for every event: to find what changes, and to record it.

    Parameters
    ----------
    root : what is on the page: columns, HTML, Bokeh figures and a timeline, in no other page
    show : draws event i, 0 <= i < `total`
    progress : called as progress(done, 2 * total); raising in it ends the recording
    values : those of other recordings in the same file, to which this one adds its own
    computed : sources whose columns are left empty, as the browser computes them

    Raises
    ------
    TypeError
        For a component of another kind: the file could not show it.
    """
    recorder = _Recorder(root, values or Values(), computed)
    # Panel would take the document of another thread's session for ours.
    with set_curdoc(Document()):
        for done in range(2 * total):
            show(done % total)
            if done >= total:
                recorder.note()
            if progress is not None:
                progress(done + 1, 2 * total)
        show(0)
    return recorder.recording()


class _Recorder:
    """Holds the figures in a separate document, which reports what is set in them."""

    def __init__(self, root: Viewable, values: Values, computed: Sequence[Model]) -> None:
        self._document, self._nodes, self._touched = Document(), list[Any](), dict[Any, None]()
        self._values, self._computed = values, frozenset(model.id for model in computed)
        self._tracks: dict[Hashable, Track] = {}
        self.tree = self._node(root)
        self._document.on_change(self._hear)

    def note(self) -> None:
        """Add the present state of everything that was seen to change."""
        for key, target, value in self._state():
            track = self._tracks.setdefault(key, Track(target, [], []))
            own = self._document, key  # a component's number is another's in another recording
            self._values.put(track.values, track.which, value, own)

    def recording(self) -> Recording:
        """What was recorded; what never changed is already in the tree and in the document."""
        changing = tuple(track for track in self._tracks.values() if len(track.values) > 1)
        for source in self._document.select({"type": ColumnDataSource}):
            if source.id in self._computed:
                source.data = dict.fromkeys(source.data, ())
        figures = json.loads(serialize_json(self._document.to_json(deferred=False)))
        return Recording(self.tree, figures, changing, self._values, tuple(self._nodes))

    def _hear(self, event: object) -> None:
        if isinstance(event, ColumnDataChangedEvent | ModelChangedEvent):
            self._touched[event.model, event.attr] = None

    def _state(self) -> Iterator[tuple[Hashable, dict[str, Any], Any]]:
        """Key, target and value of each property."""
        for model, attribute in self._touched:
            if model.id in self._computed:
                continue
            target = {"model": model.id, "name": attribute}
            if attribute == "data":  # by column: few of them change together
                for column, data in model.data.items():
                    yield (model.id, column), {**target, "column": column}, data
            else:
                yield (model.id, attribute, ""), target, getattr(model, attribute)
        for number, node in enumerate(self._nodes):
            for name, attribute in _kind(node)[1].items():
                target = {"node": number, "name": name}
                yield (number, name), target, getattr(node, attribute)

    def _node(self, component: Viewable) -> dict[str, Any]:
        """A component and its children."""
        if isinstance(component, pn.pane.Bokeh):
            return self._figure(component.object)
        number = len(self._nodes)
        self._nodes.append(component)
        kind, changing, fixed = _kind(component)
        own = component._stylesheets if isinstance(component, Component) else []
        node = {name: getattr(component, name) for name in fixed}
        node |= {
            name: getattr(component, attribute)
            for name, attribute in changing.items()
            if name not in _ASKED
        }
        node |= {"number": number, "kind": kind, "margin": _margin(component.margin)}
        node["sheets"] = [*own, *component.stylesheets]
        if isinstance(component, pn.Column):
            named = isinstance(component, Region)
            node["label"] = component.label if named else ""
            node["scrolls"] = named and component.scrolls
            node["children"] = [self._node(child) for child in component]
        return node

    def _figure(self, model: Model) -> dict[str, Any]:
        self._document.add_root(model)
        return {"kind": "figure", "root": len(self._document.roots) - 1}


def _kind(component: Viewable) -> tuple[str, dict[str, str], Sequence[str]]:
    for known, kind in _KINDS.items():
        if isinstance(component, known):
            return kind
    raise TypeError(f"a lesson's file cannot show {type(component).__name__}")


def _margin(margin: int | Sequence[int]) -> str:
    """Panel's margin as CSS has it."""
    return " ".join(f"{side}px" for side in ([margin] if isinstance(margin, int) else margin))


def live_parts(
    replay: Replay,
    page: LessonPage,
    recording: Recording,
    layers: Layers,
    hidden: Collection[str] = (),
) -> dict[str, Any]:
    """What a file holds beside the recording, as JSON; without the controls that are `hidden`.

    Errors are those of `require_computed`.
    """
    return {
        **with_asking(engine_parts(replay), page),
        **run_parts(replay, layers, hidden),
        **page_parts(page, recording),
        "modules": modules(),
    }


def with_asking(parts: dict[str, Any], page: LessonPage) -> dict[str, Any]:
    """The engine's parts with what is asked on a page, and when f is shown there."""
    return {**parts, "lexicon": {**parts["lexicon"], "asking": page.asking}}


def page_parts(page: LessonPage, recording: Recording) -> dict[str, Any]:
    """Where a page has what a run sets, and the figures in which a place can be measured."""
    return {
        "targets": targets(page, recording),
        "clickable": [figure.id for figure in getattr(page.main, "pointed", ())],
    }


def targets(page: LessonPage, recording: Recording) -> dict[str, Any]:
    """Where what the engine names is in the file: a model's id, or a component's number."""
    numbers = {id(node): number for number, node in enumerate(recording.nodes)}
    named = {"run": page.run, "settings": page.settings, "screen": page.panel}
    parts = {"tabs": page.tabs, "planeView": page.plane and page.plane.panel}
    named |= {name: part for name, part in parts.items() if part is not None}
    named |= named_parts(page.views)
    return {
        name: part.id if isinstance(part, Model) else numbers[id(part)]
        for name, part in named.items()
        if isinstance(part, Model) or id(part) in numbers
    }
