"""The chapters: each is written as text, `notebooks/*.md`, and kept as a notebook beside it.

python -m tools.notebooks write             # notebooks from their texts
python -m tools.notebooks render FOLDER     # run them, and save what they show as HTML pages
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jupytext
import nbformat
from latex2mathml.converter import convert
from nbclient import NotebookClient
from nbconvert import HTMLExporter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbformat import NotebookNode

FOLDER = Path(__file__).parents[1] / "notebooks"
_TIMEOUT = 600  # s, for one cell
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
# Both are edited in JupyterLab as one: saving either writes the other.
_PAIR = {"formats": "ipynb,md"}
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(?!\s)([^$]+?)(?<!\s)\$", re.DOTALL)

_STILL = re.compile(r'<img class="ucbpe-still"[^>]*>')
_INSTEAD = (
    "<p><small>In the notebook this is the stepper, with its buttons and more pictures.</small></p>"
)
_SOLUTION = "<details><summary>Solution</summary>\n\n```python\n{}\n```\n\n</details>"


def texts() -> list[Path]:
    """The chapters' texts, in order."""
    return sorted(FOLDER.glob("[0-9]-*.md"))


def notebook_of(text: Path) -> NotebookNode:
    """The notebook of a text: without output, and the same each time, cell ids included."""
    notebook = jupytext.read(text)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02}"
    notebook.metadata = nbformat.from_dict({"jupytext": _PAIR, "kernelspec": _KERNEL})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return notebook


def written(notebook: NotebookNode) -> str:
    """The notebook as its file has it."""
    return str(nbformat.writes(notebook)) + "\n"


def run(notebook: NotebookNode) -> NotebookNode:
    """Execute every cell, in the chapters' folder; raises `CellExecutionError` where one fails."""
    resources = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(notebook, timeout=_TIMEOUT, kernel_name="python3", resources=resources).execute()
    return notebook


def page(notebook: NotebookNode) -> str:
    """An executed notebook as one HTML page that asks for nothing: formulas are MathML."""
    for number, cell in enumerate(notebook.cells):
        if "answer" in cell.metadata.get("tags", ()):
            notebook.cells[number] = nbformat.v4.new_markdown_cell(_SOLUTION.format(cell.source))
        elif cell.cell_type == "markdown":
            cell.source = _FORMULA.sub(_mathml, cell.source).replace(".ipynb)", ".html)")
        else:
            cell.outputs = [_stilled(output) for output in cell.outputs if _is_seen(output)]
    exporter = HTMLExporter(mathjax_url="", require_js_url="", jquery_url="")
    body, _ = exporter.from_notebook_node(notebook)
    return str(body)


def _is_seen(output: NotebookNode) -> bool:
    """Whether an output shows anything: loading the stepper's scripts does not."""
    return output.output_type == "stream" or not {"text/html", "text/plain"}.isdisjoint(output.data)


def _stilled(output: NotebookNode) -> NotebookNode:
    """A stepper as the picture that it keeps, for a page has no kernel; others as they are."""
    still = _STILL.search(output.get("data", {}).get("text/html", ""))
    if still:
        output.data = {"text/html": f"{still[0]}{_INSTEAD}"}
    return output


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found[1] else "inline"
    return str(convert(found[1] or found[2], display=display))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the notebooks, or run them and save pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("write", "render"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/notebooks"))
    parser.add_argument("--only", default="", help="a chapter, by how its name begins")
    given: Any = parser.parse_args(arguments)
    for text in texts():
        if not text.stem.startswith(given.only):
            continue
        notebook = notebook_of(text)
        if given.what == "write":
            text.with_suffix(".ipynb").write_text(written(notebook), encoding="utf-8")
        else:
            given.folder.mkdir(parents=True, exist_ok=True)
            target = given.folder / f"{text.stem}.html"
            target.write_text(page(run(notebook)), encoding="utf-8")
            print(target)


if __name__ == "__main__":
    main()
