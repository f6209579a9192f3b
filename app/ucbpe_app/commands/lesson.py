"""``ucbpe lesson``: a run as one HTML file, for a course page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ucbpe_app.commands import add_plugin_option, printable, require_folder

HELP = "write a run as one HTML file"
DESCRIPTION = (
    "Write the run of a link as one HTML file that steps through every event in any browser, with "
    "no server and no network."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run to write, and to which file."""
    parser.add_argument(
        "--link",
        metavar="QUERY",
        required=True,
        help="the link as copied from the dashboard, or its part after the ?, e.g. preset=figure-2",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="with settings that can be changed in the browser, for one or two inputs",
    )
    parser.add_argument("--out", metavar="LESSON.html", type=Path, required=True)
    add_plugin_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the file and exit with 0; 1 if parts of the link could not be used.

    Each part that could not be used is reported on a line.
    """
    # Imported here so that --help and the other subcommands do not wait for Panel.
    from ucbpe_app.files.products import Source, make
    from ucbpe_app.links import decode, restore
    from ucbpe_app.run.cache import bounds
    from ucbpe_core.files import text as files

    require_folder(arguments.out)
    moment, errors = decode(arguments.link.rpartition("?")[2])
    moment, replay, others = restore(moment)
    limits = bounds(replay) if "bounds" in moment.layers else None
    product = make("live" if arguments.live else "html", Source(moment, replay, limits))
    files.write_bytes(arguments.out, product.data)
    for message in (*errors, *others):
        print(f"ucbpe lesson: {printable(str(message))}", file=sys.stderr)
    events, megabytes = len(replay.events), len(product.data) / 1e6
    print(f"{arguments.out}: {events} events, {megabytes:.1f} MB, run {replay.trace.digest[:8]}")
    return 1 if errors or others else 0
