"""The stepper in a real kernel, as a reader's notebook has it: it loads what it needs, once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import IPython
import nbformat
import panel as pn
import pytest
from nbformat import NotebookNode

from tests.documents import blocks
from tools import notebooks
from ucbpe_app.notebook.stepping import load_extension

RUN = """
from ucbpe_app import stepper
from ucbpe_core import GPUCBPE, problems, simulate

trace = simulate(problems.multimodal(), GPUCBPE(batch_size=2), batches=1, initial=2, seed=0)
"""
LOADED = "import panel as pn\n\npn.extension(inline=True)"
# By these Panel knows that VS Code or Colab runs the kernel.
VSCODE = "import os\n\nos.environ['VSCODE_PID'] = '1'"
COLAB = "import sys, types\n\nsys.modules['google.colab'] = types.ModuleType('google.colab')"
WIDGET = "application/vnd.jupyter.widget-view+json"


def outputs(*sources: str) -> list[NotebookNode]:
    """What the cells of a new notebook show, in order."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    done = notebooks.run(notebook)
    return [one for cell in done.cells for one in cell.outputs]


def large(output: NotebookNode) -> bool:
    """Whether an output is Panel's scripts, which are 3 MB."""
    return len(output.get("data", {}).get("application/javascript", "")) > 1_000_000


def live(output: NotebookNode) -> bool:
    """Whether an output is the result of a cell and has Panel's models in it."""
    executed = "application/vnd.holoviews_exec.v0+json" in output.get("data", {})
    return executed and output.output_type == "execute_result"


@pytest.fixture(autouse=True)
def a_profile_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "steppers", "loads"),
    [
        pytest.param([*blocks("notebooks.md"), "stepper(trace, 2)"], 2, 1, id="as-documented"),
        pytest.param([RUN, "shown = stepper(trace)", LOADED, "shown"], 1, 2, id="loaded-after"),
    ],
)
def test_the_stepper_is_live_and_its_scripts_come_before_it(
    cells: list[str], steppers: int, loads: int
) -> None:
    """It loads them once; who loads them again has them twice."""
    shown = outputs(*cells)
    assert not [one for one in shown if one.output_type in ("stream", "error")]
    scripts = [i for i, one in enumerate(shown) if large(one)]
    results = [i for i, one in enumerate(shown) if live(one)]
    assert (len(results), len(scripts)) == (steppers, loads)
    assert scripts[-1] < results[0]


def kept(output: NotebookNode) -> str:
    """The HTML of a cell, if it keeps the run as a live lesson."""
    html = output.get("data", {}).get("text/html", "")
    return html if 'class="ucbpe-run"' in html and 'class="ucbpe-still"' in html else ""


@pytest.mark.slow
def test_vs_code_gets_a_widget_and_keeps_the_run() -> None:
    shown = outputs(VSCODE, RUN + "stepper(trace)")
    assert not [one for one in shown if one.output_type in ("stream", "error")]
    (result,) = [one for one in shown if WIDGET in one.get("data", {})]
    assert kept(result)
    assert not live(result)


@pytest.mark.slow
def test_colab_gets_the_scripts_in_each_cell() -> None:
    """There each output is a page of its own."""
    shown = outputs(COLAB, RUN + "stepper(trace)", "stepper(trace, 2)")
    assert not [one for one in shown if one.output_type in ("stream", "error")]
    kinds = ["scripts" if large(one) else "live" for one in shown if large(one) or live(one)]
    assert kinds == ["scripts", "scripts", "live", "scripts", "live"]
    assert all(kept(one) for one in shown if live(one))


@dataclass
class Extension:
    """Stands in for `pn.extension`."""

    _loaded: bool
    calls: list[dict[str, object]] = field(default_factory=list)

    def __call__(self, **options: object) -> None:
        self.calls.append(options)
        self._loaded = True


@pytest.mark.parametrize(
    ("shell", "loaded", "calls"),
    [
        pytest.param(SimpleNamespace(kernel=None), False, [{"inline": True}], id="notebook"),
        pytest.param(SimpleNamespace(kernel=None), True, [], id="notebook-loaded"),
        pytest.param(SimpleNamespace(), False, [], id="terminal"),
        pytest.param(None, False, [], id="no-ipython"),
    ],
)
def test_only_a_notebook_without_the_extension_loads_it(
    shell: object, loaded: bool, calls: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    extension = Extension(loaded)
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    monkeypatch.setattr(pn, "extension", extension)
    load_extension()
    load_extension()
    assert extension.calls == calls
