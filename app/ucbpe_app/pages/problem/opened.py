"""The experiment in a file that was chosen; of any other file, what it is and where it goes."""

from __future__ import annotations

import io
import tomllib

from ucbpe_app.pages.problem.sheets import limits
from ucbpe_app.pages.problem.sheets.dialect import FOREIGN, decode
from ucbpe_app.pages.problem.sheets.parse import parse
from ucbpe_core import Experiment
from ucbpe_core.errors import InputError
from ucbpe_core.records.history import read

_WANTED = "a saved experiment, a file that ends in .ucbpe.json"
_TO_CSV = 'choose it under "Choose a CSV file"'
_ANOTHER = "choose the file that Save has written"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
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
    text = _json_of(content)
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


def _json_of(content: bytes) -> str:
    """The text of a file that looks like JSON."""
    try:
        text = content.decode("utf-16" if content.startswith(_UTF_16) else "utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if text.lstrip().startswith("{"):
        return text
    raise InputError(_WANTED, *_described(content))


def _described(content: bytes) -> tuple[str, str]:
    """What a file is that holds no JSON, and where it goes."""
    kind = next((kind for begin, kind in FOREIGN.items() if content.startswith(begin)), "")
    if "Excel" in kind:
        return kind, f"save its table as CSV and {_TO_CSV}"
    if kind or not content.strip():
        return kind or "an empty file", _ANOTHER
    try:
        text, _ = decode(content)
    except InputError:
        return "a file of another kind", _ANOTHER
    if text.lstrip().startswith("<"):
        return "a page in HTML", "open it in a browser"
    if _is_toml(text):
        return "a lesson or a study", "give it to `ucbpe app --lessons` or `ucbpe study`"
    if _is_table(text):
        return "a table as text", _TO_CSV
    return "a text that is no experiment", _ANOTHER


def _is_toml(text: str) -> bool:
    try:
        return bool(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return False


def _is_table(text: str) -> bool:
    try:
        return len(parse(text).columns) > 1
    except InputError:
        return False
