"""Documents as JSON text in files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.trace_files.run import from_document, to_document

if TYPE_CHECKING:
    from ucbpe_core.trace import Trace


def to_json(trace: Trace, path: str | os.PathLike[str] | TextIO) -> None:
    """Write a run that `from_json` reads back.

    Parameters
    ----------
    trace : a finished run
    path : where to, or a text file that is open for writing

    Raises
    ------
    InputError
        For a policy, kernel or schedule of one's own that is not in `POLICIES`, say, or a path
        that cannot be written. Nothing is written then.
    """
    document = to_document(trace)
    try:
        text = json.dumps(document, allow_nan=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        wanted = "a trace of text and finite numbers"
        raise InputError(wanted, str(error), "run it again with plain parameters") from None
    write(text + "\n", path)


def from_json(path: str | os.PathLike[str] | TextIO) -> Trace:
    """The run that `to_json` wrote, equal to the last bit.

    The belief is conditioned again: on one machine that gives the same bits, on another one the
    decisions and measurements are still the same and the belief differs by rounding. Nothing in
    the file is executed, and no memory is asked for beyond what the run itself held.

    Parameters
    ----------
    path : where from, or a text file that is open for reading

    Raises
    ------
    InputError
        For a file that cannot be read, is not JSON, is cut short, has another version, or says
        what no run can have said.
    """
    name = str(path) if isinstance(path, (str, os.PathLike)) else "the text"
    try:
        return from_document(_parse(_read(path), name))
    except RecursionError:
        raise InputError(
            f"{name} with few tables inside tables", "more than fit the stack", "save it again"
        ) from None


def write(text: str, path: str | os.PathLike[str] | TextIO) -> None:
    """Write text to a path or an open file."""
    if not isinstance(path, (str, os.PathLike)):
        path.write(text)
        return
    try:
        # Encoded first: what cannot be leaves an earlier file as it was.
        Path(path).write_bytes(text.encode("utf-8"))
    except OSError as error:
        got = error.strerror or str(error)
        raise InputError(f"{path} to be writable", got, "name another path") from None
    except UnicodeEncodeError as error:
        raise InputError("names that UTF-8 has", str(error), "rename the axes") from None


def _read(path: str | os.PathLike[str] | TextIO) -> str:
    if not isinstance(path, (str, os.PathLike)):
        return path.read()
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"a run in {path}", error.strerror or str(error), "check it") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} as UTF-8 text", str(error), "save the run again") from None


def _parse(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_table)
    except InputError:
        raise
    except ValueError as error:
        remedy = "it is damaged or cut short: copy or save it again"
        raise InputError(f"{name} to be JSON", str(error), remedy) from None


def _no_constant(name: str) -> NoReturn:
    raise InputError("numbers that are finite", name, "save the run again")


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InputError("each field once", f"{', '.join(twice)} twice", "save the run again")
    return table


def _plain(value: Any) -> Any:
    """NumPy's numbers, which a schedule or policy may have been given as a parameter."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r:.60} of type {type(value).__name__}")
