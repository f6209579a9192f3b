"""A table of candidates: from settings, a frame, or a CSV or Excel file."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.spaces.design import Design
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import count, frozen_copy, numeric, points, texts
from ucbpe_core.tables.dialect import Reading, UndecidedError
from ucbpe_core.tables.frames import read_frame
from ucbpe_core.tables.limits import MOST_BYTES
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import assigned, encoded
from ucbpe_core.tables.workbook import read_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

    import pandas as pd

    from ucbpe_core.support.validation import Floats, Integers
    from ucbpe_core.tables.columns import Sheet
    from ucbpe_core.tables.roles import Role


@dataclass(frozen=True, eq=False)
class Table(Frozen):
    """A table of candidates, and what is known of them.

    Attributes
    ----------
    inputs : names of the d inputs, units included where there are any
    candidates : points, shape (M, d)
    output : name of what is measured
    labels : names of further columns that identify the candidates to people, and their texts, M
        each; the method ignores them
    design : which settings the rows stand for; None where all inputs are plain numbers
    y : value of each candidate, nan where it is not known, shape (M,); None without any
    remarks : what a person should know of how it was read

    Raises
    ------
    InputError
        For shapes that do not agree, NaN or infinities, and names or labels that are no text.

    Examples
    --------
    >>> from ucbpe_core import Table
    >>> table = Table(("time (min)",), [5.0, 10.0], "yield (%)", labels=(("flask", ("A", "B")),))
    >>> len(table), table.candidates
    (2, array([[ 5.],
           [10.]]))
    """

    inputs: tuple[str, ...]
    candidates: Floats = field(repr=False)
    output: str = "y"
    labels: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    design: Design | None = field(default=None, repr=False)
    y: Floats | None = field(default=None, repr=False)
    remarks: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str] | BinaryIO,
        output: str | None = None,
        roles: Mapping[str, str] | None = None,
        *,
        separator: str | None = None,
        decimal: str | None = None,
        header: bool | None = None,
        minutes: bool | None = None,
        worksheet: str | None = None,
    ) -> Self:
        r"""The table in a CSV or Excel file, by the rules of the page *Your problem*.

        A column of texts that repeat is a category, which is an input for each of its texts; one
        that numbers or names the rows is a label; one over several decades is logarithmic.
        `remarks` says what was done. Excel files need the extra ``excel``.

        Parameters
        ----------
        path : of the file, or the file itself, opened to read bytes
        output : name of the column of values, whose cells may be empty; default: the one that its
            name or its empty cells show as such
        roles : by the name of a column what it is for, where that is another than by the rules:
            "input", "logarithmic", "category", "value", "label" or "unused"
        separator, decimal : of cells, and in numbers; None: found out
        header : whether the first line has names; None: found out
        minutes : whether times as 1:30:00 become minutes, or are text
        worksheet : which one of a workbook; default: the first in sight

        Raises
        ------
        InputError
            For a file that cannot be read, cells and times that can be read in two ways, and what
            `from_frame` refuses.

        Examples
        --------
        >>> import io
        >>> from ucbpe_core import Table
        >>> file = io.BytesIO(b"dose,solvent,yield\n2,water,5.5\n4,THF,\n5,water,")
        >>> table = Table.read(file)
        >>> table.inputs, table.output
        (('dose', 'solvent = water', 'solvent = THF'), 'yield')
        >>> table.settings([1]), table.known
        ([{'dose': 4.0, 'solvent': 'THF'}], (array([0]), array([5.5])))
        """
        reading = Reading(separator, decimal, header, minutes, worksheet)
        with _in_python():
            content = read_content(_content(path), reading)
            sheet = parse(content.text, content.reading)
        sheet = replace(sheet, remarks=(*content.remarks, *sheet.remarks))
        return cls.of_sheet(sheet, assigned(sheet, output, roles))

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        output: str | None = None,
        roles: Mapping[str, str] | None = None,
        *,
        decimal: str | None = None,
        minutes: bool | None = None,
    ) -> Self:
        """The table in a frame of pandas, by the same rules; candidate i is row i.

        An index that does not count the rows is a label. It takes the parameters of `read`.

        Raises
        ------
        InputError
            For what is no frame; no input, a cell among them that is no number, in several value
            columns, or a single row; a role or a name that is not there. The lines of an error
            count the rows from 0.

        Examples
        --------
        >>> import pandas as pd
        >>> from ucbpe_core import Table
        >>> frame = pd.DataFrame({"T (K)": [300, 310, 320], "acid": ["a", "b", "a"]})
        >>> Table.from_frame(frame).inputs
        ('T (K)', 'acid = a', 'acid = b')
        """
        with _in_python():
            sheet = read_frame(frame, Reading(decimal=decimal, minutes=minutes))
        return cls.of_sheet(sheet, assigned(sheet, output, roles))

    @classmethod
    def of_sheet(cls, sheet: Sheet, roles: Sequence[Role]) -> Self:
        """The table of a sheet, whose columns have these roles; `InputError` as `from_frame`."""
        table = cls(**encoded(sheet, roles))
        return replace(table, remarks=(*sheet.remarks, *table.remarks))

    @classmethod
    def of(cls, design: Design, output: str = "y", rows: Any = None) -> Self:
        """A table of settings: the ones that stand for the design, or coordinates (M, D) `rows`."""
        X = design.rows() if rows is None else points(rows, "rows", len(design.columns))
        return cls(design.columns, X, output, design.labels(X), design)

    def __post_init__(self) -> None:
        inputs, (output,) = texts(self.inputs, "inputs"), texts([self.output], "output")
        X = points(self.candidates, "candidates", len(inputs))
        count(len(X), "the number of candidates")
        labels = _labels(self.labels)
        for name, column in labels:
            if len(column) != len(X):
                raise InputError(f"{len(X)} texts of {name}", str(len(column)), "one per candidate")
        remarks = texts(self.remarks, "remarks")
        vars(self).update(inputs=inputs, output=output, labels=labels, remarks=remarks)
        if self.design is not None and self.inputs != self.design.columns:
            wanted = f"inputs {', '.join(self.design.columns)}, as in the design"
            raise InputError(wanted, ", ".join(self.inputs), "use Table.of")
        object.__setattr__(self, "candidates", frozen_copy(X))
        if self.y is not None:
            object.__setattr__(self, "y", _values(self.y, len(X)))

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def known(self) -> tuple[Integers, Floats]:
        """Indices and values of the candidates whose value is known, as `tell` takes them."""
        y = np.full(len(self), np.nan) if self.y is None else self.y
        indices = np.flatnonzero(~np.isnan(y))
        return indices, y[indices]

    @property
    def complete(self) -> bool:
        """Whether every value is known, so that the table can be simulated."""
        return len(self.known[0]) == len(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what a person sets."""
        return self.inputs if self.design is None else self.design.names

    @property
    def plain(self) -> tuple[int, ...]:
        """Numbers of the inputs that are what a person sets; the rest is in labels."""
        if self.design is None:
            return tuple(range(len(self.inputs)))
        return tuple(np.flatnonzero(self.design.plain).tolist())

    @property
    def domain(self) -> Floats:
        """Points (m, d) whose extents set default lengthscales and the bounds of a fit."""
        if self.design is None:
            return self.candidates
        # As `Space.domain` has it for the values of a category.
        ends = np.array([self.candidates.min(axis=0), self.candidates.max(axis=0)])
        return frozen_copy(ends + np.array([[-1.0], [1.0]]) * self.design.coded)

    def settings(self, indices: Sequence[int]) -> list[dict[str, Any]]:
        """What to set for candidates (k,), by name."""
        X = self.candidates[list(indices)]
        if self.design is not None:
            return self.design.settings(X)
        return [dict(zip(self.inputs, x, strict=True)) for x in X.tolist()]

    def texts_of(self, rows: Floats) -> tuple[tuple[str, ...], ...]:
        """A text for each label of rows (k, d) that are new: that of the setting, or none."""
        own = {} if self.design is None else dict(self.design.labels(rows))
        none = ("",) * len(rows)
        columns = [own.get(name, none) for name, _ in self.labels]
        return tuple(zip(*columns, strict=True)) if columns else ()


def _labels(given: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Pairs of a name and texts."""
    found = list(given) if isinstance(given, list | tuple) else [given]
    if any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in found):
        got, remedy = f"{given!r:.60}", 'pass e.g. (("flask", ("A", "B")),)'
        raise InputError("labels as pairs of a name and texts", got, remedy)
    return tuple(
        (texts([name], "the name of a label")[0], texts(column, f"label {name}"))
        for name, column in found
    )


def _values(given: Any, size: int) -> Floats:
    """Values (size,), nan where none is known."""
    y = numeric(given, "y")
    if y.shape != (size,) or np.isinf(y).any():
        wanted, got = f"finite values y of shape ({size},), or nan", f"shape {y.shape}"
        raise InputError(wanted, "an infinity" if y.shape == (size,) else got, "one per candidate")
    return frozen_copy(y)


def _content(path: str | os.PathLike[str] | BinaryIO) -> bytes:
    """The bytes of a file, which may be endless."""
    try:
        if not isinstance(path, str | os.PathLike):
            content = path.read(MOST_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError("a CSV or Excel file", str(error), "check the path") from None
    if not isinstance(content, bytes):
        raise InputError("a file opened to read bytes", "one of text", 'open it with "rb"')
    if len(content) > MOST_BYTES:
        wanted, remedy = (
            f"at most {MOST_BYTES // 10**6} MB",
            "read it by pandas, and use from_frame",
        )
        raise InputError(wanted, "more", remedy)
    return content


@contextmanager
def _in_python() -> Iterator[None]:
    """Say which argument answers what a person is asked on the page."""
    try:
        yield
    except UndecidedError as error:
        answers = " or ".join(f"{error.field}={answer!r}" for answer in error.answers)
        raise InputError(error.expected, error.got, f"pass {answers}") from None
