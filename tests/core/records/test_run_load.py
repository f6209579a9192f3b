"""Files that are damaged, cut short, foreign or meant badly: each is refused, and says why."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import DATA, examples
from tests.core.runs import changed, checksum, document_of, read, text_of
from ucbpe_core import GaussianProcess, InputError, Iteration, Matern, Trace

FIRST = "batches.0.picks.0"


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("format", "hdf5", "a file of format ucbpe-trace; got format 'hdf5'"),
        ("format", ..., "a file of format ucbpe-trace; got format None"),
        ("version", 5, "a version up to 1 of the format; got version 5"),
        ("version", "1", "a whole number at $.version; got '1'"),
        ("version", True, "a whole number at $.version; got True"),
        ("version", ..., "a whole number at $.version; got None"),
        ("extra", 1, "no unknown fields at $; got ['extra']"),
        ("problem", 3, "a table at $.problem; got 3"),
        ("problem.values", [1.0] * 48, " at $.problem.candidates, one for each value; got 49"),
        ("problem.values.7", None, "a number at $.problem.values[7]; got None"),
        ("problem.values.7", True, "a number at $.problem.values[7]; got True"),
        ("problem.values.7", "1.0", "a number at $.problem.values[7]; got '1.0'"),
        ("problem.values.7", 10**400, "a finite number at $.problem.values[7]"),
        ("problem.noise_variance", -1, "noise_variance of at least 0; got -1"),
        ("problem.noise_variance", 10**400, "a finite number at $.problem.noise_variance"),
        ("problem.unique", 1, "true or false at $.problem.unique; got 1"),
        ("problem.name", None, "text at $.problem.name; got None"),
        ("problem.axes", ["x", "y"], "3 axis names; got 2"),
        ("problem.axes", [], "a name for each input and the output at $.problem.axes; got none"),
        ("problem.axes.0", 1, "text at $.problem.axes[0]; got 1"),
        ("problem.grid", [49, 1], "axes of lengths [49, 1] at $.problem.candidates; got [7, 7]"),
        ("problem.grid", [], "axes of lengths [] at $.problem.candidates; got [7, 7]"),
        ("problem.grid", [-7, -7], "a length at $.problem.grid of at least 1; got -7"),
        ("problem.grid", "77", "a list at $.problem.grid; got '77'"),
        ("problem.candidates", {"axes": []}, " at $.problem.candidates, one for each value; got 0"),
        (
            "problem.candidates",
            {"axes": [[0.0] * 10**5] * 9},
            " at $.problem.candidates, one for each value",
        ),
        (
            "problem.candidates",
            {"points": [[0, 1]] * 48 + [[0]]},
            "rows of one length at $.problem.candidates.points; got [1, 2]",
        ),
        (
            "problem.candidates",
            {"points": [[]] * 49},
            "candidates of shape (n, d); got shape (49, 0)",
        ),
        (
            "problem.candidates",
            {"rows": []},
            "no unknown fields at $.problem.candidates; got ['rows']",
        ),
        ("problem.observed", [49], "$.problem.observed between 0 and 48; got 49"),
        ("problem.observed", [1], "observed_y of shape (1,); got shape (0,)"),
        (
            "problem.suggested_prior.mean",
            "0",
            "a number at $.problem.suggested_prior.mean; got '0'",
        ),
        (
            "prior.kernel.kind",
            "cubic",
            "kernel with a kind among rbf, matern, polynomial, ",
        ),
        (
            "prior.kernel.left.kind",
            "cubic",
            "kernel.left with a kind among rbf, matern, polynomial, ",
        ),
        (
            "prior.kernel.left.variance",
            ...,
            "kernel.left of kind rbf with lengthscale, variance at $.prior.kernel",
        ),
        ("prior.kernel.left.lengthscale", [1, 2, 3], "2 lengthscales, one per dimension; got 3"),
        (
            "prior.kernel",
            {"kind": "polynomial", "degree": 10**400, "offset": 1.0, "variance": 1.0},
            "a prior within the range of numbers; got int too large to convert to float",
        ),
        (
            "prior.kernel",
            {"kind": "polynomial", "degree": 10**6, "offset": 9.0, "variance": 1.0},
            "a posterior within the range of double precision; got a prior variance that overflows",
        ),
        (
            "policy.kind",
            "UCB",
            "policy with a kind among GP-UCB-PE, GP-UCB, GreedyUCB, GP-BUCB, SM-UCB,",
        ),
        (
            "policy.kind",
            ["GP-UCB"],
            "policy with a kind among GP-UCB-PE, GP-UCB, GreedyUCB, GP-BUCB, SM-UCB,",
        ),
        ("policy.batch_size", 3.0, "batch_size to be a whole number at $.policy; got 3.0"),
        ("policy.batch_size", ..., "policy of kind GP-UCB-PE with batch_size at $.policy"),
        ("policy.C", 1, "options of policy of kind GP-UCB-PE among batch_size at $.policy; got C"),
        (
            "beta.kind",
            "sqrt",
            "beta with a kind among finite, compact, constant, information_gain at $.beta",
        ),
        ("beta.delta", 2, "delta strictly between 0 and 1 at $.beta; got 2"),
        ("seed", -1, "$.seed of at least 0; got -1"),
        ("seed", 1.5, "a whole number at $.seed; got 1.5"),
        ("initial.candidates.0", 49, "$.initial.candidates between 0 and 48; got 49"),
        ("initial.candidates.0", -1, "$.initial.candidates between 0 and 48; got -1"),
        (
            "initial.candidates.0",
            2**70,
            "$.initial.candidates to be a 1-D list of integers; got object of shape (6,)",
        ),
        ("initial.candidates.0", 1.0, "a whole number at $.initial.candidates[0]; got 1.0"),
        ("initial.y", [1.0], "$.initial.y of shape (6,); got shape (1,)"),
        ("batches", [], "batches of 3 picks at $.batches; got []"),
        ("batches", {}, "a list at $.batches; got {}"),
        (FIRST, ..., "batches of 3 picks at $.batches; got [2, 3, 3]"),
        ("policy.batch_size", 4, "batches of 4 picks at $.batches; got [3, 3, 3]"),
        ("batches.1.beta", -1.0, "$.batches[1].beta of at least 0; got -1"),
        ("batches.1.y_dot", "high", "a number at $.batches[1].y_dot; got 'high'"),
        (
            "batches.1.region.mask",
            "####",
            "Base64 at $.batches[1].region.mask; got Only base64 data is allowed",
        ),
        ("batches.1.region.mask", "µ", "Base64 at $.batches[1].region.mask"),
        (
            "batches.1.region.mask",
            "AAAA",
            "a bit for each of 49 candidates, 41 of them set, at $.batches[1].region",
        ),
        (
            "batches.1.region.mask",
            "/////////w==",
            "a bit for each of 49 candidates, 41 of them set, at $.batches[1].region",
        ),
        (
            "batches.1.region.size",
            50,
            "a bit for each of 49 candidates, 50 of them set, at $.batches[1].region",
        ),
        (f"{FIRST}.candidate", 49, "$.batches[0].picks between 0 and 48; got 49"),
        (f"{FIRST}.role", ["ucb"], "text at $.batches[0].picks[0].role; got ['ucb']"),
        (f"{FIRST}.std", None, "a number at $.batches[0].picks[0].std; got None"),
        (f"{FIRST}.score", "high", "a number at $.batches[0].picks[0].score; got 'high'"),
    ],
)
def test_a_bad_field_is_refused(document: Any, path: str, value: Any, what: str) -> None:
    """Named, with what was expected there and what was found."""
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        read(changed(document, path, value))
    assert caught.value.expected
    assert caught.value.got
    assert caught.value.remedy


def test_an_altered_file_is_refused(document: Any) -> None:
    """Whatever was altered: a value, a name, or what the rest of the file would contradict."""
    assert document["checksum"] == checksum(document)
    for path, value in (
        ("problem.name", "another"), ("problem.values.7", 0.25), ("prior.mean", 0.2),
        ("batches.1.region.size", 3), ("batches.1.picks.0.y", 1.0), ("checksum", ...),
    ):  # fmt: skip
        altered = changed(document, path, value)
        with pytest.raises(InputError, match=r"at \$\.checksum; .* an unchanged copy"):
            Trace.load(io.StringIO(json.dumps(altered)))


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"seed":3', '"seed":NaN', "numbers that are finite; got NaN"),
        ('"seed":3', '"seed":-Infinity', "numbers that are finite; got -Infinity"),
        ('"mean":0.1', '"mean":1e999', "numbers within the range of floats"),
        ('"seed":3', '"seed":3,"seed":4', r"each field once; got \['seed'\] twice"),
        ('"seed":3', f'"seed":{"9" * 5000}', "to be JSON"),
        ('"seed":3', '"seed":' + "[" * 10**5 + "]" * 10**5, "fewer nested tables"),
        ('{"format"', '[{"format"', "to be JSON"),
    ],
)
def test_bad_text_is_refused(run: Trace, old: str, new: str, what: str) -> None:
    """What JSON's own reader would let pass, and what it says itself."""
    text = text_of(run)
    assert old in text
    with pytest.raises(InputError, match=what):
        Trace.load(io.StringIO(text.replace(old, new, 1)))


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"3", b"null", b"\xff\xfe", b"\x1f\x8b\x08", b"{}"]
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """Empty, another JSON, another encoding, packed."""
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(InputError, match=r"expected .*; got .*; "):
        Trace.load(tmp_path / "run.json")


def test_paths_that_cannot_be(tmp_path: Path, run: Trace) -> None:
    """A missing file, a folder; and nowhere to write."""
    with pytest.raises(InputError, match=r"a saved trace in .*none\.json; got No such file"):
        Trace.load(tmp_path / "none.json")
    with pytest.raises(InputError, match="got Is a directory"):
        Trace.load(tmp_path)
    for save in (Trace.save, Trace.to_csv):
        with pytest.raises(InputError, match="run to be writable; got No such file"):
            save(run, tmp_path / "none" / "run")


@given(cut=st.integers(0, 10**9))
@examples(60)
def test_a_file_that_is_cut_short_is_refused(cut: int) -> None:
    """Wherever."""
    text = _kept_text().rstrip("\n")
    with pytest.raises(InputError):
        Trace.load(io.StringIO(text[: cut % len(text)]))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    # A longer one is rounded as it is read, as any decimal number is.
    st.integers(-(2**53), 2**53),
    st.integers(-2, 60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.lists(st.one_of(st.integers(-1, 60), st.floats(-2, 2), st.text(max_size=2)), max_size=4),
    st.dictionaries(
        st.sampled_from(["kind", "size", "mask", "axes", "x"]), st.integers(), max_size=2
    ),
)


@pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")  # values far off
@given(data=st.data())
@examples(400)
def test_a_damaged_field_is_refused_or_is_what_comes_back(data: st.DataObject) -> None:
    """Anything, anywhere: an error of ours, or a run that says exactly what the file said."""
    document = json.loads(_kept_text())
    holders = list(_holders(document))
    inner = data.draw(st.sampled_from(holders))
    key = data.draw(st.sampled_from([*inner] if isinstance(inner, dict) else range(len(inner))))
    what = data.draw(st.sampled_from(["replace", "replace", "scale", "remove"]))
    if what == "remove":
        del inner[key]
    elif what == "scale" and type(inner[key]) is float:
        inner[key] *= data.draw(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 1e30, 1e300, 1e-300]))
    else:
        inner[key] = data.draw(JUNK)
    try:
        run = read(document)
    except InputError:  # and nothing else, whatever is in a file
        return
    said = document_of(run)
    assert said == document | {"checksum": said["checksum"]}


@given(data=st.data())
@examples(60)
def test_a_damaged_letter_is_refused(data: st.DataObject) -> None:
    """Unless it says the same, as a space or another form of a number does."""
    text = _kept_text()
    at = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from(list('0123456789.-+eE{}[],:"\\ nulatrsfA/=\n\x00é')))
    damaged = text[:at] + letter + text[at + 1 :]
    try:
        Trace.load(io.StringIO(damaged))
    except InputError:
        return
    assert json.loads(damaged) == json.loads(text)


def _holders(value: Any) -> Iterator[Any]:
    """Every table and list that has something in it."""
    if isinstance(value, (dict, list)) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def _kept_text() -> str:
    """The smallest run that has everything: own observations, points, two roles, two batches."""
    return (DATA / "kept" / "trace_v1.json").read_text(encoding="ascii")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda run: {"gp": GaussianProcess(Strange())}, "kernel of kind rbf, .*Strange"),
        (lambda run: {"posterior": run.posterior.at(9)}, "whole batches of candidates"),
        (
            lambda run: {"posterior": run.posterior.observe_points([[0.5, 0.5]], [1.0])},
            "whole batches of candidates",
        ),
        (lambda run: {"seed": float("nan")}, "seed to be a whole number; got nan"),
        (lambda run: {"problem": replace(run.problem, grid=(-7, -7))}, "of at least 1; got -7"),
        (lambda run: {"iterations": infinite_score(run)}, "a trace of text and finite numbers"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(
    run: Trace, tmp_path: Path, change: Callable[[Trace], Any], what: str
) -> None:
    """And an earlier file of that name stays what it was."""
    path = tmp_path / "run.json"
    path.write_text("kept", encoding="ascii")
    with pytest.raises(InputError, match=what):
        replace(run, **change(run)).save(path)
    assert path.read_text(encoding="ascii") == "kept"


def infinite_score(run: Trace) -> tuple[Iteration, ...]:
    first, *others = run.iterations
    decision = replace(first.decision, scores=np.full(3, np.inf))
    return (replace(first, decision=decision), *others)


class Strange(Matern):
    """A kernel that this package does not have."""
