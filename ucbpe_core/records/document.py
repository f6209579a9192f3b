"""A record as a file: JSON with a format and a version, read back into the declared dataclass."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.records import text
from ucbpe_core.records.convert import REMEDY, from_plain, to_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.records.text import PathOrFile

_T = TypeVar("_T")


def save(record: Any, path: PathOrFile, what: str) -> None:
    """Write a record as one line of JSON; `what` names it in an error, as in "a trace"."""
    text.write(text.dumps(to_plain(record), what) + "\n", path)


def parse(path: PathOrFile, what: str, format_: str, versions: Sequence[int]) -> dict[str, Any]:
    """The content of a file of that format, in one of these versions.

    Raises
    ------
    InputError
        For a file that cannot be read, is not JSON, or has another format or version.
    """
    given = text.loads(text.read(path, what), text.name_of(path))
    if not isinstance(given, dict) or given.get("format") != format_:
        got = given.get("format") if isinstance(given, dict) else None
        raise InputError(f"a file of format {format_}", f"format {got!r:.60}", f"open {what}")
    version = from_plain(given.get("version"), int, "$.version")
    if version not in versions:
        wanted = f"a version up to {max(versions)} of the format"
        raise InputError(wanted, f"version {version}", "open it with a later release")
    return given


@contextlib.contextmanager
def building(path: PathOrFile) -> Iterator[None]:
    """Turn what parameters beyond reason lead to into `InputError`, while a record is used."""
    try:
        # Overflows of floats are infinite, and do not pass the checks.
        with np.errstate(all="ignore"):
            yield
    except RecursionError:
        raise text.too_deep(text.name_of(path)) from None
    except OverflowError as error:  # of whole numbers, which have no infinity
        raise InputError("a prior within the range of numbers", str(error), REMEDY) from None
    except IllConditionedError as error:
        raise InputError(error.expected, error.got, REMEDY) from None
