"""The chapters: each is written as text, `notebooks/*.md`, and kept as a notebook beside it.

They are not paired by jupytext's own metadata: it refuses to open a notebook that is newer than its
text, and which of the two is newer after a checkout is chance.

python -m tools.notebooks write             # notebooks from their texts
python -m tools.notebooks render FOLDER     # run them, and save what they show as HTML pages

Jupyter's packages are imported where they are used: they take two seconds, which each process of
the tests would wait for.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from latex2mathml.converter import convert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nbformat import NotebookNode

FOLDER = Path(__file__).parents[1] / "notebooks"
# No question about news.
_CONFIG = Path(__file__).with_name("jupyter")
_TIMEOUT = 600  # s, for one cell
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(?!\s)([^$]+?)(?<!\s)\$", re.DOTALL)

_STILL = re.compile(r'<img class="ucbpe-still"[^>]*>')
_STEPPER = re.compile(r"^stepper\(", re.MULTILINE)
# Its file has a page of its own height: the same pictures, one above the other.
_FRAME = (
    '<iframe src="{}" title="Every event of the run, to step through" loading="lazy" '
    'style="width: 100%; height: 860px; border: 1px solid #bbb"></iframe>'
)
_SAVING = "saves-the-run"  # the tag of a cell that no reader sees
_SAVE = "Out[max(Out)].save({!r})"  # a chapter may have an underscore of its own
# By tag, what is folded for readers without a kernel; JupyterLab folds it by `source_hidden`.
_FOLDED = {
    "answer": "Solution",
    "check": "The text, checked",
    "plot": "How the picture is drawn",
}
_FOLD = "<details><summary>{}</summary>\n\n```python\n{}\n```\n\n</details>"


def texts() -> list[Path]:
    """The chapters' texts, in order."""
    return sorted(FOLDER.glob("[0-9]-*.md"))


def notebook_of(text: Path) -> NotebookNode:
    """The notebook of a text: without output, and the same each time, cell ids included."""
    import jupytext
    import nbformat

    notebook = jupytext.read(text)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02}"
    notebook.metadata = nbformat.from_dict({"kernelspec": _KERNEL})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return notebook


def of_cells(*sources: str) -> NotebookNode:
    """A notebook of code cells."""
    from nbformat import v4

    cells = [v4.new_code_cell(source) for source in sources]
    return v4.new_notebook(cells=cells, metadata={"kernelspec": _KERNEL})


def written(notebook: NotebookNode) -> str:
    """The notebook as its file has it."""
    import nbformat

    return str(nbformat.writes(notebook)) + "\n"


def run(
    notebook: NotebookNode, steppers: Sequence[Path] = (), folder: Path = FOLDER
) -> NotebookNode:
    """Execute every cell, in this folder; raises `CellExecutionError` where one fails.

    The cells that show a stepper write its run to the files `steppers`, one each.
    """
    from nbclient import NotebookClient

    for cell, path in zip(stepping(notebook), steppers, strict=False):
        (saving,) = of_cells(_SAVE.format(str(path.resolve()))).cells
        saving.metadata["tags"] = [_SAVING]
        notebook.cells.insert(notebook.cells.index(cell) + 1, saving)
    resources = {"metadata": {"path": str(folder)}}
    # Not that its connection is unencrypted: it is to this process alone.
    quiet = {"extra_arguments": ["--log-level=ERROR"]}
    NotebookClient(
        notebook, timeout=_TIMEOUT, kernel_name="python3", resources=resources, **quiet
    ).execute()
    notebook.cells = [
        cell for cell in notebook.cells if _SAVING not in cell.metadata.get("tags", ())
    ]
    return notebook


def stepping(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that show a stepper, in order."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [cell for cell in cells if _STEPPER.search(cell.source)]


def runs_of(text: Path, notebook: NotebookNode) -> list[str]:
    """The files of a chapter's steppers, in the folder of its page."""
    return [f"runs/{text.stem}-{n}.html" for n, _ in enumerate(stepping(notebook), 1)]


def page(notebook: NotebookNode, steppers: Sequence[str] = ()) -> str:
    """An executed notebook as one HTML page that asks for nothing from a network.

    Formulas are MathML. Of steppers, a page that has no kernel has the files of these names beside
    it, in frames, else the pictures that they keep.
    """
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import TagRemovePreprocessor

    for cell in settled(notebook, steppers).cells:
        if cell.cell_type == "markdown" and not cell.metadata.get("tags"):
            cell.source = _FORMULA.sub(_mathml, cell.source).replace(".ipynb)", ".html)")
    exporter = HTMLExporter(mathjax_url="", require_js_url="", jquery_url="")
    exporter.register_preprocessor(TagRemovePreprocessor(remove_input_tags={"plot"}), enabled=True)
    body, _ = exporter.from_notebook_node(notebook)
    return str(body)


def settled(notebook: NotebookNode, steppers: Sequence[str] = ()) -> NotebookNode:
    """An executed notebook for readers without a kernel: steppers as files, some code folded.

    What is folded becomes Markdown with its tag; what it showed follows, but of solutions.
    """
    from nbformat import v4

    left = iter(steppers)
    cells: list[NotebookNode] = []
    for cell in notebook.cells:
        tag = next((one for one in cell.metadata.get("tags", ()) if one in _FOLDED), "")
        if tag:
            folded = v4.new_markdown_cell(_FOLD.format(_FOLDED[tag], cell.source))
            folded.metadata["tags"] = [tag]
            cells.append(folded)
        if cell.cell_type == "code":
            cell.outputs = [_stilled(output, left) for output in cell.outputs]
        if tag in ("", "plot"):
            cells.append(cell)
    notebook.cells = cells
    return notebook


def _stilled(output: NotebookNode, files: Iterator[str]) -> NotebookNode:
    """A stepper as the next of the files, or as the picture that it keeps; others as they are."""
    still = _STILL.search(output.get("data", {}).get("text/html", ""))
    if still:
        file = next(files, "")
        output.data = {"text/html": _FRAME.format(file) if file else still[0]}
    return output


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found[1] else "inline"
    return str(convert(found[1] or found[2], display=display))


def open_lab(options: Sequence[str]) -> None:
    """Start JupyterLab on the chapters; it asks nobody outside this machine for anything."""
    from jupyterlab import labapp

    usual = {
        "--ServerApp.root_dir": str(FOLDER),
        "--LabApp.news_url": "None",
        "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager": "readonly",
        "--LabApp.default_url": f"/lab/tree/{texts()[0].stem}.ipynb",
    }
    given = {option.partition("=")[0] for option in options}
    chosen = [f"{name}={value}" for name, value in usual.items() if name not in given]
    others = os.environ.get("JUPYTER_CONFIG_PATH", "")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [str(_CONFIG), others]))
    root = ["--allow-root"] if os.geteuid() == 0 else []
    labapp.main([*chosen, *root, *options])


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the notebooks, run them and save pages, or open them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("write", "render", "lab"))
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    if given.what == "lab":
        open_lab(given.rest)
    elif given.what == "write":
        for text in texts():
            text.with_suffix(".ipynb").write_text(written(notebook_of(text)), encoding="utf-8")
    else:
        render(*given.rest)


def render(folder: str = "build/notebooks", first: str = "") -> None:
    """Save the pages of the chapters whose names begin with `first`, and the runs in them."""
    (Path(folder) / "runs").mkdir(parents=True, exist_ok=True)
    for text in texts():
        if text.stem.startswith(first):
            notebook = notebook_of(text)
            files = runs_of(text, notebook)
            done = run(notebook, [Path(folder) / file for file in files])
            target = Path(folder) / f"{text.stem}.html"
            target.write_text(page(done, files), encoding="utf-8")
            print(target)


if __name__ == "__main__":
    main()
