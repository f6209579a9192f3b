"""Build the documentation as a site: ``python -m tools.docs FOLDER``.

``--without chapters`` has the chapters' texts without running them, ``--without lessons`` leaves
the gallery of lessons out; both take long. Nothing is fetched from a network.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

from tools.docs import chapters, galleries, inventory, links, questions, reference, sources
from ucbpe_app import cli

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
KEPT = ("gallery",)  # made anew only where something has changed, which takes long
PARTS = ("chapters", "lessons")
_WAY_BACK = re.compile(r'<a class="viewcode-back" [^>]*>[^<]*</a>')


def main(arguments: Sequence[str] | None = None) -> int:
    """Write sources, have Sphinx make pages of them, add the lessons, and check all links."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the site")
    parser.add_argument("--without", choices=PARTS, action="append", default=[])
    given = parser.parse_args(arguments)
    folder: Path = given.folder
    texts = folder.with_name(f"{folder.name}-sources")
    assemble(texts, given.without)
    empty(folder)
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-j", "2"]
    doctrees = str(texts.with_name(f"{folder.name}-doctrees"))
    command = [*sphinx, "-b", "html", "-c", str(HERE), "-d", doctrees, str(texts), str(folder)]
    if subprocess.run(command, check=False).returncode:
        return 1
    without_ways_back(folder / "_modules")
    if "lessons" not in given.without:
        cli.main(["site", str(folder / "gallery"), "--playground"])
    chapters.copy_runs(texts, folder)
    broken, unanswered = links.broken(folder), questions.unanswered(folder)
    for one in (*broken, *unanswered):
        print(one, file=sys.stderr)
    asked = f"{len(questions.QUESTIONS)} questions, {len(unanswered)} without an answer near"
    counts = f"{links.pages(folder)} pages, {len(broken)} broken links, {asked}"
    print(f"{folder / 'index.html'}: {counts}")
    return 1 if broken or unanswered else 0


def assemble(folder: Path, without: Sequence[str] = ()) -> None:
    """Write everything that Sphinx reads into a new folder."""
    rmtree(folder, ignore_errors=True)
    made = {
        "lessons": galleries.lessons() if "lessons" not in without else galleries.NO_LESSONS,
        "playground": galleries.playground() if "lessons" not in without else "",
        "glossary": galleries.glossary(),
        "questions": inventory.questions(),
        "policies": galleries.policies(folder / "pictures"),
    }
    sources.write(folder, made)
    reference.write(folder / "api")
    chapters.write(folder / "chapters", run="chapters" not in without)


def without_ways_back(folder: Path) -> None:
    """Take the links out of pages of source: the reference has names where people import them."""
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(_WAY_BACK.sub("", text), encoding="utf-8")


def empty(folder: Path) -> None:
    """Remove what an earlier build left, but for what is slow to make."""
    for path in folder.glob("*"):
        if path.name not in KEPT:
            rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    sys.exit(main())
