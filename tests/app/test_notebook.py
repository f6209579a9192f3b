"""The stepper of a notebook, without a notebook."""

from __future__ import annotations

import base64
import io
import json
import re
import zlib
from pathlib import Path
from typing import Any

import IPython.display
import numpy as np
import pytest
from PIL import Image

from ucbpe_app import stepper
from ucbpe_app.html import escape
from ucbpe_app.notebook import picture, stepping
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, Trace, problems, simulate
from ucbpe_core.errors import InputError


@pytest.fixture(scope="module")
def trace() -> Trace:
    return simulate(problems.multimodal(), GPUCBPE(batch_size=3), batches=2, initial=3, seed=0)


def test_it_steps_forward_and_back_to_the_same_frame(trace: Trace) -> None:
    shown = stepper(trace, 4)
    before = shown.frame
    shown.go(7)
    assert shown.frame.status != before.status
    shown.go(4)
    np.testing.assert_array_equal(shown.frame.std_now, before.std_now)
    assert shown.frame.status == before.status
    shown.go(99)
    assert shown.frame.index == len(Replay(trace).events) - 1
    shown.go(-5)
    assert shown.frame.index == 0


def still_of(html: str) -> str:
    """The picture that a cell keeps."""
    (found,) = re.findall(r'class="ucbpe-still".*?base64,(\S+)"', html)
    return str(found)


def run_of(html: str) -> str:
    """The page that a cell keeps."""
    (packed,) = re.findall(r'class="ucbpe-run">([^<]+)<', html)
    return zlib.decompress(base64.b64decode(packed)).decode()


def test_a_saved_notebook_keeps_a_picture_of_the_event_and_the_run_unless_it_is_too_long(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = stepper(trace, "2.pick.1")
    html = shown.html()
    image = Image.open(io.BytesIO(base64.b64decode(still_of(html))))
    assert image.format == "PNG"
    assert image.size[0] > 900
    said = re.findall(r'class="ucbpe-still"[^>]* alt="([^"]*)"', html)
    assert said == [escape(f"{trace.problem.name}, over x. {shown.frame.status}.")]
    run = recorded(run_of(html))
    assert run["codes"][run["start"]] == "2.pick.1"
    assert run["live"]["digest"] == trace.digest
    monkeypatch.setattr(stepping, "MOST_EVENTS", 11)
    shown.go(0)
    long = shown.html()
    assert still_of(long) != still_of(html)
    assert 'class="ucbpe-run"' not in long
    assert "at most 11 events, and this run has 12" in long


def test_python_and_the_browser_share_the_event(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a kernel has it: what the browser sets of the widget is what its script saves."""
    pytest.importorskip("anywidget")
    monkeypatch.setattr(stepping, "has_kernel", lambda: True)
    shown = stepper(trace, "2.pick.1")
    html = shown._repr_mimebundle_()["text/html"]
    widget = shown._link.widget("2.pick.1")
    assert widget.event == "2.pick.1"
    assert f"const RUN = {widget.run!r}" in run_of(html)
    shown.go(0)
    assert widget.event == "1.posterior"
    widget.event = "1.region"
    assert shown.frame.event.text == "1.region"
    widget.event = "9.region"  # no event of this run
    assert shown.frame.event.text == "1.region"


@pytest.mark.parametrize(
    ("kernel", "host", "displayed"),
    [(True, "", 0), (True, "VSCODE_PID", 1), (False, "VSCODE_PID", 0)],
)
def test_a_widget_is_shown_only_where_nothing_loads_it_else(
    kernel: bool, host: str, displayed: int, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JupyterLab has it without, and would call it lost when a notebook is opened again."""
    pytest.importorskip("anywidget")
    seen = list[object]()
    monkeypatch.setattr(IPython.display, "display", seen.append)
    monkeypatch.setattr(stepping, "has_kernel", lambda: kernel)
    for name in ("VSCODE_PID", "VSCODE_CWD"):
        monkeypatch.delenv(name, raising=False)
    if host:
        monkeypatch.setenv(host, "1")
    shown = stepper(trace)
    assert set(shown._repr_mimebundle_()) == {"text/html", "text/plain"}
    assert len(seen) == displayed


@pytest.mark.parametrize("at", [-1, 12, "3.posterior", "1.pick.3"])
def test_an_event_that_the_run_has_not(trace: Trace, at: int | str) -> None:
    with pytest.raises(InputError, match="count from 0 to 11, or write batch and kind"):
        stepper(trace, at)


def test_a_picture_of_one_event_and_of_another_view(trace: Trace) -> None:
    curve, later = picture(trace, "1.pick.1"), picture(trace, "1.pick.2")
    assert "Batch 1 of 2, PE pick 1 of 2" in curve.words
    assert len({curve.png, later.png, picture(trace, "1.pick.1", "plane").png}) == 3
    hidden = picture(trace, "1.pick.1", layers=Layers(truth=False))
    assert hidden.png != curve.png
    with pytest.raises(InputError, match="view to be one of curve, plane, regret"):
        picture(trace, 0, "field")


def test_a_stepper_is_saved_as_a_file_that_steps_without_a_kernel(
    trace: Trace, tmp_path: Path
) -> None:
    steps = stepper(trace, "2.pick.1")
    steps.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert f'title="{trace.digest}"' in page
    assert recorded(page)["codes"][recorded(page)["start"]] == "2.pick.1"


def recorded(page: str) -> dict[str, Any]:
    """What a page of a run holds."""
    found = re.search(r'data-text="(\d+)">([^<]+)<', page)
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[2]))[: int(found[1])])
