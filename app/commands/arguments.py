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
