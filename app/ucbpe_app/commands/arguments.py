"""What the subcommands' arguments have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def whole_number(minimum: int) -> Callable[[str], int]:
    """The type of an argument that is a number of at least `minimum`."""

    def parse(text: str) -> int:
        if text.isdecimal() and int(text) >= minimum:
            return int(text)
        raise argparse.ArgumentTypeError(f"expected a number of at least {minimum}, got {text!r}")

    return parse


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
