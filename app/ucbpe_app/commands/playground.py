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
        "path", metavar="PATH", type=Path, nargs="?", default=Path("playground.html"),
        help="of the file, by default playground.html",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the file and exit with 0."""
    # Imported here so that --help and the other subcommands do not wait for Panel.
    from ucbpe_app.files.playground import playground
    from ucbpe_core.files import text as files

    require_folder(arguments.path)
    data = playground().encode()
    files.write_bytes(arguments.path, data)
    print(f"{arguments.path}: {len(data) / 1e6:.1f} MB")
    return 0
