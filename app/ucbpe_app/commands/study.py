"""``ucbpe study``: run what is missing of a replicated study."""

from __future__ import annotations

import argparse

from ucbpe_app.commands.arguments import add_plugin_option
from ucbpe_app.commands.running import add_engine_options, run_study

HELP = "run a replicated study"
DESCRIPTION = (
    "Run what the store lacks of a study. After an interruption, the same command goes on. Exits "
    "with 0, or 1 if runs failed, 2 for input that cannot be run, 130 after Ctrl-C."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which study, where to, and who runs it."""
    parser.add_argument("--config", required=True, metavar="STUDY.toml", help="what to run")
    parser.add_argument("--out", required=True, metavar="STUDY.db", help="the store of the results")
    add_plugin_option(parser)
    add_engine_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run or resume; return the exit code."""
    # Imported here so that the other subcommands do not wait for SciPy.
    from ucbpe_core.study import load_study

    return run_study(load_study(arguments.config), arguments.out, arguments)
