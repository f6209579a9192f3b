"""What is fuzzed: each target takes bytes, and raises nothing but errors of this package."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from tools.fuzz import calls, readers
from ucbpe_core.errors import (
    IllConditionedWarning,
    KnownValuesWarning,
    PriorWarning,
    UCBPEError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = Path(__file__).parents[2] / "tests" / "data" / "fuzz"

READERS: dict[str, Callable[[bytes], None]] = {
    "link_step": readers.link_step,
    "link_race": readers.link_race,
    "link_study": readers.link_study,
    "lesson": readers.lesson,
    "trace_json": readers.trace_json,
    "experiment": readers.experiment,
    "bandit": readers.bandit,
    "box_bandit": readers.box_bandit,
    "study_toml": readers.study_toml,
    "store": readers.store,
    "table_csv": readers.table_csv,
    "results_csv": readers.results_csv,
    "typed_texts": readers.typed_texts,
    "messages": readers.messages,
    "own_function": readers.own_function,
    "sheet_cells": readers.sheet_cells,
}
CALLS: dict[str, Callable[[bytes], None]] = {
    "call_public": calls.call_public,
    "call_process": calls.call_process,
    "call_posterior": calls.call_posterior,
    "call_bandit": calls.call_bandit,
    "call_box_bandit": calls.call_box_bandit,
    "call_experiment": calls.call_experiment,
    "call_simulate": calls.call_simulate,
}
TARGETS = READERS | CALLS


def run(name: str, data: bytes) -> bool:
    """Give a target these bytes; whether it took them. Anything but an error of ours is raised.

    So is a warning in a reader, apart from ours. Functions may warn of overflow, as NumPy does.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", IllConditionedWarning)
        warnings.simplefilter("ignore", PriorWarning)
        warnings.simplefilter("ignore", KnownValuesWarning)
        if name in CALLS:
            warnings.simplefilter("ignore", RuntimeWarning)
        try:
            TARGETS[name](data)
        except UCBPEError as error:
            if not all((error.expected, error.got, error.remedy)):
                raise AssertionError(f"an error that does not say it all: {error!r}") from error
            return False
    return True


def corpus(name: str) -> list[bytes]:
    """The inputs that are kept of a target: one a line, as in a bytes literal."""
    path = CORPUS / f"{name}.txt"
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


def keep(name: str, inputs: list[bytes]) -> None:
    """Write the inputs of a target."""
    lines = [one.decode("latin-1").encode("unicode_escape").decode("ascii") for one in inputs]
    CORPUS.mkdir(parents=True, exist_ok=True)
    (CORPUS / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
