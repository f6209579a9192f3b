"""Step a view through a run, and record everything that changes on it.

The views are the dashboard's own. Nothing here knows what they draw: it asks their figures'
document which properties a step sets, and reads those at every event.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import panel as pn
from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, ModelChangedEvent
from bokeh.models import ColumnDataSource
from panel.io.state import set_curdoc

from ucbpe_app.components.draws import DrawTabs
from ucbpe_app.components.timeline import Timeline
from ucbpe_app.export.lesson.values import Values
from ucbpe_app.markup import Markup
from ucbpe_app.private.panel import Component, Region
from ucbpe_app.render.legends import Labels

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from bokeh.model import Model
    from panel.viewable import Viewable

_OF_COLUMN = {"classes": "css_classes", "styles": "styles", "visible": "visible"}
_OF_TIMELINE = sorted(set(Timeline.param) - set(pn.custom.JSComponent.param))
# Of each component its kind in the file, what can change in it, by the name there, and what stays.
_KINDS: dict[type, tuple[str, dict[str, str], Sequence[str]]] = {
    Timeline: ("timeline", {"items": "items", "status": "status"}, _OF_TIMELINE),
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
        node |= {name: getattr(component, attribute) for name, attribute in changing.items()}
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
