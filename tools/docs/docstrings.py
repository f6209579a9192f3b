"""Docstrings as Sphinx reads them: they are plain text, with code in backticks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LITERAL = re.compile(r"``.+?``|`[^`]+`")
_SPECIAL = re.compile(r"([|*\\]|_(?=[\s.,;:)\]}'\"/-]|$))")
_NAMED = re.compile(r"([\w*][\w*, ]*?) : (.+)")
_SECTIONS = ("Parameters", "Attributes")


def described(lines: Iterable[str]) -> list[str]:
    """Names of parameters and attributes alone, and what is said of them below.

    After the colon stands what a reader has to know, the type or the shape or a sentence that goes
    on in the next line. To Sphinx it would be a type, in italics.
    """
    kept, result = list(lines), list[str]()
    section = False
    for number, line in enumerate(kept):
        after = kept[number + 1] if number + 1 < len(kept) else ""
        if after.startswith("---"):
            section = line in _SECTIONS
        named = _NAMED.fullmatch(line) if section else None
        if named is None:
            result.append(line)
            continue
        said = named[2]
        if re.match(r" +[A-Z]", after) and said[-1] not in ".:,;":
            said += "."  # the next line is another sentence
        result += [named[1], f"    {said}"]
    return result


def escaped(lines: Iterable[str]) -> list[str]:
    """Formulas such as |X| and x* are no markup; examples are left alone.

    Examples are indented after a double colon, or begin with a prompt.
    """
    result = list[str]()
    literal: int | None = None  # the indentation of the line that introduced a literal block
    prompt = False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        prompt = line.lstrip().startswith(">>>") or (prompt and bool(line.strip()))
        if literal is not None or prompt:
            result.append(line)
            continue
        parts, end = [], 0
        for code in _LITERAL.finditer(line):
            parts += [_SPECIAL.sub(r"\\\1", line[end : code.start()]), code[0]]
            end = code.end()
        result.append("".join([*parts, _SPECIAL.sub(r"\\\1", line[end:])]))
        if line.rstrip().endswith("::"):
            literal = indent
    return result
