"""The chapters: text and notebook agree, every cell runs anywhere, every exercise can be solved."""

from __future__ import annotations

import re
from base64 import b64decode
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tools import notebooks

if TYPE_CHECKING:
    from nbformat import NotebookNode

TEXTS = notebooks.texts()
# The chapters must not need a network: a kernel that looks for one fails.
CLOSED = """
import socket

_connect = socket.socket.connect


def _stay(self, address):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"expected no connection beyond this machine, got {address}")
    return _connect(self, address)


socket.socket.connect = _stay
"""
MOST_SAVED = 3_000_000  # bytes of a chapter that has been run
# Nor a checkout: they are to run wherever the package is installed.
OUTSIDE = f"""
import os
import sys

_ROOT = {str(notebooks.FOLDER.parent)!r} + os.sep
_INSTALLED = tuple(_ROOT + name + os.sep for name in ("ucbpe_core", "app")) + (sys.prefix,)


def _refuse(event, arguments):
    if event == "import" and arguments[0].partition(".")[0] in ("tests", "tools"):
        raise PermissionError(f"expected no import of the checkout's, got {{arguments[0]}}")
    if event == "open" and isinstance(arguments[0], str):
        path = os.path.abspath(arguments[0])
        if path.startswith(_ROOT) and not path.startswith(_INSTALLED):
            raise PermissionError(f"expected no file of the checkout, got {{path}}")


sys.addaudithook(_refuse)
try:
    open(_ROOT + "README.md")
except PermissionError:
    pass
else:
    raise AssertionError("the hook is of no effect")
"""
# A cell with a solution, as one sees it whose answer is that, or another.
SOLVED = """
answer_{n} = solution_{n}
{source}
assert verdict.state == "right", verdict.words
answer_{n} = "none of these"
{source}
assert verdict.state == "wrong"
answer_{n} = ...
"""

SHORT = """# Short

```python
from ucbpe_app import stepper
from ucbpe_core import GPUCBPE, problems, simulate

_ = simulate(problems.multimodal(), GPUCBPE(batch_size=2), batches=1, initial=3, seed=0)
stepper(_, "1.region")
```
"""


def answers(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", ())]


@pytest.fixture(params=TEXTS, ids=lambda text: text.stem)
def text(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_there_are_seven() -> None:
    assert [text.stem[0] for text in TEXTS] == list("1234567")
    stored = sorted(path.stem for path in notebooks.FOLDER.glob("*.ipynb"))
    assert stored == [text.stem for text in TEXTS]


def test_the_notebook_is_that_of_the_text(text: Path) -> None:
    """If not: python -m tools.notebooks write."""
    stored = text.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert stored == notebooks.written(notebooks.notebook_of(text))


def test_goals_come_first_and_answers_are_hidden(text: Path) -> None:
    notebook = notebooks.notebook_of(text)
    assert "After this chapter you can" in notebook.cells[0].source
    assert len(answers(notebook)) >= 3
    for number, cell in enumerate(answers(notebook), 1):
        assert cell.metadata.jupyter.source_hidden
        assert re.search(rf"check\(\s*answer_{number},\s*solution_{number},", cell.source)
        before = notebook.cells[notebook.cells.index(cell) - 1]
        assert before.source == f"answer_{number} = ..."


@pytest.mark.slow
def test_every_cell_runs_and_every_exercise_is_solved_by_its_solution(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = notebooks.notebook_of(text)
    for number, cell in reversed(list(enumerate(answers(notebook), 1))):
        source = re.sub(r"^check\(", "verdict = check(", cell.source, flags=re.MULTILINE)
        (solved,) = notebooks.of_cells(SOLVED.format(n=number, source=source)).cells
        notebook.cells.insert(notebook.cells.index(cell) + 1, solved)
    notebook.cells[:0] = notebooks.of_cells(CLOSED + OUTSIDE).cells
    (tmp_path / "empty").mkdir()
    runs = [tmp_path / f"{n}.html" for n, _ in enumerate(notebooks.stepping(notebook))]
    done = notebooks.run(notebook, runs, tmp_path / "empty")
    assert all(run.stat().st_size > 100_000 for run in runs)
    assert len(notebooks.written(done)) < MOST_SAVED
    said = [one for cell in done.cells for one in cell.get("outputs", ())]
    assert not [one for one in said if one.output_type == "stream" and one.name == "stderr"]
    shown = [one.data["text/html"] for one in said if "text/html" in one.get("data", {})]
    assert sum("Not answered yet" in html for html in shown) == len(answers(notebook))
    _check_pictures([tag for html in shown for tag in re.findall(r"<img [^>]*>", html)], text)
    fetched = r'(?:src=|<link[^>]* href=)"(?:https?:)?//'  # a link in the text is none
    assert not re.search(fetched, notebooks.page(done))


def _check_pictures(tags: list[str], text: Path) -> None:
    """Each says in words what it shows, is sharp enough to read, and is not blank."""
    assert len(tags) >= (1 if text.stem.startswith("6") else 3)
    for tag in tags:
        assert len(re.search(r'alt="([^"]*)"', tag)[1]) > 15
        data = re.search(r"base64,([^\"]+)\"", tag)[1]
        image = Image.open(BytesIO(b64decode(data))).convert("L")
        assert image.size[0] > 1200
        assert image.getextrema()[0] < 100 < 250 < image.getextrema()[1]


def test_a_page_has_formulas_solutions_and_pictures_of_steppers() -> None:
    from nbformat import v4

    notebook = v4.new_notebook()
    still = '<div id="p1">live</div><img class="ucbpe-still" alt="Batch 1" src="data:image/png;,">'
    output = v4.new_output("display_data", {"text/html": still})
    notebook.cells = [
        v4.new_markdown_cell("With $x^2$, $$y = 1$$ See [on](2-b.ipynb)."),
        v4.new_code_cell("stepper(trace)", outputs=[output]),
        v4.new_code_cell("solution_1 = 7", metadata={"tags": ["answer"]}),
    ]
    live = notebooks.page(deepcopy(notebook), ["runs/1-a-1.html"])
    assert _frames(live) == ["runs/1-a-1.html"]
    assert "ucbpe-still" not in live
    page = notebooks.page(notebook)
    assert page.count("<math ") == 2
    assert "$" not in re.sub(r"<(style|script).*?</\1>", "", page, flags=re.DOTALL)
    assert 'href="2-b.html"' in page
    assert 'class="ucbpe-still"' in page
    assert "live" not in page
    assert re.search(r"<summary>Solution</summary>.*solution_1", page, re.DOTALL)


def _frames(page: str) -> list[str]:
    return re.findall(r'<iframe [^>]*src="([^"]+)"', page)


@pytest.mark.slow
def test_a_page_has_the_runs_of_its_steppers_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    text = tmp_path / "1-short.md"
    text.write_text(SHORT, encoding="utf-8")
    monkeypatch.setattr(notebooks, "texts", lambda: [text])
    notebooks.render(str(tmp_path / "pages"))
    page = (tmp_path / "pages/1-short.html").read_text(encoding="utf-8")
    assert _frames(page) == ["runs/1-short-1.html"]
    assert ".save(" not in page
    run = (tmp_path / "pages/runs/1-short-1.html").read_text(encoding="utf-8")
    assert "<h1>Multimodal curve: GP-UCB-PE</h1>" in run


def test_each_chapter_with_a_stepper_shows_it_last_in_its_cell() -> None:
    """What a cell shows is its last line: it is what the page keeps."""
    counts = {}
    for text in TEXTS:
        cells = notebooks.stepping(notebooks.notebook_of(text))
        assert all(cell.source.splitlines()[-1].startswith("stepper(") for cell in cells)
        counts[text.stem[0]] = len(cells)
    assert counts == {"1": 0, "2": 1, "3": 1, "4": 0, "5": 0, "6": 1, "7": 0}
