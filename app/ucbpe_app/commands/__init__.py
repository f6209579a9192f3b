"""The subcommands of ``ucbpe``, and what their arguments share.

Each is a module with `HELP`, one line, `DESCRIPTION`, `add_arguments(parser)` and
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
    """The type of an argument that is a whole number of at least `minimum`, written in digits."""
    return checked(digits, lambda value: value >= minimum, f"a number of at least {minimum}")


def digits(text: str) -> int:
    """The number written in digits."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def add_plugin_option(parser: argparse.ArgumentParser) -> None:
    """The plugins, which add kernels, policies, schedules and problems to those of this package."""
    parser.add_argument(
        "--plugin",
        metavar="MODULE_OR_FILE",
        action="append",
        default=[],
        help="a module, or a file ending in .py, with kernels, policies, schedules or problems, "
        "under the names that it registers or as MODULE:NAME (repeatable); its code is run",
    )
