"""Files that are damaged, cut short, foreign or meant badly: each is refused, and says why."""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import DATA, examples
from tests.core.runs import changed, document_of, read, text_of
from ucbpe_core import GaussianProcess, InputError, Iteration, Matern, Trace
from ucbpe_core.records.packing import Mask

FIRST = "batches.0.picks.0"


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("format", "hdf5", "a file of format ucbpe-trace; got format 'hdf5'"),
        ("format", ..., "a file of format ucbpe-trace; got format None"),
        ("version", 5, "a version up to 4 of the format; got version 5"),
        ("version", "1", "a whole number at $.version; got '1'"),
        ("version", True, "a whole number at $.version; got True"),
        ("version", ..., "a whole number at $.version; got None"),
        ("digest", "0" * 64, " at $.digest, as the rest of the file says"),
        ("digest", ..., "a field at $.digest; got none"),
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
            "prior.kernel.left.variance",
            0.7,
            "$.batches[0].picks[0].mean to be 0.0654243, as the prior and the data say",
        ),
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
            "prior.noise_variance",
            0.21,
            "$.batches[0].picks[1].mean to be 0.0150824, as the prior and the data say",
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
        ("policy.batch_size", 4, " at $.batches[0].picks, as the rest of the file says; got 3"),
        ("policy.batch_size", 3.0, "batch_size to be a whole number at $.policy; got 3.0"),
        ("policy.batch_size", ..., "policy of kind GP-UCB-PE with batch_size at $.policy"),
        ("policy.C", 1, "options of policy of kind GP-UCB-PE among batch_size at $.policy; got C"),
        (
            "beta.kind",
            "sqrt",
            "beta with a kind among finite, compact, constant, information_gain at $.beta",
        ),
        ("beta.delta", 2, "delta strictly between 0 and 1 at $.beta; got 2"),
        (
            "beta.scale",
            0.3,
            " at $.batches[0].beta, as the rest of the file says; got 2.954101149654145",
        ),
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
        ("batches", [], "at least one batch at $.batches; got none"),
        ("batches", {}, "a list at $.batches; got {}"),
        ("batches.0", ..., " at $.batches[0].t, as the rest of the file says; got 2"),
        ("batches.1", ..., " at $.batches[1].t, as the rest of the file says; got 3"),
        ("batches.2", ..., " at $.digest, as the rest of the file says"),
        ("batches.1.n", 10, " at $.batches[1].n, as the rest of the file says; got 10"),
        ("batches.1.beta", -1.0, "$.batches[1].beta of at least 0; got -1"),
        ("batches.1.beta", 4.0, " at $.batches[1].sqrt_beta, as the rest of the file says"),
        (
            "batches.1.beta_next",
            4.0,
            " at $.batches[1].beta_next, as the rest of the file says; got 4.0",
        ),
        ("batches.1.y_dot", "high", "a number at $.batches[1].y_dot; got 'high'"),
        (
            "batches.1.y_dot",
            1.0,
            "$.batches[1].y_dot to be -0.553974, as the prior and the data say; got 1",
        ),
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
        (FIRST, ..., " at $.batches[0].picks, as the rest of the file says; got 2"),
        (f"{FIRST}.candidate", 49, "$.batches[0].picks between 0 and 48; got 49"),
        (f"{FIRST}.role", "lucky", "a role among ucb, pe at $.batches[0].picks[0].role; got lucky"),
        (f"{FIRST}.role", ["ucb"], "text at $.batches[0].picks[0].role; got ['ucb']"),
        (
            f"{FIRST}.value",
            0.0,
            " at $.batches[0].picks, as true values, as the rest of the file says",
        ),
        (f"{FIRST}.y", 1.0, " at $.digest, as the rest of the file says"),
        (
            f"{FIRST}.mean",
            9.0,
            "$.batches[0].picks[0].mean to be 0.0672321, as the prior and the data say",
        ),
        (
            "batches.2.picks.1.std",
            0.0,
            "$.batches[2].picks[1].std to be 0.721816, as the prior and the data say",
        ),
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


def test_picks_of_another_order_are_refused(document: Any) -> None:
    """Each field is fine, and the digest fits; but no policy saw these deviations."""
    swapped = copy.deepcopy(document)
    picks = swapped["batches"][1]["picks"]
    picks[1], picks[2] = picks[2], picks[1]
    with pytest.raises(InputError, match=r"at \$\.digest, as the rest"):
        read(swapped)
    picks[1]["role"], picks[2]["role"] = picks[2]["role"], picks[1]["role"]
    swapped["digest"] = _digest(swapped)
    with pytest.raises(InputError, match=r"batches\[1\].picks\[1\].std to be"):
        read(swapped)


@pytest.mark.parametrize("name", ["region", "region_plus"])
def test_a_region_that_is_not_the_beliefs_is_refused(run: Trace, document: Any, name: str) -> None:
    """One candidate far from the edge, put in or left out, with the size that goes with it."""
    made = run.iterations[1].decision
    start = run.posterior.at(made.n)
    multiplier = made.sqrt_beta if name == "region" else 2 * np.sqrt(made.beta_next)
    margin = start.mean + multiplier * start.std - made.y_dot
    for j in {int(np.argmax(margin)), int(np.argmin(margin))}:
        mask = getattr(made, name).copy()
        mask[j] = not mask[j]
        damaged = changed(document, f"batches.1.{name}", vars(Mask.pack(mask)))
        what = rf"candidate {j} in \$\.batches\[1\].{name} to be {not mask[j]}, as .*got {mask[j]}"
        with pytest.raises(InputError, match=what):
            read(damaged)


def test_rounding_of_another_machine_is_let_pass(run: Trace, document: Any) -> None:
    """What the file says then stands: decisions are what was decided."""
    rounded = copy.deepcopy(document)
    for batch in rounded["batches"]:
        batch["y_dot"] *= 1 + 1e-9
        batch["beta_next"] *= 1 + 1e-15
        for pick in batch["picks"]:
            pick["mean"] *= 1 - 1e-9
            pick["std"] *= 1 + 1e-9
    again = read(rounded)
    assert again.digest == run.digest
    for iteration, batch in zip(again.iterations, rounded["batches"], strict=True):
        made = iteration.decision
        assert (made.y_dot, made.beta_next) == (batch["y_dot"], batch["beta_next"])
        assert made.stds.tolist() == [pick["std"] for pick in batch["picks"]]


def _digest(document: Any) -> str:
    """`Trace.digest` by its definition, from the file alone."""
    picks = [pick for batch in document["batches"] for pick in batch["picks"]]
    start, T = document["initial"], len(document["batches"])
    counts = [len(start["y"]), T, len(picks) // T]
    integers = [*counts, *start["candidates"], *(pick["candidate"] for pick in picks)]
    floats = [*start["y"], *(pick["y"] for pick in picks)]
    floats += [batch["beta"] for batch in document["batches"]]
    content = np.array(integers, "<i8").tobytes() + np.array(floats, "<f8").tobytes()
    return sha256(content).hexdigest()


def test_the_digest_can_be_checked_from_the_file_alone(document: Any) -> None:
    """In any language."""
    assert _digest(document) == document["digest"]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"seed":3', '"seed":NaN', "numbers that are finite; got NaN"),
        ('"seed":3', '"seed":-Infinity', "numbers that are finite; got -Infinity"),
        ('"mean":0.1', '"mean":1e999', r"a finite number at \$\.prior\.mean; got inf"),
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
    assert said_by(document_of(run)) == said_by(document)


@pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")  # values far off
@given(data=st.data())
@examples(150)
def test_a_damaged_letter_is_refused_or_is_what_comes_back(data: st.DataObject) -> None:
    """The same for the text."""
    text = _kept_text()
    at = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from(list('0123456789.-+eE{}[],:"\\ nulatrsfA/=\n\x00é')))
    text = text[:at] + letter + text[at + 1 :]
    try:
        run = Trace.load(io.StringIO(text))
    except InputError:  # and nothing else, whatever is in a file
        return
    assert said_by(document_of(run)) == said_by(json.loads(text))


def said_by(document: Any) -> Any:
    """All but the means, which are worked out again and agree up to rounding only."""
    for batch in document["batches"]:
        for pick in batch["picks"]:
            del pick["mean"]
    return document


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
