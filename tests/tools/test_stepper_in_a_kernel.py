"""The stepper in a real kernel, as a reader's notebook has it: what a cell keeps, and how large."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.documents import blocks
from tools import notebooks

if TYPE_CHECKING:
    from nbformat import NotebookNode

# What makes the kernel one of that host, and an ordinary one again.
HOSTS = {
    "ordinary": ("import os, sys, types", ""),
    "without anywidget": ("sys.modules['anywidget'] = None", "del sys.modules['anywidget']"),
    "VS Code": ("os.environ['VSCODE_PID'] = '1'", "del os.environ['VSCODE_PID']"),
    "Colab": (
        "sys.modules['google.colab'] = types.ModuleType('google.colab')",
        "del sys.modules['google.colab']",
    ),
}
WIDGET = "application/vnd.jupyter.widget-view+json"
STEPPER = 1_500_000  # bytes of a cell that has one


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[NotebookNode]]:
    """What the cells of a notebook show in each host, in order."""
    shows = (blocks("without-a-server.md")[0], "shown = stepper(trace, 2)", "shown")
    cells = [cell for enter, leave in HOSTS.values() for cell in (enter, *shows, leave)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("profile")))
        done = iter(notebooks.run(notebooks.of_cells(*cells)).cells)
    return {
        host: [one for _ in range(len(shows) + 2) for one in next(done).outputs] for host in HOSTS
    }


def kept(output: NotebookNode) -> bool:
    """Whether a cell keeps the run as a live lesson, and a picture."""
    html = output.get("data", {}).get("text/html", "")
    return 'class="ucbpe-run"' in html and 'class="ucbpe-still"' in html


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_each_cell_keeps_its_run_once(host: str, outputs: dict[str, list[NotebookNode]]) -> None:
    """Beside it nothing but, where a widget has to be seen to be loaded, a widget."""
    shown = outputs[host]
    assert not [one for one in shown if one.output_type in ("stream", "error")]
    runs, others = [one for one in shown if kept(one)], [one for one in shown if not kept(one)]
    assert len(runs) == 2
    assert all(set(one.data) == {"text/html", "text/plain"} for one in runs)
    assert all(len(one.data["text/html"]) < STEPPER for one in runs)
    seen = 2 if host in ("VS Code", "Colab") and find_spec("anywidget") else 0
    assert len(others) == seen
    assert all(WIDGET in one.data for one in others)
