"""Bytes and arguments of others give a value or an error of ours: those kept, and new ones."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ucbpe_core
from tests.fuzz import calls, readers, strategies
from ucbpe_core import experiment, problems, regret, study, theory
from ucbpe_core.errors import (
    FewerPicksWarning,
    IllConditionedWarning,
    KnownValuesWarning,
    PriorWarning,
    RepeatsWarning,
    UCBPEError,
)
from ucbpe_core.problems import synthetic

CORPUS = Path(__file__).parents[1] / "data" / "fuzz"
EXAMPLES = int(os.environ.get("UCBPE_EXAMPLES", "10"))
# Changed in any place, these documents stand for all that are damaged.
DAMAGED = ("trace_json", "experiment")
OURS = (IllConditionedWarning, PriorWarning, KnownValuesWarning, RepeatsWarning, FewerPicksWarning)
NAMES = sorted(path.stem for path in CORPUS.glob("*.txt"))
CALLS = {name: one for name, one in vars(calls).items() if name.startswith("call_")}


@pytest.fixture(scope="module", autouse=True)
def small_and_offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Links would fetch Abalone's data, and one draw of a function would take seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UCBPE_DATA_DIR", str(tmp_path_factory.mktemp("none")))
        patch.setattr(synthetic, "_LARGEST_EMBEDDING", 2**16)
        yield


@contextmanager
def errors_are_ours() -> Iterator[None]:
    """Anything but an error of ours that says it all is raised, and so are warnings but ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ours in OURS:
            warnings.simplefilter("ignore", ours)
        try:
            yield
        except UCBPEError as error:
            if not all((error.expected, error.got, error.remedy)):
                raise AssertionError(f"an error that does not say it all: {error!r}") from error


def read(name: str, data: bytes) -> None:
    """Give a reader these bytes."""
    reader: Callable[[bytes], None] = getattr(readers, name)
    with errors_are_ours():
        reader(data)


def corpus(name: str) -> list[bytes]:
    """The inputs that are kept of a target: one a line, as in a bytes literal."""
    lines = (CORPUS / f"{name}.txt").read_text(encoding="ascii").splitlines()
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_every_input_that_is_kept(name: str) -> None:
    inputs = corpus(name)
    assert inputs
    for data in inputs:
        read(name, data)


@pytest.mark.parametrize("name", NAMES)
def test_new_inputs(name: str) -> None:
    known = st.sampled_from(corpus(name))

    @settings(max_examples=EXAMPLES * (10 if name in DAMAGED else 1), deadline=None)
    @given(st.binary(max_size=200) | st.tuples(known, st.binary(max_size=20)).map(b"".join))
    def check(data: bytes) -> None:
        read(name, data)

    check()


@pytest.mark.parametrize("name", CALLS)
def test_calls_with_any_arguments(name: str) -> None:
    @settings(max_examples=5 * EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data: Any) -> None:
        with errors_are_ours():
            warnings.simplefilter("ignore", RuntimeWarning)  # of overflow, as NumPy gives
            CALLS[name](data.draw)

    check()


def test_every_public_name_is_called_or_left_out_for_a_reason() -> None:
    modules = (ucbpe_core, problems, theory, experiment, study)
    names = {name for module in modules for name in module.__all__}
    names |= {one.__name__ for one in calls.BELOW}
    names |= {name for name, one in vars(regret).items() if calls.is_of(one, regret)}
    packages = {name for name in names if inspect.ismodule(getattr(ucbpe_core, name, None))}
    assert set(calls.public()) == names - packages - calls.MADE - calls.LEFT_OUT


def test_every_parameter_of_a_public_function_gets_hostile_values() -> None:
    for name, function in calls.public().items():
        for one in inspect.signature(function).parameters.values():
            if one.name not in strategies.NOT_GIVEN and one.kind is not one.VAR_KEYWORD:
                assert strategies.argument(name, one) is not None, f"{name}({one.name}=)"
