"""The value of a formula as it stands on the page: MathML, read like a person reads it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ucbpe_app.pages.theory.views.formulas import math as mathml

Names = Mapping[str, Any]
CLOSING = {"(": ")", "|": "|"}
ROWS = ("math", "mrow", "mstyle")


def evaluate(tex: str, names: Names) -> Any:
    """The value of a formula; functions and indexed names are callables."""
    root = ElementTree.fromstring(mathml(tex))
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return value(root, names)


def value(node: Element, names: Names) -> Any:
    """The value of one element."""
    parts = list(node)
    if node.tag == "mn":
        return float(node.text or "")
    if node.tag in ("mi", "mtext"):
        return "•" if node.text == "•" else names[node.text or ""]
    if node.tag in ROWS:
        return terms(leaves(node), names)
    if node.tag == "msqrt":
        return math.sqrt(terms(leaves(node), names))
    if node.tag == "mfrac":
        return value(parts[0], names) / value(parts[1], names)
    if node.tag == "msup" and parts[1].text == "*":  # x*, a name of its own
        return names[f"{parts[0].text}*"]
    if node.tag == "msup":
        return value(parts[0], names) ** value(parts[1], names)
    assert node.tag in ("msub", "msubsup"), node.tag
    return value(parts[0], names)(*(value(part, names) for part in parts[1:]))


def leaves(row: Element) -> list[Element]:
    """What stands side by side; rows and styles have no meaning of their own."""
    return [
        leaf
        for part in row
        if part.tag != "mspace"
        for leaf in (leaves(part) if part.tag in ROWS else [part])
    ]


def sign(part: Element) -> str:
    return (part.text or "") if part.tag == "mo" else ""


def terms(parts: list[Element], names: Names) -> Any:
    """Terms with + or - between them."""
    total, start, depth = None, 0, 0
    for end in range(1, len(parts) + 1):
        depth += {"(": 1, ")": -1}.get(sign(parts[end - 1]), 0)
        if bars(parts[:end]) or depth or (end < len(parts) and sign(parts[end]) not in ("+", "−")):
            continue
        one = term(parts[start:end], names)
        total = one if total is None else total + one
        start = end
    return total


def bars(parts: list[Element]) -> bool:
    """Whether a bar is open."""
    return sum(sign(part) == "|" for part in parts) % 2 == 1


def term(parts: list[Element], names: Names) -> Any:
    """Factors side by side, or with a / before them; a sum is of all that follows it."""
    product, at, power = None, 0, 1
    factor: Any
    while at < len(parts):
        part = parts[at]
        if sign(part) in ("+", "−", "/"):
            if sign(part) == "−":
                product = -1.0
            power, at = (-1 if sign(part) == "/" else 1), at + 1
            continue
        if part.tag == "munderover":
            factor, at = summed(part, parts[at + 1 :], names), len(parts)
        elif sign(part) in CLOSING:
            end = closing(parts, at)
            factor = terms(parts[at + 1 : end], names)
            factor, at = (abs(factor) if sign(part) == "|" else factor), end + 1
        else:
            factor, at = value(part, names), at + 1
            if callable(factor):
                end = closing(parts, at)
                factor, at = factor(terms(parts[at + 1 : end], names)), end + 1
        product, power = factor if product is None else product * factor**power, 1
    return product


def closing(parts: list[Element], at: int) -> int:
    """Where the parenthesis or bar that opens here is closed."""
    opening, depth = sign(parts[at]), 0
    for end in range(at, len(parts)):
        if sign(parts[end]) == CLOSING[opening] and end > at:
            depth -= 1
        elif sign(parts[end]) == opening:
            depth += 1
        if depth == 0:
            return end
    raise AssertionError("expected it to be closed")


def summed(sigma: Element, parts: list[Element], names: Names) -> float:
    """A sum of a term."""
    _, low, last = list(sigma)
    index, equal, first = low
    assert sign(equal) == "="
    start, stop = int(value(first, names)), int(value(last, names))
    return sum(
        term(parts, {**names, str(index.text): float(one)}) for one in range(start, stop + 1)
    )
