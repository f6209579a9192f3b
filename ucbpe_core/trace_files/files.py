"""Documents as JSON text in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_core import documents
from ucbpe_core.errors import InputError
from ucbpe_core.trace_files.run import from_document, to_document

if TYPE_CHECKING:
    from ucbpe_core.documents import PathOrFile
    from ucbpe_core.trace import Trace


def to_json(trace: Trace, path: PathOrFile) -> None:
    """Write a run that `from_json` reads back.

    Parameters
    ----------
    trace : a finished run
    path : where to, or a text file that is open for writing

    Raises
    ------
    InputError
        For a policy, kernel or schedule of one's own that is not in `POLICIES`, say, or a path
        that cannot be written. An earlier file then stays as it was.
    """
    documents.write(documents.dumps(to_document(trace), "a trace") + "\n", path)


def from_json(path: PathOrFile) -> Trace:
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
    name = documents.name_of(path)
    try:
        return from_document(documents.loads(documents.read(path, "a run"), name))
    except RecursionError:
        raise InputError(
            f"{name} with few tables inside tables", "more than fit the stack", "save it again"
        ) from None
