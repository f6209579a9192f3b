"""The chapters as pages of the site: their texts, with what running them shows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from os import cpu_count
from shutil import copytree
from typing import TYPE_CHECKING

from tools import notebooks
from tools.docs import sources

if TYPE_CHECKING:
    from pathlib import Path

    from nbformat import NotebookNode

_FENCE = "```"


def write(folder: Path, *, run: bool = True) -> None:
    """Write a page for each chapter, those that are run as many at a time as there are cores."""
    (folder / "runs").mkdir(parents=True)
    with ThreadPoolExecutor(cpu_count() if run else 1) as pool:
        list(pool.map(partial(_write, folder, run), notebooks.texts()))


def copy_runs(folder: Path, site: Path) -> None:
    """Copy the runs that the chapters have in frames, which Sphinx does not know of."""
    copytree(folder / "chapters" / "runs", site / "chapters" / "runs", dirs_exist_ok=True)


def _write(folder: Path, run: bool, text: Path) -> None:
    notebook = notebooks.notebook_of(text)
    files = notebooks.runs_of(text, notebook)
    if run:
        notebook = notebooks.run(notebook, [folder / file for file in files])
    page = page_of(notebooks.settled(notebook, files))
    target = folder / text.name
    target.write_text(sources.rewritten(page, text, _no_picture), encoding="utf-8")


def page_of(notebook: NotebookNode) -> str:
    """A settled notebook as Markdown."""
    parts = list[str]()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        else:
            folded = "plot" in cell.metadata.get("tags", ())  # its source stands before it
            parts += [] if folded else [_fenced("python", cell.source)]
            parts += map(_shown, cell.outputs)
    return "\n\n".join(parts) + "\n"


def _shown(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return _fenced("text", output.text.rstrip())
    html = output.data.get("text/html")
    return _fenced("{raw} html", html) if html else _fenced("text", output.data["text/plain"])


def _fenced(language: str, text: str) -> str:
    return f"{_FENCE}{language}\n{text}\n{_FENCE}"


def _no_picture(picture: Path) -> str:
    raise AssertionError(f"chapters draw their pictures: {picture}")
