"""``ucbpe reproduce``: the paper's section 5 and what its claims need, run and summarised."""

from __future__ import annotations

import argparse
from pathlib import Path

from ucbpe_app.commands.running import add_engine_options, run_study

HELP = "run the paper's experiments"
DESCRIPTION = (
    "Run what is missing of the paper's experiments, then write their summaries and figures. Takes "
    "about two hours on two cores; after an interruption the same command goes on. Abalone needs a "
    "network, or UCBPE_DATA_DIR to name the folder that holds abalone.data."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which studies, which folder, and the workers that run them."""
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path("reproduction"),
        help="folder for the results, with a store and a folder per study (default: %(default)s)",
    )
    parser.add_argument(
        "--only",
        metavar="STUDY",
        action="append",
        help="run this study instead of all (repeatable); an unknown name lists them",
    )
    parser.add_argument(
        "--document",
        metavar="FILE.md",
        type=Path,
        help="update the tables in this file (REPRODUCTION.md) from all summaries in FOLDER",
    )
    add_engine_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run or resume, and summarise what is complete; return the highest exit code."""
    # Imported here so that the other subcommands do not wait for HoloViews.
    from ucbpe_app.reproduction.paper import STUDIES
    from ucbpe_app.reproduction.write import fill_document, write_study
    from ucbpe_core.errors import InputError

    names, code = arguments.only or list(STUDIES), 0
    for name in names:
        if name not in STUDIES:
            raise InputError(f"a study among {', '.join(STUDIES)}", name, "name one of them")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        store = arguments.out / f"{name}.db"
        code = max(code, run_study(STUDIES[name](), store, arguments))
        if code > 1:
            return code
        write_study(name, store, arguments.out / name)
    if arguments.document is not None:
        fill_document(arguments.document, arguments.out)
    return code
