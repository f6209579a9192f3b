"""A recording holds every event as the dashboard's views draw it, whichever event is next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import panel as pn
from bokeh.model import Model

from tests.app.files.unpacking import decoded, unpacked
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.files.recording import Recording, Values, record
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.cache import Bounds
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers

LAYERS = Layers(noisy=True, log=True, bounds=True)
# A picture has 2^12 steps, and 256 colours; a point is in single precision; a list is as it is.
SHARE = 2.0**-12


def bounds_of(replay: Replay) -> Bounds:
    rising = np.arange(1.0, len(replay.trace.decisions) + 1)
    return Bounds(3 * rising, 7 * rising)


def lesson_page_of(replay: Replay) -> LessonPage:
    return LessonPage(replay, LAYERS, None, bounds_of(replay))


def recorded(replay: Replay) -> Recording:
    lesson_page = lesson_page_of(replay)
    return record(lesson_page.panel, lesson_page.show, len(replay.events))


def figures(panel: pn.Column) -> list[Model]:
    """Every Bokeh model of a page, in the order in which they were made."""
    panes = panel.select(pn.pane.Bokeh)
    models = {model for pane in panes for model in pane.object.references()}
    return sorted(models, key=lambda model: int(model.id.removeprefix("p")))


def components(panel: Any) -> Iterator[Any]:
    """What is laid out besides figures, from the outside inwards."""
    if isinstance(panel, pn.pane.Bokeh):
        return
    yield panel
    for one in panel if isinstance(panel, pn.Column) else ():
        yield from components(one)


def same(ours: Any, theirs: Any) -> bool:
    """Equal, or as near as a recording keeps numbers."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(theirs, np.ndarray):
        if np.shape(ours) != theirs.shape:
            return False
        span = float(np.ptp(np.nan_to_num(theirs))) if theirs.size else 0.0
        return np.allclose(ours, theirs, rtol=1e-12, atol=SHARE * span, equal_nan=True)
    if isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float) and theirs != theirs:
        return ours != ours
    return ours == theirs


def test_every_event_in_any_order(any_run: Replay) -> None:
    recording, twin = recorded(any_run), lesson_page_of(any_run)
    arrays = unpacked(*recording.values.pack())
    originals = {model["id"]: model for model in _models(recording.document)}
    models = dict(zip(_numbered(originals), figures(twin.panel), strict=True))
    nodes = list(components(twin.panel))
    order = np.random.default_rng(0).permutation(len(any_run.events)).tolist()
    for index in [*order, 0, len(any_run.events) - 1]:
        twin.show(index)
        for track in recording.tracks:
            if _is_hidden(models.get(track.target.get("model")), track.target["name"]):
                continue
            value = decoded(track.values[track.which[index]], arrays)
            target = track.target
            if "model" in target:
                expected = getattr(models[target["model"]], target["name"])
                expected = expected[target["column"]] if "column" in target else expected
            else:
                names = {"classes": "css_classes", "html": "object"}
                expected = getattr(nodes[target["node"]], names.get(target["name"], target["name"]))
            assert same(value, expected), (any_run.events[index], target, value, expected)


def test_each_component_has_the_style_sheets_that_it_has_on_the_page(field: Replay) -> None:
    lesson_page, found = lesson_page_of(field), dict[int, list[str]]()

    def collect(node: dict[str, Any]) -> None:
        found[node.get("number", -1)] = node.get("sheets", [])
        for one in node.get("children", []):
            collect(one)

    recording = record(lesson_page.panel, lesson_page.show, len(field.events))
    collect(recording.tree)
    styled = {i: list(one.stylesheets) for i, one in enumerate(recording.nodes) if one.stylesheets}
    assert len(styled) > 3
    assert {i: found[i][-len(sheets) :] for i, sheets in styled.items()} == styled


def test_little_is_recorded_twice(field: Replay) -> None:
    recording = recorded(field)
    pictures = [header for header in recording.values.pack()[0] if tuple(header[1]) == (101, 101)]
    # Of a batch: its mean, K - 1 hallucinated stds, the upper bound of each of these and two
    # at least for its own, R+; and the belief at the end.
    T, K = len(field.trace.decisions), field.trace.policy.batch_size
    assert len(pictures) <= T * (1 + 2 * K + 2 + 1) + 3


def _is_hidden(model: Model | None, name: str) -> bool:
    """Whether it is a property that a view does not set while it hides the line."""
    return model is not None and name != "visible" and not getattr(model, "visible", True)


def _models(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Every model in a document as Bokeh writes it: an object with a type, a name and an id."""
    found: list[dict[str, Any]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("type") == "object" and "id" in value and "name" in value:
                found.append(value)
            for one in value.values():
                walk(one)
        elif isinstance(value, list):
            for one in value:
                walk(one)

    walk(document["roots"])
    return found


def _numbered(names: Any) -> list[str]:
    return sorted(names, key=lambda name: int(name.removeprefix("p")))


def test_two_recordings_in_one_file_have_their_own_texts() -> None:
    values = Values()
    for texts in (["a", "b"], ["b", "c", "a"]):
        pane = Markup()
        panel = pn.Column(pane)

        def show(i: int, pane: Markup = pane, texts: list[str] = texts) -> None:
            pane.object = texts[i]

        (track,) = record(panel, show, len(texts), values=values).tracks
        assert [track.values[place] for place in track.which] == texts
