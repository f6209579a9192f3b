"""What the subcommands' arguments have in common.

Each subcommand is a module with `HELP`, one line, `DESCRIPTION`, `add_arguments(parser)` and
`run(arguments)`, which returns the exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def checked(
    convert: Callable[[str], T], fits: Callable[[T], bool], wanted: str
) -> Callable[[str], T]:
    """The type of an argument that `convert` can read, and whose value `fits`."""

    def parse(text: str) -> T:
        try:
            value = convert(text)
        except ValueError:
            pass
        else:
            if fits(value):
                return value
        raise argparse.ArgumentTypeError(f"expected {wanted}, got {text!r}")

    return parse


def whole_number(minimum: int) -> Callable[[str], int]:
    """The type of an argument that is a number of at least `minimum`, in digits alone."""
    return checked(digits, lambda value: value >= minimum, f"a number of at least {minimum}")


def digits(text: str) -> int:
    """The number that digits alone make."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def add_plugin_option(parser: argparse.ArgumentParser) -> None:
    """Whose kernels, policies, schedules and problems there are beside those of this package."""
    parser.add_argument(
        "--plugin",
        metavar="MODULE_OR_FILE",
        action="append",
        default=[],
        help="a module, or a file ending in .py, with kernels, policies, schedules or problems, "
        "under the names that it registers or as MODULE:NAME (repeatable); its code is run",
    )
