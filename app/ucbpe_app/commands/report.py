"""``ucbpe report``: a study as figures, tidy tables and one page of text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ucbpe_app.commands.arguments import add_plugin_option

if TYPE_CHECKING:
    from ucbpe_app.commands.arguments import Commands


def add_report(commands: Commands) -> None:
    """``ucbpe report``: draw and tabulate what a study has so far."""
    parser = commands.add_parser(
        "report",
        help="draw and tabulate a study",
        description="Write the figures (SVG and PNG), tables (CSV) and a page (report.md) of a "
        "study, finished or not. What failed is left out, counted and listed.",
    )
    parser.add_argument("study", metavar="STUDY.DB", type=Path, help="what `ucbpe study` wrote")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        help="made if there is none (default: STUDY-report, beside the study)",
    )
    parser.add_argument(
        "--level",
        type=_level,
        default=0.95,
        help="confidence of the intervals (default: %(default)s)",
    )
    add_plugin_option(parser)
    parser.set_defaults(run=run_report)


def run_report(arguments: argparse.Namespace) -> int:
    """Write the report and exit with 0."""
    # Imported here so that --help and the other subcommands do not wait for HoloViews.
    from ucbpe_app.report.write import report

    source: Path = arguments.study
    folder = arguments.out or source.with_name(f"{source.stem}-report")
    print(report(source, folder, level=arguments.level).summary)
    return 0


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = float("nan")
    if 0 < level < 1:
        return level
    raise argparse.ArgumentTypeError(f"expected a level between 0 and 1, got {text!r}")
