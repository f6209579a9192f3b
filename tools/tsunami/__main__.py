"""`python -m tools.tsunami table`, `resolution` or `figure`: see the README beside this file."""

from __future__ import annotations

import argparse

from tools.tsunami import figure, resolution, table
from tools.tsunami.parameters import Parameters


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m tools.tsunami")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("table", "simulate every design that the table lacks, then write it"),
        ("resolution", "simulate a few designs on three grids each"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="a Dask scheduler")
        command.add_argument("--workers", type=int, metavar="N", help="here (default: all cores)")
    commands.add_parser("figure", help="draw the picture in the README")
    arguments = parser.parse_args()
    parameters = Parameters.read()
    if arguments.command == "figure":
        figure.draw(parameters.resolution)
        return
    run = table.make if arguments.command == "table" else resolution.study
    run(parameters, scheduler=arguments.scheduler, workers=arguments.workers)


if __name__ == "__main__":
    main()
