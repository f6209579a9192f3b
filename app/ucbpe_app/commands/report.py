"""``ucbpe report``: a study as figures, tidy tables and one page of text."""

from __future__ import annotations

import argparse
from pathlib import Path

from ucbpe_app.commands import add_plugin_option, checked

HELP = "draw and tabulate a study"
DESCRIPTION = (
    "Write the figures (SVG and PNG), tables (CSV) and a page (report.md) of a study, finished or "
    "not. Failed runs are left out, counted and listed."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which study, which folder, and the confidence of the intervals."""
    parser.add_argument("study", metavar="STUDY.DB", type=Path, help="written by `ucbpe study`")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        help="created if it does not exist (default: STUDY-report, beside the study)",
    )
    parser.add_argument(
        "--level",
        type=checked(float, lambda level: 0 < level < 1, "a level between 0 and 1"),
        default=0.95,
        help="confidence of the intervals (default: %(default)s)",
    )
    add_plugin_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the report and exit with 0."""
    # Imported here so that --help and the other subcommands do not wait for HoloViews.
    from ucbpe_app.report.write import report

    source: Path = arguments.study
    folder = arguments.out or source.with_name(f"{source.stem}-report")
    print(report(source, folder, level=arguments.level).summary)
    return 0
