"""The stepper in a real marimo notebook, where marimo is installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab, Server, running

pytest.importorskip("marimo", reason="marimo is not installed")
pytestmark = pytest.mark.slow

# It ends by the signal, and not with 0 as the servers of other tests.
ENDING = ("bash", "-c", "trap 'kill $!; exit 0' TERM; \"$@\" & wait", "--")
START_SECONDS = 180  # beside other tests on two cores
NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    from ucbpe_app import stepper
    from ucbpe_core import GPUCBPE, problems, simulate

    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=2), batches=1, initial=3, seed=0)
    shown = stepper(trace, "1.region")
    shown
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    (tmp_path / "notebook.py").write_text(NOTEBOOK, encoding="utf-8")
    return tmp_path / "notebook.py"


@pytest.fixture
def marimo(notebook: Path) -> Iterator[Server]:
    program = ("marimo", "run", str(notebook))
    log = notebook.with_name("log.txt")
    with running(log, "--headless", "--no-token", program=program, within=ENDING) as server:
        yield server


def test_next_moves_the_pictures(page: Page, marimo: Server) -> None:
    lab = Lab(page, marimo.url)
    page.goto(marimo.url)
    expect(page.get_by_text("Event 3 of 5")).to_be_visible(timeout=1000 * START_SECONDS)
    page.get_by_role("button", name="Next event").click()
    expect(page.get_by_text("Event 4 of 5")).to_be_visible()
    expect(page.get_by_text("least known inside")).to_be_visible()
    # marimo fetches Panel's own style sheets, which the stepper does not need.
    assert all(urlsplit(url).path.endswith(".css") for url in lab.requests_that_left())


def test_a_page_that_it_saves_has_the_run(notebook: Path) -> None:
    """It fetches marimo's scripts from a network, and so is not opened here."""
    saved = notebook.with_suffix(".html")
    command = [sys.executable, "-m", "marimo", "export", "html", str(notebook), "-o", str(saved)]
    subprocess.run(command, check=True, capture_output=True)
    page = saved.read_text(encoding="utf-8")
    assert "Multimodal curve: GP-UCB-PE" in page
    assert "marimo-panel" not in page  # which needs a kernel
