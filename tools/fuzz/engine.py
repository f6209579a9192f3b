"""The targets under atheris, which counts the branches that each input takes."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import atheris

with (
    contextlib.redirect_stderr(io.StringIO()),  # it names every module
    atheris.instrument_imports(include=["ucbpe_core", "ucbpe_app", "tomllib"]),
):
    from tools.fuzz.kept import chosen
    from tools.fuzz.targets import CORPUS, TARGETS, corpus, keep, run
    from ucbpe_core.problems import draws

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CORPUS", "TARGETS", "chosen", "corpus", "fuzz", "keep"]

_PROJECT = str(Path(__file__).parents[2])


def fuzz(name: str, findings: Path, options: Sequence[str]) -> NoReturn:
    """Fuzz a target until the time is over, and end the process.

    Each new failure, told apart by its class and the line of this project that it came through, is
    written to a folder, and the run goes on; only an input that takes too long ends it.
    """
    os.environ["UCBPE_DATA_DIR"] = str(findings)  # where there is no data, and none is fetched
    draws._LARGEST_EMBEDDING = 2**16  # else one draw of a function takes seconds
    known = set[str]()

    def one(data: bytes) -> None:
        try:
            run(name, data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
            place = _place(error)
            if place not in known:
                known.add(place)
                digest = sha256(place.encode()).hexdigest()[:8]
                file = findings / f"{type(error).__name__}-{digest}"
                file.write_bytes(data)
                lines = traceback.format_exception(error)
                file.with_suffix(".txt").write_text("".join(lines), encoding="utf-8")

    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()
    os._exit(0)


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        frame
        for frame in frames
        if frame.filename.startswith(_PROJECT) and "site-packages" not in frame.filename
    ]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} {last.filename} {last.lineno}"
