"""The experiment in a file that was chosen; of any other file, what it is and where it goes."""

from __future__ import annotations

import io

from ucbpe_app.pages.problem.sheets import limits
from ucbpe_app.pages.problem.sheets.dialect import FOREIGN
from ucbpe_app.pages.problem.sheets.parse import parse
from ucbpe_core import Experiment
from ucbpe_core.errors import InputError
from ucbpe_core.records.history import read

_WANTED = "a saved experiment, a file that ends in .ucbpe.json"
_TO_CSV = 'choose it under "Choose a CSV file"'
_ANOTHER = "choose the file that Save has written"
# Of errors of reading and resuming, by what they got.
_FORMATS = {
    "one of Trace": ("a saved run", "open it in Python with Trace.load"),
    "one of Bandit": ("a saved bandit", "open it in Python with Bandit.load"),
    "one of BoxBandit": ("a saved bandit", "open it in Python with BoxBandit.load"),
    "format None": ("a JSON file of another program", _ANOTHER),
}


def opened(content: bytes) -> Experiment:
    """The experiment in a file.

    Raises
    ------
    UCBPEError
        For any other file: what it is, and where it goes; and for an experiment that is damaged,
        too large, or of a later version.
    """
    if len(content) > limits.MOST_FILE_BYTES:
        wanted = f"at most {limits.MOST_FILE_BYTES // 1_000_000} MB"
        raise InputError(wanted, f"{len(content) / 1e6:.0f} MB", "open it in Python")
    text = content.decode("utf-8-sig", "replace")
    if not text.lstrip().startswith("{"):
        raise InputError(_WANTED, *_described(content, text))
    try:
        document = read(io.StringIO(text), limits.MOST_STEPS)
        limits.check_file(document)
        return Experiment.resumed(document)
    except InputError as error:
        if error.expected.endswith(" to be JSON"):
            got = "one that is damaged or cut short"
            raise InputError(_WANTED, got, "open another copy") from None
        if error.got in _FORMATS:
            raise InputError(_WANTED, *_FORMATS[error.got]) from None
        raise


def _described(content: bytes, text: str) -> tuple[str, str]:
    """What a file is that holds no JSON, and where it goes."""
    kind = next((kind for begin, kind in FOREIGN.items() if content.startswith(begin)), "")
    if "Excel" in kind:
        return kind, f"save its table as CSV and {_TO_CSV}"
    if kind:
        return kind, _ANOTHER
    try:
        is_table = "<" not in text and len(parse(text).columns) > 1
    except InputError:
        is_table = False
    return ("a table as text", _TO_CSV) if is_table else ("a file of another kind", _ANOTHER)
