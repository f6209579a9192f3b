"""``ucbpe playground``: the laboratory as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path

from ucbpe_app.commands import require_folder

HELP = "write the laboratory as one HTML file, which needs no server"
DESCRIPTION = (
    "Write one HTML file in which any browser steps through runs and computes them itself: all "
    "functions of one and two inputs, the lessons, and every setting that an engine in JavaScript "
    "has. It needs no server and no network."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which file to write."""
    parser.add_argument(
        "path", metavar="PATH", type=Path, nargs="?",
        help="of the file, by default playground.html or inventory.html",
    )  # fmt: skip
    parser.add_argument(
        "--inventory", action="store_true",
        help="the concept inventory instead, as a page, or for Moodle if PATH ends in .xml",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the file and exit with 0."""
    # Imported here so that --help and the other subcommands do not wait for Panel.
    from ucbpe_app.files import inventory
    from ucbpe_app.files.playground import playground
    from ucbpe_core.files import text as files

    asked = arguments.inventory
    path: Path = arguments.path or Path("inventory.html" if asked else "playground.html")
    require_folder(path)
    make = (inventory.moodle if path.suffix == ".xml" else inventory.page) if asked else playground
    data = make().encode()
    files.write_bytes(path, data)
    print(f"{path}: {len(data) / 1e6:.2g} MB")
    return 0
