"""Changes of a document of tables and lists, as bytes say."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.fuzz.draw import Draw

_MOST_CHANGES = 4
_WORDS = (
    "", "kind", "rbf", "matern", "polynomial", "sum", "product", "finite", "compact", "constant",
    "GP-UCB-PE", "GP-UCB", "GP-BUCB", "SM-UCB", "EI-PE", "minimize", "maximize", "ucb", "pe",
    "undo", "redo", "correct", "ask", "tell", "plan", "withdraw", "allow", "avoid",
    "os:system", "\ud800", "\0",
)  # fmt: skip


def changed(document: Any, draw: Draw) -> Any:
    """A copy with some parts replaced, removed, doubled or exchanged."""
    document = copy.deepcopy(document)
    for _ in range(1 + draw.below(_MOST_CHANGES)):
        holder, key = _place(document, draw)
        if holder is None:
            return _value(draw)
        _change(holder, key, draw)
    return document


def _place(document: Any, draw: Draw) -> tuple[Any, Any]:
    """Down from the outermost table or list, until the bytes say stop: what holds it, and where."""
    holder, key, inner = None, None, document
    while isinstance(inner, dict | list) and inner and (holder is None or draw.below(8)):
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        holder, key = inner, keys[draw.below(min(len(keys), 256))]
        inner = holder[key]
    return holder, key


def _change(holder: Any, key: Any, draw: Draw) -> None:
    match draw.below(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case 2 if isinstance(holder, list):
            other = draw.below(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case 3 if isinstance(holder, dict):
            holder[draw.choose(_WORDS)] = _value(draw)
        case 4 if type(holder[key]) is float or holder[key] in range(-9999, 9999):
            holder[key] += draw.choose((1, -1, 1e-9, 0.5, -100))
        case _:
            holder[key] = _value(draw)


def _value(draw: Draw) -> Any:
    return draw.any_of(
        draw.number, lambda: draw.below(256), lambda: -draw.below(256), lambda: None,
        lambda: True, lambda: draw.choose(_WORDS), draw.text, list, dict,
        lambda: 10 ** draw.below(256) * 10**200, lambda: [draw.number(), draw.number()],
        lambda: {"kind": draw.choose(_WORDS)}, lambda: [[draw.number()]], lambda: 2**63,
    )  # fmt: skip
