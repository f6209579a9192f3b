"""The subcommands of ``ucbpe``, and what their arguments share.

Each is a module with `HELP`, one line, `DESCRIPTION`, `add_arguments(parser)` and
`run(arguments)`, which returns the exit code.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

T = TypeVar("T")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # could move a terminal's cursor


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, and where the usage is."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {printable(message)}; see {self.prog} --help\n")


def printable(text: str) -> str:
    """A text of a file's or a link's in one line that a terminal shows, and does not obey."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def require_folder(path: Path) -> None:
    """Refuse a file, before it is computed, whose folder is not there or cannot be written.

    Raises
    ------
    InputError
        Also for a folder in place of the file.
    """
    from ucbpe_core.errors import InputError

    folder = path.absolute().parent
    if path.is_dir():
        raise InputError(f"a file at {path}", "a folder", "name a file in it")
    if not folder.is_dir():
        raise InputError(f"a folder {folder}", "none", "make it, or name another file")
    if not os.access(folder, os.W_OK):
        raise InputError(f"a folder {folder} to write in", "one that is read-only", "name another")


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
