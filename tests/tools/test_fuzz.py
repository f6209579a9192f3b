"""What fuzzing has found stays found: the corpus is replayed, without a fuzzer."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import ucbpe_core
from tools.fuzz import calls, kept, targets
from ucbpe_core import experiment, problems, regret, study, theory

pytestmark = pytest.mark.usefixtures("without_abalone")  # links would fetch its data


@pytest.fixture
def without_abalone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data to be had, and none fetched."""
    monkeypatch.setenv("UCBPE_DATA_DIR", str(tmp_path))


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_input_gives_a_value_or_an_error_of_ours(name: str) -> None:
    inputs = targets.corpus(name)
    assert inputs
    for data in inputs:
        targets.run(name, data)  # raises anything else


@pytest.mark.parametrize("name", targets.TARGETS)
def test_the_corpus_is_small_and_reads_back(name: str) -> None:
    inputs = targets.corpus(name)
    assert sum(map(len, inputs)) <= kept.ROOM
    assert len(set(inputs)) == len(inputs)


def test_a_corpus_is_written_as_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "CORPUS", tmp_path)
    inputs = [bytes(range(256)), b"", b"\\n\n\\", "é\u2028".encode()]
    targets.keep("lesson", inputs)
    assert targets.corpus("lesson") == inputs


def test_another_exception_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the replay could not fail."""
    monkeypatch.setitem(targets.TARGETS, "lesson", lambda data: {}[data])
    with pytest.raises(KeyError):
        targets.run("lesson", b"")


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
            known = (name, one.name) in calls.OF_ITS_OWN or one.name in calls.MAKERS
            assert known or one.name in calls.NOT_GIVEN, f"{name}({one.name}=)"


def test_a_further_input_is_kept_only_for_lines_that_none_reached() -> None:
    known = targets.corpus("typed_texts")
    assert kept.chosen("typed_texts", [known[0], *known]) == known
