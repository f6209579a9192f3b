"""Which kind of file a run is in, and the log of bayesian-optimization."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.foreign import ax, optuna, sheets
from ucbpe_core.foreign.run import ForeignTrial, Run
from ucbpe_core.spaces.inputs import Real
from ucbpe_core.support.validation import direction_of
from ucbpe_core.tables.dialect import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.support.validation import Direction

MOST_BYTES = 20_000_000  # 2,000 trials take some 2 MB
_KINDS = "a run: a CSV table, a storage of Optuna, a snapshot of Ax or a log"
_REMEDY = "choose the file that the tool wrote, or export its trials as CSV"


def read_run(
    source: str | os.PathLike[str] | bytes,
    *,
    study: str | None = None,
    direction: Direction | None = None,
    output: str | None = None,
) -> Run:
    r"""The run of another tool in a file.

    A CSV table has a row for each trial and a column for each parameter, with a value and, if
    known, number, batch, start, end and state, as Optuna's ``trials_dataframe``, Ax's ``summarize``
    and the measurements of BayBE have them. Or it is a storage of Optuna, SQLite or a journal; a
    JSON snapshot of Ax; or what bayesian-optimization logs or saves. None of these is imported.

    Parameters
    ----------
    source : path of the file, or its bytes
    study : name of one of Optuna, if the file has several
    direction : which results are better, of a table: no table says it
    output : name of the column of results, if its name does not say it

    Raises
    ------
    InputError
        For a file that cannot be read, and what `Run.of` refuses; `UndecidedError`, with the
        answers, for a study, direction or output that has to be chosen.

    Examples
    --------
    >>> from ucbpe_core.foreign import read_run
    >>> run = read_run(b"x,solvent,value,state\n0.5,water,2,done\n1.5,THF,,failed\n1,THF,3,done",
    ...     direction="maximize")
    >>> run.space.names, [trial.state for trial in run.trials]
    (('x', 'solvent'), ['done', 'failed', 'done'])
    """
    content = source if isinstance(source, bytes) else _content(source)
    if len(content) > MOST_BYTES:
        wanted = f"at most {MOST_BYTES // 10**6} MB"
        raise InputError(wanted, f"{len(content) / 1e6:.0f} MB", "export the trials as CSV")
    if direction is not None:
        direction_of(direction)
    with _as_written():
        if content.startswith(optuna.SQLITE):
            return optuna.read_database(content, study)
        if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
            return _of_json(_documents(content), study)
    return sheets.read(decode(content)[0], direction, output)


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(_KINDS, str(error), "check the path") from None


def _documents(content: bytes) -> list[Any]:
    """The JSON in a file: one document, or one a line."""
    text = content.decode("utf-8-sig", errors="replace")
    try:
        return [json.loads(text)]
    except RecursionError:
        raise InputError(_KINDS, "JSON that is nested too deeply", _REMEDY) from None
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        whole = error
    found = list[Any]()
    for i, line in enumerate(lines, start=1):
        try:
            found.append(json.loads(line))
        except (json.JSONDecodeError, RecursionError):
            if 1 < i == len(lines):  # of a file that was copied while it was written
                break
            got = f"JSON with an error in line {whole.lineno if i == 1 else i}"
            raise InputError(_KINDS, got, "copy the file again, or remove that line") from None
    return found


@contextmanager
def _as_written() -> Iterator[None]:
    """Say so if a file does not have what its tool writes."""
    try:
        yield
    except UCBPEError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        got = f"one in which something is not as the tool writes it: {error!r:.80}"
        raise InputError(_KINDS, got, _REMEDY) from None


def _of_json(documents: list[Any], study: str | None) -> Run:
    first = documents[0]
    if isinstance(first, dict):
        if "op_code" in first:
            return optuna.read_journal(documents, study)
        if {"params", "target"} <= first.keys():
            return _of_log(documents)
        if "experiment" in first or str(first.get("__type", "")).endswith("Experiment"):
            return ax.read(first.get("experiment", first))
    got = f"JSON with {', '.join(map(str, first))[:60]}" if isinstance(first, dict) else "a list"
    raise InputError(_KINDS, got or "JSON with nothing in it", _REMEDY)


def _of_log(lines: list[Any]) -> Run:
    """The run that bayesian-optimization logged, a line for each trial, or saved as one document.

    It maximises. A saved state has lists, and the bounds of the parameters.
    """
    kinds = dict[str, Real]()
    if isinstance(lines[0]["target"], list):
        state = lines[0]
        rows = [dict(zip(state["keys"], row, strict=True)) for row in state["params"]]
        lines = [{"params": row, "target": y} for row, y in zip(rows, state["target"], strict=True)]
        bounds = state["pbounds"].items()
        kinds = {name: Real(float(low), float(high)) for name, (low, high) in bounds}
    trials = [
        ForeignTrial(i, dict(line["params"]), float(line["target"]), "done")
        for i, line in enumerate(lines)
    ]
    return Run.of(trials, "maximize", kinds, tool="bayesian-optimization", output="target")
