"""The stepper in a real kernel, as a reader's notebook has it: what a cell keeps, and how large."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.documents import blocks
from tools import notebooks

if TYPE_CHECKING:
    from nbformat import NotebookNode

# By this VS Code is known.
VSCODE = "import os\n\nos.environ['VSCODE_PID'] = '1'"
COLAB = "import sys, types\n\nsys.modules['google.colab'] = types.ModuleType('google.colab')"
WIDGET = "application/vnd.jupyter.widget-view+json"
HIDDEN = "import sys\n\nsys.modules['anywidget'] = None"
STEPPER = 1_500_000  # bytes of a cell that has one


def outputs(*sources: str) -> list[NotebookNode]:
    """What the cells of a new notebook show, in order."""
    done = notebooks.run(notebooks.of_cells(*sources))
    return [one for cell in done.cells for one in cell.outputs]


def kept(output: NotebookNode) -> bool:
    """Whether a cell keeps the run as a live lesson, and a picture."""
    html = output.get("data", {}).get("text/html", "")
    return 'class="ucbpe-run"' in html and 'class="ucbpe-still"' in html


@pytest.fixture(autouse=True)
def a_profile_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("host", ["", HIDDEN, VSCODE, COLAB])
def test_each_cell_keeps_its_run_once(host: str) -> None:
    """Beside it nothing but, where a widget has to be seen to be loaded, a widget."""
    first = blocks("notebooks.md")[0]
    shown = outputs(host, first, "shown = stepper(trace, 2)", "shown")
    assert not [one for one in shown if one.output_type in ("stream", "error")]
    runs, others = [one for one in shown if kept(one)], [one for one in shown if not kept(one)]
    assert len(runs) == 2
    assert all(set(one.data) == {"text/html", "text/plain"} for one in runs)
    assert all(len(one.data["text/html"]) < STEPPER for one in runs)
    seen = 2 if host in (VSCODE, COLAB) and find_spec("anywidget") else 0
    assert len(others) == seen
    assert all(WIDGET in one.data for one in others)
