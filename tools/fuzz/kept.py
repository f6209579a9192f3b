"""Which inputs are worth keeping: those that reach lines which no smaller one reaches."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tools.fuzz.targets import corpus, run

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

ROOM = 4000  # bytes of a target


def chosen(name: str, inputs: list[bytes]) -> list[bytes]:
    """The present corpus, and of some inputs those that reach further lines, the shortest first."""
    kept, reached = corpus(name), set[tuple[str, int]]()
    for data in kept:
        reached |= lines(name, data)
    room = ROOM - sum(map(len, kept))
    for data in sorted(inputs, key=lambda one: (len(one), one)):
        if len(data) <= room and data not in kept and (new := lines(name, data) - reached):
            reached |= new
            room -= len(data)
            kept.append(data)
    return kept


def lines(name: str, data: bytes) -> set[tuple[str, int]]:
    """The lines of this package that the input of a target runs."""
    seen = set[tuple[str, int]]()

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return inside

    def enter(frame: FrameType, _: str, __: Any) -> Any:
        return inside if "ucbpe_" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        run(name, data)
    except Exception:  # noqa: BLE001 - a finding, which the tests tell
        pass
    finally:
        sys.settrace(before)
    return seen
