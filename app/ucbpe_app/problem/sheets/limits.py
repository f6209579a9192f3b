"""How much a custom problem may hold, and why; each limit is stated and enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError, grouped

if TYPE_CHECKING:
    from ucbpe_app.problem.sheets.table import Choice
    from ucbpe_core.files.schema import Document

MOST_BYTES = 5_000_000  # of a table; read in about a second
MOST_FILE_BYTES = 40_000_000  # of a saved experiment: the largest table in JSON, and its journal
MOST_ROWS = 20_000
MOST_COLUMNS = 60
MOST_CELLS = 1_500_000  # of a worksheet, from the first to the last value: more than these
MOST_UNPACKED = 60_000_000  # bytes of a workbook: what so many cells take
MOST_PARTS = 1_000  # files in a workbook
MOST_ELEMENTS = 4_000_000  # of a part: so many cells with their values, and empty ones
MOST_DEPTH = 50  # of elements in elements; Excel writes some ten
MOST_NAMES = 2_000  # of elements and attributes; Excel's own are some hundred
MOST_UNSEEN = 1_000_000  # bytes in which no element begins or has text
MOST_IN_TEXT = 32_767  # letters in a cell, of Excel
MOST_TEXT = 20_000_000  # letters in all cells: texts that cells share are each written out
MOST_SECONDS = 10  # of computing, to read a workbook; the largest table takes half of that
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


def check_rows(rows: int) -> None:
    """Refuse a table that is too large or too small to choose from."""
    if not 2 <= rows <= MOST_ROWS:
        wanted = f"2 to {grouped(MOST_ROWS)} rows"
        raise InputError(wanted, grouped(rows), "take a part of the table, or add rows")


def check_choice(choice: Choice) -> None:
    """Refuse a choice of columns with too many inputs."""
    inputs = choice.table.candidates.shape[1]
    if inputs > MOST_INPUTS:
        wanted = f"at most {MOST_INPUTS} inputs"
        raise InputError(wanted, str(inputs), "use the others as labels, or leave them out")
