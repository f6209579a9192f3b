"""A table with what a person has said of it; and ranges, a line an input -> candidates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ucbpe_app.problem.sheets.columns import Column, Sheet, read_column, read_lines, without
from ucbpe_app.problem.sheets.dialect import Reading
from ucbpe_app.problem.sheets.limits import MOST_INPUTS, MOST_MADE
from ucbpe_app.problem.sheets.table import Choice, Role, choose, is_open, unreadable
from ucbpe_app.run.notation import short
from ucbpe_app.widgets.numbers import POINT, typed
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.files.trace import named
from ucbpe_core.search.experiment import Design, Table
from ucbpe_core.spaces.inputs import Category, Integer, Real, SumConstraint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ucbpe_app.problem.sheets.table import Cell


@dataclass(frozen=True, eq=False)
class Draft:
    """A table with what a person has said of it.

    Attributes
    ----------
    whole : the sheet as it was read
    roles : what each column is for
    left_out : the lines of the rows left out
    confirmed : whether a person said which column is the value
    settled : names of the columns of text whose use a person said
    uses, counted : the roles to choose from, and what the rows are counted by
    """

    uses: ClassVar[tuple[Role, ...]] = tuple(role for role in Role if role is not Role.WHOLE)
    counted: ClassVar[str] = "line"

    whole: Sheet
    roles: tuple[Role, ...]
    left_out: tuple[int, ...] = ()
    confirmed: bool = False
    settled: tuple[str, ...] = ()

    @cached_property
    def sheet(self) -> Sheet:
        """The sheet without the rows that are left out."""
        return without(self.whole, self.left_out)

    @cached_property
    def chosen(self) -> Choice | InputError:
        """The candidates, or what keeps them from being used."""
        try:
            return choose(self.sheet, self.roles)
        except InputError as error:
            return error

    @property
    def choice(self) -> Choice | None:
        """The candidates, if they can be used."""
        return self.chosen if isinstance(self.chosen, Choice) else None

    @property
    def unreadable(self) -> tuple[Cell, ...]:
        """The cells that keep their row from being used."""
        return unreadable(self.sheet, self.roles)

    @property
    def open_text(self) -> Column | None:
        """A column of text that may be an input, and nobody has said whether it is."""
        open_columns = (column for column in self.sheet.columns if is_open(column))
        return next((column for column in open_columns if column.name not in self.settled), None)

    @property
    def ready(self) -> bool:
        """Whether there is a choice, and nothing left to be said."""
        return self.choice is not None and self.confirmed and self.open_text is None

    @property
    def value(self) -> str | None:
        """The name of the value column; None without one."""
        pairs = zip(self.whole.columns, self.roles, strict=True)
        return next((column.name for column, role in pairs if role is Role.VALUE), None)

    def confirm(self, value: str | None) -> Draft:
        """The value column is `value`, as asked about; no change if it is another by now."""
        return replace(self, confirmed=self.confirmed or value == self.value)

    def assign(self, roles: Mapping[str, Role]) -> Draft:
        """Say what columns are for, by name; the others stay as they are, unknown names count not.

        A column of text counts as answered even if its use stays the same.
        """
        names = [column.name for column in self.whole.columns]
        pairs = [(roles.get(name, old), old) for name, old in zip(names, self.roles, strict=True)]
        chosen = any(now is not before and Role.VALUE in (now, before) for now, before in pairs)
        return replace(
            self,
            roles=tuple(now for now, _ in pairs),
            confirmed=self.confirmed or chosen,
            settled=(*self.settled, *(name for name in names if name in roles)),
        )

    def leave_out(self, lines: str) -> Draft:
        """Leave out the rows on these lines, as in "5, 12-14", and no others.

        Raises
        ------
        InputError
            For anything else, and if no row is left.
        """
        return self._without(read_lines(lines, self.whole))

    def leave_out_unreadable(self, lines: Collection[int]) -> Draft:
        """Leave out also those of these rows that have a cell that cannot be used."""
        unreadable = {cell.line for cell in self.unreadable}
        return self._without({*self.left_out, *unreadable.intersection(lines)})

    def _without(self, lines: Iterable[int]) -> Draft:
        draft = replace(self, left_out=tuple(sorted(lines)))
        _ = draft.sheet  # which refuses lines that are not there
        return draft


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
    made: Choice = field(kw_only=True)

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
        made = Choice(table, None, (_words(design, len(table)),))
        return cls(sheet, tuple(map(_role, design.kinds)), confirmed=True, design=design, made=made)

    @cached_property
    def chosen(self) -> Choice | InputError:
        return self.made

    @property
    def unreadable(self) -> tuple[Cell, ...]:
        return ()

    @property
    def open_text(self) -> Column | None:
        return None

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
        return RangesDraft.of(replace(self.design, kinds=kinds), self.made.table.output)


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
