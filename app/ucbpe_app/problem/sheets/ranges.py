"""Ranges, a line an input -> candidates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ucbpe_app.problem.sheets.draft import Draft
from ucbpe_app.problem.sheets.limits import MOST_INPUTS, MOST_MADE
from ucbpe_app.run.notation import short
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.spaces.design import Design
from ucbpe_core.spaces.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.tables.columns import Sheet, read_column
from ucbpe_core.tables.dialect import Reading
from ucbpe_core.tables.numbers import POINT, typed
from ucbpe_core.tables.roles import Role
from ucbpe_core.tables.table import Table
from ucbpe_core.tables.units import named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core.tables.columns import Column
    from ucbpe_core.tables.roles import Cell

_RANGE = re.compile(
    r"(?P<name>[^:]+):\s*(?P<low>\S+)\s+(?:to|–|\.\.)\s+(?P<high>[^\s;]+?)(?P<more>(?:[,;]?\s.*)?)",
    re.IGNORECASE,
)
_SUM = re.compile(r"(?P<names>[^:=<≤]+\+[^:=<≤]+)(?P<sign><=|≤|<|=)\s*(?P<total>\S+)\s*")
_LIST = re.compile(r"(?P<name>[^:]+):(?P<values>.*)")
_STEP = re.compile(r"\s*,?\s*step\s+(?P<step>\S+)", re.IGNORECASE)
_WORDS = {"": Role.INPUT, "log": Role.LOG, "logarithmic": Role.LOG, "whole": Role.WHOLE,
          "whole number": Role.WHOLE, "integer": Role.WHOLE}  # fmt: skip
_MEASURED = frozenset({"measured", "?", ""})
# Of ranges, a thousandfold one is logarithmic unless somebody says otherwise.
_RATIO = 1000.0
_LIKE = "heat: 20 to 80, solvent: water, THF, or oil + water = 1"


class _Line(NamedTuple):
    number: int
    text: str

    def refused(self, wanted: str, got: str = "", remedy: str = "correct the line") -> InputError:
        return InputError(f"{wanted} in line {self.number}", got or repr(short(self.text)), remedy)


@dataclass(frozen=True, eq=False)
class RangesDraft(Draft):
    """Ranges with the settings that stand for them; their roles are the kinds of the inputs.

    Attributes
    ----------
    design : what was written, with the kinds that were chosen since
    made : the candidates
    """

    uses = (Role.INPUT, Role.WHOLE, Role.LOG, Role.CATEGORY)
    counted = "row"

    design: Design = field(kw_only=True)
    made: Table = field(kw_only=True)

    @classmethod
    def of(cls, design: Design, output: str) -> RangesDraft:
        """With the rows made."""
        table = Table.of(design, output)
        settings, texts = table.settings(range(len(table))), dict(table.labels)
        cells = {
            name: texts.get(name) or tuple(f"{setting[name]:.12g}" for setting in settings)
            for name in design.names
        }
        columns = tuple(read_column(name, values, POINT) for name, values in cells.items())
        lines = tuple(range(1, len(table) + 1))
        sheet = Sheet(columns, lines, Reading(decimal=POINT), ())
        made = replace(table, remarks=(_words(design, len(table)),))
        return cls(sheet, tuple(map(_role, design.kinds)), confirmed=True, design=design, made=made)

    @cached_property
    def chosen(self) -> Table | InputError:
        return self.made

    @property
    def unreadable(self) -> tuple[Cell, ...]:
        return ()

    @property
    def open_texts(self) -> tuple[Column, ...]:
        return ()

    def assign(self, roles: Mapping[str, Role]) -> Draft:
        """Take other kinds of inputs, by name.

        Raises
        ------
        InputError
            For a kind that an input cannot be.
        """
        pairs = zip(self.design.names, self.design.kinds, strict=True)
        asked = [(name, kind, roles.get(name, _role(kind))) for name, kind in pairs]
        kinds = tuple(
            kind if _role(kind) is role else _as(name, kind, role) for name, kind, role in asked
        )
        return RangesDraft.of(replace(self.design, kinds=kinds), self.made.output)


def is_ranges(text: str) -> bool:
    """Whether a text has ranges, and no table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return bool(lines) and ":" in lines[0] and any(map(_RANGE.fullmatch, lines))


def read_ranges(text: str) -> RangesDraft:
    """The settings within ranges.

    Raises
    ------
    InputError
        For a line of another form, and ranges that cannot be.
    """
    inputs, sums, output = dict[str, Real | Category](), list[SumConstraint](), "y"
    kind: Real | Category
    for number, written in enumerate(text.splitlines(), start=1):
        line = _Line(number, written.strip())
        if not line.text:
            continue
        if match := _RANGE.fullmatch(line.text):
            name, kind = match["name"].strip(), _number(line, match)
        elif match := _SUM.fullmatch(line.text):
            total = typed(match["total"], f"the total in line {number}")
            members = tuple(_input(line, part, inputs) for part in match["names"].split("+"))
            sums.append(SumConstraint(members, total, at_most=match["sign"] != "="))
            continue
        elif match := _LIST.fullmatch(line.text):
            name = match["name"].strip()
            if match["values"].strip().casefold() in _MEASURED:
                output = name
                continue
            kind = Category(tuple(_parts(match["values"])))
        else:
            raise line.refused(f"a range, a category or a sum, as {_LIKE},")
        if name in inputs:
            raise line.refused("an input that is not yet there", repr(name), "give it another name")
        inputs[name] = kind
    design = Design(tuple(inputs), tuple(inputs.values()), tuple(sums), MOST_MADE)
    if len(design.columns) > MOST_INPUTS:
        wanted = f"at most {MOST_INPUTS} inputs, each value of a category counted"
        raise InputError(wanted, str(len(design.columns)), "leave some out")
    return RangesDraft.of(design, output)


def _number(line: _Line, match: re.Match[str]) -> Real:
    low, high = (typed(match[end], f"a number in line {line.number}") for end in ("low", "high"))
    more, step = match["more"], None
    if step_match := _STEP.search(more):
        step = typed(step_match["step"].rstrip(","), f"the step in line {line.number}")
        more = more.replace(step_match[0], "")
    word = more.strip(" ,").casefold()
    if word not in _WORDS:
        raise line.refused(
            "step, whole or log behind a range", repr(word), "write units in the name"
        )
    role = _WORDS[word]
    if not word and step is None and 0 < low * _RATIO <= high:
        role = Role.LOG
    if role is Role.WHOLE:
        return Integer(low, high, step=step or 1)  # type: ignore[arg-type]  # which it checks
    return Real(low, high, log=role is Role.LOG, step=step)


def _input(line: _Line, written: str, inputs: dict[str, Real | Category]) -> str:
    """The input of a sum: by its whole name, or by that without a unit."""
    name = written.strip()
    same = [other for other in inputs if name in (other, named(other)["long_name"])]
    if len(same) != 1:
        wanted = f"a sum of {', '.join(inputs) or 'inputs'}"
        raise line.refused(wanted, repr(name), "write the sum below its inputs")
    return same[0]


def _parts(text: str) -> list[str]:
    return [
        part.strip()
        for part in re.split(r"[;\t]" if ";" in text else r"[,\t]", text)
        if part.strip()
    ]


def _role(kind: Real | Integer | Category) -> Role:
    if isinstance(kind, Category):
        return Role.CATEGORY
    if kind.log:
        return Role.LOG
    return Role.WHOLE if isinstance(kind, Integer) else Role.INPUT


def _as(name: str, kind: Real | Integer | Category, role: Role) -> Real | Integer | Category:
    """An input as another kind."""
    if isinstance(kind, Category) or role is Role.CATEGORY:
        got = "a category" if isinstance(kind, Category) else "a range"
        remedy = "write a range, as 1 to 5, or the values of a category, as 1, 2, 5"
        raise InputError(f"{name} to be {role}", got, remedy)
    if role is Role.WHOLE:
        return Integer(kind.low, kind.high)  # type: ignore[arg-type]  # which it checks
    return Real(kind.low, kind.high, log=role is Role.LOG)


def _words(design: Design, rows: int) -> str:
    """How many settings there are, and what that means."""
    size = design.space.size
    if rows == size:
        return f"All {grouped(rows)} settings are rows."
    return (
        f"{grouped(rows)} settings stand for the ranges. A step, as 20 to 80 step 5, says how far "
        "apart they are; a list of your own takes any other constraint."
    )
