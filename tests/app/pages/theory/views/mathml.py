"""The value of a formula as it stands on the page: MathML, read like a person reads it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

Names = Mapping[str, Any]


def evaluate(formula: str, names: Names) -> Any:
    """The value of MathML; indexed names and functions are callables, indices their arguments."""
    return _value(ElementTree.fromstring(formula), names)


def _value(node: Element, names: Names) -> Any:
    if node.tag == "mn":
        return float(node.text or "")
    if node.tag == "mi":
        return names[node.text or ""]
    if node.tag in _KINDS:
        return _KINDS[node.tag](list(node), names)
    assert node.tag == "mrow", node.tag
    kind = node.get("class")
    if kind is None:
        return _expression(list(node), names)
    return _ROWS[kind](list(node), names)


def _expression(parts: list[Element], names: Names) -> Any:
    """Terms with + or - between them, each of factors side by side or with a / before them."""
    parts = [part for part in parts if part.tag != "mspace"]
    if len(parts) > 1 and _sign(parts[0]) == _sign(parts[-1]) == "|":
        return abs(_expression(parts[1:-1], names))
    total, sign, term, power = 0.0, 1.0, None, 1
    for part in parts:
        operator = _sign(part)
        if operator == "/":
            power = -1
        elif operator:
            total += sign * term if term is not None else 0.0
            sign, term = {"+": 1.0, "−": -1.0}[operator], None
        else:
            factor = _value(part, names)
            term = factor if term is None else term * factor**power
            power = 1
    if total == 0.0 and sign == 1.0:
        return term  # perhaps not a number, but a point
    return total + sign * term


def _sign(part: Element) -> str:
    return (part.text or "") if part.tag == "mo" else ""


def _root(parts: list[Element], names: Names) -> float:
    return math.sqrt(_expression(parts, names))


def _fraction(parts: list[Element], names: Names) -> float:
    top, bottom = (_value(part, names) for part in parts)
    return top / bottom


def _power(parts: list[Element], names: Names) -> Any:
    base, exponent = parts
    if exponent.text == "*":  # x*, a name of its own
        return names[f"{base.text}*"]
    return _value(base, names) ** _value(exponent, names)


def _indexed(parts: list[Element], names: Names) -> Any:
    base, *indices = parts
    arguments = [part.text if part.text == "•" else _value(part, names) for part in indices]
    return _value(base, names)(*arguments)


def _function(parts: list[Element], names: Names) -> Any:
    head, opening, argument, closing = parts
    assert (_sign(opening), _sign(closing)) == ("(", ")")
    return _value(head, names)(_value(argument, names))


def _group(parts: list[Element], names: Names) -> Any:
    opening, inside, closing = parts
    assert (_sign(opening), _sign(closing)) == ("(", ")")
    return _value(inside, names)


def _sum(parts: list[Element], names: Names) -> float:
    (_, low, last), term = list(parts[0]), parts[1]
    index, equal, first = low
    assert _sign(equal) == "="
    start, stop = int(_value(first, names)), int(_value(last, names))
    return sum(
        _value(term, {**names, str(index.text): float(one)}) for one in range(start, stop + 1)
    )


_KINDS = {
    "math": _expression,
    "msqrt": _root,
    "mfrac": _fraction,
    "msup": _power,
    "msub": _indexed,
    "msubsup": _indexed,
}
_ROWS = {"of": _function, "group": _group, "sum": _sum}
