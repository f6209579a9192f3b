"""The command line ``ucbpe``: each subcommand is a module in `commands`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from ucbpe_app.commands import Parser, dashboard, lesson, playground, printable, site, study

COMMANDS = {
    "app": dashboard,
    "study": study,
    "lesson": lesson,
    "playground": playground,
    "site": site,
}
# What NumPy and SciPy look at once, when they are loaded: how many threads BLAS has.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code."""
    parser = Parser(prog="ucbpe", description="The GP-UCB-PE laboratory.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        own = commands.add_parser(name, help=command.HELP, description=command.DESCRIPTION)
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help()
        return 0
    return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    """Return the exit code; 2, with a message, for what cannot be read, run or written."""
    _use_one_thread()
    # Imported here so that --help does not wait for NumPy, which looks at the environment first.
    from ucbpe_core.errors import UCBPEError
    from ucbpe_core.support.optional import install, is_of_extra
    from ucbpe_core.support.plugins import use_plugin

    try:
        for source in getattr(arguments, "plugin", ()):
            use_plugin(source)  # before anything lists what there is
        code: int = arguments.run(arguments)
    except (UCBPEError, OSError) as error:
        for line in _lines(error):
            sys.stderr.write(f"ucbpe {arguments.command}: {printable(line)}\n")
        return 2
    except ModuleNotFoundError as missing:
        if not is_of_extra(missing):
            raise
        sys.stderr.write(f"ucbpe: {missing}; {install('app')} has all it needs\n")
        return 2
    return code


def _use_one_thread() -> None:
    """Have BLAS compute in one thread, unless the environment says otherwise.

    A run has many products of small matrices, for which threads wait for each other: where other
    processes are busy, two took eight times the time of one.
    """
    if not any(name in os.environ for name in _THREADS):
        os.environ.update(dict.fromkeys(_THREADS, "1"))


def _lines(error: Exception) -> list[str]:
    """What an error says, in one line; of a lesson's file, one for each of its mistakes.

    Of the system's own errors expected and got, as in those of this package.
    """
    said = str(error)
    if hasattr(error, "mistakes"):
        return said.splitlines()
    if isinstance(error, OSError) and error.filename and error.strerror:
        said = f"expected {error.filename} to be readable and writable; got {error.strerror}"
    return [" ".join(said.split())]


def _version() -> str:
    try:
        return f"ucbpe {version('ucbpe')}"
    except PackageNotFoundError:
        return "ucbpe, from a checkout that is not installed"


if __name__ == "__main__":
    sys.exit(main())
