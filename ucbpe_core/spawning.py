"""Scripts that start processes: each of them imports the script, and must not start more."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from types import FrameType, ModuleType

# Names of which a condition holds in the script itself, and not where it is imported.
_TELLING = {"__name__", "parent_process", "current_process"}


def check_main_guard() -> None:
    """Refuse a call from the top level of a script that new processes would make again.

    Processes that are not forked import the script that started them. Without
    ``if __name__ == "__main__":`` each would start processes of its own, which multiprocessing
    stops, with a traceback for each.

    Raises
    ------
    InputError
        If the line of the script that led here has no such condition around it, or before it.
    """
    main = sys.modules.get("__main__")
    path, line = getattr(main, "__file__", None), _line_of(main)
    if path is None or line is None:  # a notebook, or a call by another module or thread
        return
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):  # a zip archive, for one
        return
    if not any(node.lineno <= line for node in ast.walk(tree) if _is_guard(node)):
        raise InputError(
            'a script that starts workers below if __name__ == "__main__":',
            f"line {line} of {Path(path).name} without it",
            "add that line, as each worker imports the script first; or start none",
        )


def _line_of(main: ModuleType | None) -> int | None:
    """The line of the main script that is being run, if it is among the callers."""
    frame: FrameType | None = inspect.currentframe()
    while main is not None and frame is not None:
        if frame.f_globals is vars(main) and frame.f_code.co_name == "<module>":
            return frame.f_lineno
        frame = frame.f_back
    return None


def _is_guard(node: ast.AST) -> TypeGuard[ast.If]:
    if not isinstance(node, ast.If):
        return False
    named = {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(node.test)}
    return bool(named & _TELLING)
