"""The stepper of a notebook, without a notebook."""

from __future__ import annotations

import base64
import io
import json
import re
import sys
import zlib
from collections.abc import Callable
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import panel as pn
import pytest
from PIL import Image

from ucbpe_app import stepper
from ucbpe_app.notebook import picture, stepping
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, Trace, problems, simulate
from ucbpe_core.errors import InputError
from ucbpe_core.extras import install


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
    assert shown.frame.index == shown.frame.total - 1 == shown.stage.timeline.index
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
    monkeypatch.setattr(pn.extension, "_loaded", True)
    shown = stepper(trace, "2.pick.1")
    html = shown._repr_mimebundle_()[0]["text/html"]
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
    long = shown.html_around("")
    assert still_of(long) != still_of(html)
    assert 'class="ucbpe-run"' not in long


def in_vs_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VSCODE_PID", "1")


def in_colab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))


@pytest.mark.parametrize("host", [in_vs_code, in_colab])
def test_without_jupyter_bokeh_there_is_the_picture_and_what_to_install(
    host: Callable[[pytest.MonkeyPatch], None], trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    host(monkeypatch)
    monkeypatch.setattr(pn.extension, "_loaded", True)
    monkeypatch.setitem(sys.modules, "jupyter_bokeh", None)
    monkeypatch.setattr(stepping, "MOST_EVENTS", 11)  # a run is kept as in any cell
    data, _ = stepper(trace)._repr_mimebundle_()
    assert "embed_items_notebook" not in data["text/html"]
    assert f"<code>{escape(install('widgets'))}</code>" in data["text/html"]
    assert still_of(data["text/html"])


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
    with pytest.raises(InputError, match="view to be one of curve, plane, covariance, regret"):
        picture(trace, 0, "field")


def test_a_stepper_is_saved_as_a_file_that_steps_without_a_kernel(
    trace: Trace, tmp_path: Path
) -> None:
    steps = stepper(trace, "2.pick.1")
    steps.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert f'title="{trace.digest}"' in page
    assert recorded(page)["codes"][recorded(page)["start"]] == "2.pick.1"
    assert 'id="exercise-style"' not in page


def recorded(page: str) -> dict[str, Any]:
    """What a page of a run holds."""
    found = re.search(r'data-text="(\d+)">([^<]+)<', page)
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[2]))[: int(found[1])])
