"""What a live lesson draws is what the dashboard's own views draw: each column, property and word.

Python's views are asked for the run of the lesson, and for runs of other settings; the engine is
given the lesson's tables and those settings. Arrays agree to rounding, all else exactly.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import pytest
from bokeh.model import Model
from bokeh.models import ColumnDataSource

from tests.live.cases import CHANGES
from tests.live.modules import Modules
from ucbpe_app.engine.parts import engine_parts, named_parts
from ucbpe_app.engine.tables import engine_settings
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.files.recording import live_parts, record
from ucbpe_app.lessons import Lesson
from ucbpe_app.lessons.questions import End, Task
from ucbpe_app.links import decode, restore
from ucbpe_app.render.legends import Labels
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.cache import bounds, load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.screen import Layers
from ucbpe_app.step.live_run import ACTING
from ucbpe_app.widgets.algorithm import acting
from ucbpe_app.widgets.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

    from ucbpe_app.run.replay import Replay

_MAPS = ("map", "first", "second", "third", "scale")
# With that of the function; those of maps are the candidates'.
_SHARED = {"region.x_range", "std.x_range", *(f"{one}.{a}_range" for one in _MAPS for a in "xy")}
_TIMELINE = ("total", "starts", "items", "status", "asked", "ask", "gap")
_MOST_EVENTS = 24  # of a run: the others are alike

pytestmark = pytest.mark.browser


# In the second a pick is where its number just has room at its right, by the range of the axis.
def test_moved_measurements_are_drawn_as_by_the_dashboards_views(page: Page) -> None:
    moved = [(0, 2.5), (1, None), (5, -3.0), (6, None)]
    _compared(page, "preset=start&T=3&show=truth,plane", [{}], moved=moved)


@pytest.mark.parametrize(
    "link",
    [
        # Its second batch finds the maximum: a log axis has a place for zero.
        "preset=figure-1&T=2&K=10&seed=2&show=truth,plane,log,noisy,stop,bounds",
        "preset=himmelblau&T=3&K=10&seed=2&show=truth,plane,stop,bounds",
    ],
)
def test_a_lesson_is_drawn_as_by_the_dashboards_views(page: Page, link: str) -> None:
    _compared(page, link, [{}])


def test_plain_words_are_those_of_the_dashboard(page: Page) -> None:
    changes = [{}, {"batch_size": 1}, {"batch_size": 2, "lengthscale": 0.02}]
    link = "preset=start&T=2&initial=1"
    _compared(page, link, [*changes, {"policy": "GreedyUCB"}], plain=True)


@pytest.mark.parametrize(
    "link", ["preset=start&T=2&show=log", "preset=himmelblau&T=2&K=3&event=1.posterior"]
)
def test_what_is_asked_and_hidden_is_that_of_the_dashboard(page: Page, link: str) -> None:
    """All picks are asked, tasks after them, and f is secret before the second batch."""
    policies = ({}, {"policy": "EI-PE"}, {"policy": "GP-BUCB"}, {"policy": "Vizier UCB-PE"})
    picks = tuple(Event(t, Kind.PICK, k) for t in (1, 2) for k in range(3))
    end, observe = End(Event(2, Kind.POSTERIOR)), Event(1, Kind.OBSERVE)
    tasks = (
        Task("draw", observe, "Draw it.", of="mean", done="So."),
        Task("draw", Event(2, Kind.OBSERVE), "Draw it.", of="band"),
        Task("set", observe, "Do it.", quantity="region", below=1.0, setting="lengthscale"),
        Task("drag", Event(2, Kind.POSTERIOR), "Move it.", quantity="x0", above=1.0),
    )
    about = Lesson("", "", "", predict=picks, end=end, tasks=tasks)
    _compared(page, link, [*policies, {"policy": "Thompson sampling"}], about=about)


def test_where_all_of_r_plus_is_known_it_says_so_too(page: Page) -> None:
    change = {"kernel": "Matérn", "nu": 0.5, "noise_variance": 0.0, "scale": 1e-6}
    other = load(replace(decode("preset=start&T=2")[0].settings, **change))
    said = [other.frame(i).sentence for i in range(len(other.events))]
    assert any("f is known everywhere in R⁺" in one for one in said)
    assert any("its result tells nothing new" in one for one in said)
    _compared(page, "preset=start&T=2", [change])


def test_words_that_act_are_marked_as_on_the_page(page: Page) -> None:
    replay = load(decode("preset=start&T=2")[0].settings)
    parts = engine_parts(replay)
    sentences = [replay.frame(i).sentence for i in range(len(replay.events))]
    mark = "({acting}, [lexicon, all]) => all.map((one) => acting(lexicon, one))"
    given = [{**parts["lexicon"], "acting": ACTING}, sentences]
    found = Modules(page).call("texts.js", mark, given)
    assert found == [acting(one) for one in sentences]
    assert all('data-mark="' in one for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("link", CHANGES)
def test_runs_of_other_settings_are_drawn_as_by_the_dashboards_views(page: Page, link: str) -> None:
    _compared(page, link, CHANGES[link])


def _compared(
    browser: Page,
    link: str,
    changes: list[dict[str, Any]],
    moved: Sequence[tuple[int, float | None]] = (),
    *,
    plain: bool = False,
    about: Lesson | None = None,
) -> None:
    moment, replay, _ = restore(decode(link)[0])
    layers = Layers.of(moment.layers, plain=plain)
    page = LessonPage(replay, layers, about, None, live=about is not None)
    parts = live_parts(replay, page, record(page.panel, page.show, 2), layers)
    runs, expected, digests = [], [], []
    for change in changes:
        other = load(replace(moment.settings, **change), moved=tuple(moved))
        trace, total = other.trace, len(other.events)
        step = max(1, total // _MOST_EVENTS)
        events = sorted({*range(min(12, total)), *range(0, total, step), total - 1})
        settings = engine_settings(trace.gp, trace.policy, trace.beta, len(trace.decisions))
        runs.append({"settings": settings, "events": events, "moved": moved})
        digests.append(trace.digest)
        expected.append([(change, i, shown) for i, shown in _shown(other, layers, events, about)])
    draw = "({drawn}, parts) => drawn(parts)"
    text = Modules(browser).call("tests/live/screens.js", draw, {**parts, "runs": runs})
    for drawn, known in zip(json.loads(text), expected, strict=True):
        assert drawn.pop("digest") == digests.pop(0)
        for found, early, (change, i, shown) in zip(*drawn.values(), known, strict=True):
            if moved:  # of which the table of the run says whose measurements it has
                del found["html"]["run"], shown["run"]
            _compare(found, shown, f"{change} event {i}")
            assert not early, f"{change} event {i}, before the run is whole"


def _shown(
    replay: Replay, layers: Layers, events: list[int], about: Lesson | None
) -> list[tuple[int, dict[str, Any]]]:
    """What views made for this run show at each event, by name."""
    limits = bounds(replay) if layers.bounds else None
    page = LessonPage(replay, layers, about, limits, live=about is not None)
    shown = []
    for i in events:
        page.show(i)
        page.main.ask(found=False)  # its card is not shown for a run of other settings
        # Some sources are made when they are first drawn.
        named: dict[str, Any] = {"run": page.run, **named_parts(page.views)}
        state = {name: _state(one) for name, one in named.items()}
        shown.append((i, {**state, "timeline": _state(page.timeline)}))
    return shown


def _state(one: Any) -> Any:
    if isinstance(one, ColumnDataSource):
        return {name: _plain(column) for name, column in one.data.items()}
    if isinstance(one, Markup):
        return one.object
    if isinstance(one, Labels):
        return one.items
    if isinstance(one, Timeline):
        return {n: _plain(getattr(one, n)) for n in _TIMELINE} | {"facts": dict(one.facts)}
    if isinstance(one, Model):
        return one.properties_with_values(include_defaults=True)
    return one.visible if isinstance(one, pn.Column) else list(one.css_classes)


def _plain(value: Any) -> Any:
    # A copy: sources are changed in place.
    if isinstance(value, np.ndarray):
        return value.copy()
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _compare(found: dict[str, Any], shown: dict[str, Any], where: str) -> None:
    # Of layers that are off, and that only the server draws.
    late = {name: one for name, one in found["sources"].items() if name not in shown}
    assert not any(column for one in late.values() for column in one.values()), (where, late)
    for name in found["sources"].keys() - late.keys():
        columns, known = found["sources"][name], shown[name]
        assert columns.keys() == known.keys(), (where, name)
        for column, values in columns.items():
            _close(values, known[column], f"{where}: {name}.{column}")
    for name, properties in found["models"].items():
        known = shown[name] if isinstance(shown[name], dict) else dict(shown[name])
        for key, value in properties.items():
            if key == "major_label_overrides":
                labels = [(at, text) for at, text in known[key].items()]
                assert [text for _, text in value] == [text for _, text in labels], where
                _close([at for at, _ in value], [at for at, _ in labels], f"{where}: {name}")
            else:
                _close(value, known[key], f"{where}: {name}.{key}")
    for name, html in found["html"].items():
        assert html == shown[name], (where, name)
    for name, items in found["labels"].items():
        _compare_labels(name, items, shown, where)
    ours, theirs = (dict(one["timeline"]) for one in (found, shown))
    for name in ("ask", "gap"):
        _compare_asked(ours.pop(name), theirs.pop(name), f"{where} {name}")
    assert ours.pop("facts") == pytest.approx(theirs.pop("facts"), rel=1e-6), where
    assert ours == theirs, where
    labels = {f"{name}.labels" for name in found["labels"]}
    drawn = {*found["sources"], *found["models"], *found["html"], *labels, "timeline"}
    absent = {name for name in shown.keys() - drawn if not _is_empty(shown[name])}
    allowed = {"region.y_range", *_SHARED}
    plots = {name.partition(".")[0] for name in found["sources"]}  # no others are seen
    allowed |= {name for name in absent if name.partition(".")[0] not in plots}
    unused = ("dots", "image", "picture", "ticks", "axis", "y_ticks", "y_axis")
    assert not {n for n in absent - allowed if n.rsplit(".", 1)[-1] not in unused}, (where, absent)


def _compare_asked(found: dict[str, Any], known: dict[str, Any], where: str) -> None:
    """A question, or what an answer is held against; of tolerances only how large they are."""
    assert found.keys() == known.keys(), where
    for name, value in known.items():
        if name == "tolerance":
            assert value / 10 <= found[name] <= 10 * value, (where, found[name], value)
        elif isinstance(value, dict):
            _compare_asked(found[name], value, f"{where}: {name}")
        elif isinstance(value, np.ndarray | float):
            _close(found[name], value, f"{where}: {name}")
        else:
            assert found[name] == (pytest.approx(value) if name == "extents" else value), where


def _is_empty(state: Any) -> bool:
    """Whether a source draws nothing: what the engine has not is not in its pictures."""
    columns = state.values() if isinstance(state, dict) else [state]
    return all(isinstance(one, list | tuple | np.ndarray) and not len(one) for one in columns)


def _compare_labels(name: str, items: list[dict[str, Any]], shown: Any, where: str) -> None:
    """What labels name is given in the units of the axes, and shown as shares of them."""
    known = shown[f"{name}.labels"]
    assert [one["text"] for one in items] == [one["text"] for one in known], (where, name)
    for item, label in zip(items, known, strict=True):
        for key in ("role", "strong", "meaning"):
            assert item.get(key, type(label[key])()) == label[key], (where, item)
        assert item["place"] == label["place"], (where, item)
        for axis in {"end": "y", "tip": "xy", "point": "xy", "inside": "xy"}.get(item["place"], ""):
            ends = shown[f"{name}.{axis}_range"]
            share = (item[axis] - ends["start"]) / (ends["end"] - ends["start"])
            assert abs(share - label[axis]) < 1e-6, (where, name, item)


def _close(found: Any, known: Any, where: str) -> None:
    if isinstance(known, str | bool | None) or isinstance(found, str | bool):
        assert found == known, where
        return
    if isinstance(found, list) and found and isinstance(found[0], dict):  # an image
        (image,), (array,) = found, known
        assert tuple(image["shape"]) == array.shape, where
        found, known = image["values"], np.ravel(array)
    if isinstance(found, list) and found and isinstance(found[0], str) and found[0] != "NaN":
        assert found == list(known), where
        return
    one, other = np.array(found, dtype=float), np.array(known, dtype=float)
    if isinstance(known, np.ndarray) and known.dtype == np.int8:  # each rounded by itself
        assert (np.sign(one) == np.sign(other)).all(), where
        np.testing.assert_allclose(one, other, atol=1, err_msg=where)
        return
    scale = np.nanmax(np.abs(other), initial=1e-12) if other.size else 1.0
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6 * scale, err_msg=where)
