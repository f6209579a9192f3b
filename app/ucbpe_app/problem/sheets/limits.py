"""How much a custom problem may hold, and why; each limit is stated and enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.tables.limits import MOST_ROWS, Most

if TYPE_CHECKING:
    from ucbpe_core.files.schema import Document
    from ucbpe_core.tables.table import Table

MOST_BYTES = 5_000_000  # of a table; read in about a second
MOST_FILE_BYTES = 40_000_000  # of a saved experiment: the largest table in JSON, and its journal
MOST_COLUMNS = 60
MOST = Most(MOST_ROWS, MOST_COLUMNS)
MOST_INPUTS = 20
MOST_MADE = 2_000  # rows made of ranges
MOST_MEASUREMENTS = 1_000  # of an experiment: with 20,000 rows, its posterior holds 160 MB
# Of its history, with what they add and change: 1,000 picks asked one by one have 5,000. All of it
# is written at each step on the page, in a quarter of a second at this size.
MOST_STEPS = 20_000
MOST_NUMBERS = 20_000_000  # that a simulation keeps for stepping back: 160 MB

_IN_PYTHON = "go on with ucbpe_core.search.experiment in Python, which has no limit"
SPOKEN = (
    f"Up to {grouped(MOST_ROWS)} rows, {MOST_COLUMNS} columns, {MOST_INPUTS} of them inputs, and "
    f"{MOST_BYTES // 1_000_000}\N{NO-BREAK SPACE}MB. "
    f"An experiment takes up to {grouped(MOST_MEASUREMENTS)} measurements."
)


def check_measurements(count: int) -> None:
    """Refuse more measurements than an experiment takes, outstanding picks included."""
    if count > MOST_MEASUREMENTS:
        wanted = f"at most {grouped(MOST_MEASUREMENTS)} measurements in an experiment"
        raise InputError(wanted, f"{grouped(count)} with outstanding picks", _IN_PYTHON)


def check_simulation(rows: int, picks: int, batches: int) -> None:
    """Refuse a run whose posteriors would not fit the memory of a server."""
    needed = rows * (picks + 5 * batches)  # a row for each pick, five arrays for each batch
    if needed > MOST_NUMBERS:
        raise InputError(
            f"at most {grouped(MOST_NUMBERS)} numbers kept for stepping back",
            f"{grouped(needed)}: {grouped(rows)} rows × ({picks} picks + 5 × {batches} batches)",
            "lower K or T, or take fewer rows",
        )


def check_file(document: Document) -> None:
    """Refuse a saved experiment that is larger than this page would have made it."""
    rows = 0 if document.table is None else len(document.table.candidates.points)
    if rows > MOST_ROWS:
        raise InputError(f"at most {grouped(MOST_ROWS)} rows", grouped(rows), _IN_PYTHON)
    history = document.history
    check_measurements(len(history.measured) + len(history.pending))


def check_bytes(content: bytes) -> None:
    """Refuse a file with a table that is too large."""
    if len(content) > MOST_BYTES:
        wanted = f"at most {MOST_BYTES / 1e6:g} MB"
        raise InputError(wanted, f"{len(content) / 1e6:.1f} MB", "leave out rows or columns")


def check_inputs(table: Table) -> None:
    """Refuse a table with too many inputs."""
    inputs = len(table.inputs)
    if inputs > MOST_INPUTS:
        wanted = f"at most {MOST_INPUTS} inputs"
        raise InputError(wanted, str(inputs), "use the others as labels, or leave them out")
