"""``ucbpe site``: lessons and chapters for any static host."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.commands import require_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.lessons import Lesson

HELP = "write the lessons for a static host"
DESCRIPTION = (
    "Write the lessons as a folder of HTML files with an index page, which works from a static "
    "host or from a disk. A file that is up to date is left as it is."
)


_BAR = "{desc} {percentage:3.0f}%|{bar}| {n:.1f} of {total:.0f} [{elapsed}<{remaining}]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which pages, and which folder."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="created if it does not exist")
    parser.add_argument(
        "--playground",
        action="store_true",
        help="also the playground, see `ucbpe playground`, next to the index",
    )
    parser.add_argument(
        "--lessons",
        type=Path,
        metavar="FOLDER",
        help="also the lessons in this folder, its .toml files (see docs/lessons.md)",
    )
    parser.add_argument(
        "--only",
        metavar="SLUG",
        action="append",
        help="this lesson instead of all (repeatable); an unknown name lists them",
    )
    parser.add_argument(
        "--chapters",
        type=Path,
        metavar="FOLDER",
        help="also the chapters in this folder: the pages that `make pages` saves",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write what is new, report it, and exit with 0."""
    # Imported here so that --help and the other subcommands do not wait for Panel.
    from tqdm import tqdm

    from ucbpe_app.files.site import Site
    from ucbpe_app.files.site_index import chapters_of
    from ucbpe_app.lessons import offer

    folder: Path = arguments.folder
    chapters = () if arguments.chapters is None else chapters_of(arguments.chapters)
    if arguments.lessons is not None:
        offer(arguments.lessons)
    chosen = _chosen(arguments.only)
    folder.mkdir(parents=True, exist_ok=True)
    require_folder(folder / "index.html")
    site, made = Site(folder), []
    with tqdm(total=len(chosen), unit="lesson", dynamic_ncols=True, bar_format=_BAR) as bar:

        def progress(fraction: float) -> None:
            bar.update(len(made) + fraction - bar.n)

        for lesson in chosen:
            bar.set_description_str(lesson.slug)
            made.append(site.lesson(lesson, progress))
            progress(0.0)
    if arguments.playground:
        site.playground()
    site.finish(made, chapters)
    print(
        f"{folder}/index.html: {len(made)} lessons, {len(chapters)} chapters; "
        f"{len(site.new)} files written, {len(site.same)} up to date"
    )
    return 0


def _chosen(slugs: Sequence[str] | None) -> tuple[Lesson, ...]:
    """The lessons of these slugs, in the order of all, or all of them."""
    from ucbpe_app.lessons import offered
    from ucbpe_core.errors import InputError

    names = [lesson.slug for lesson in offered()]
    for slug in slugs or ():
        if slug not in names:
            raise InputError(f"a lesson among {', '.join(names)}", slug, "name one of them")
    return tuple(lesson for lesson in offered() if slugs is None or lesson.slug in slugs)
