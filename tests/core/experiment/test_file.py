"""Experiments in files: what comes back is the same, damage is refused, and old files open."""

from __future__ import annotations

import copy
import csv
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

from tests.core import runs
from tests.core.recorded import (
    TIME,
    assert_equal,
    assert_same_belief,
    document_of,
    fresh,
    minimising,
    plan,
    read,
    rich,
    table,
    text_of,
    truth,
)
from tests.core.reference import DATA, examples
from ucbpe_core import IllConditionedWarning, InputError, UCBPEError
from ucbpe_core.experiment import (
    Experiment,
    Plan,
    head_text,
    journal_text,
    version_of,
)
from ucbpe_core.experiment.journal import KINDS
from ucbpe_core.policies import POLICIES

GUIDE = Path(__file__).parents[3] / "docs" / "experiment.md"


def stages() -> Iterator[Experiment]:
    """An experiment at each point of its life."""
    yield Experiment.begin(table(), plan(), time=TIME)
    yield fresh()
    yield fresh().ask()
    first = list(fresh().ask().ledger.pending)
    yield fresh().ask().tell(first[2:], truth(first[2:]))
    yield fresh().ask().tell(first[:1], truth(first[:1])).ask()
    yield rich()


@pytest.mark.parametrize("stage", range(6))
def test_what_is_read_goes_on_as_the_original_would(stage: int, tmp_path: Path) -> None:
    """The same proposal next, bit for bit; it writes the same file again."""
    experiment = list(stages())[stage]
    experiment.save(tmp_path / "one.json")
    again = Experiment.load(str(tmp_path / "one.json"))
    assert_equal(experiment, again)
    assert text_of(again) == (tmp_path / "one.json").read_text(encoding="ascii")
    assert_same_belief(experiment.ask(), again.ask())
    if experiment.undoable:
        assert_same_belief(experiment.undo().ask(), again.undo().ask())


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_comes_back(name: str) -> None:
    policy = POLICIES[name]() if name == "GP-UCB" else POLICIES[name](batch_size=3)
    experiment = fresh().replan(Plan(plan().gp, policy, plan().beta)).ask()
    again = read(document_of(experiment))
    assert again.plan == experiment.plan
    assert_same_belief(experiment, again)
    members = list(experiment.ledger.pending)[:2]
    assert_same_belief(
        experiment.tell(members, truth(members)).ask(), again.tell(members, truth(members)).ask()
    )


def test_the_file_is_its_head_and_its_journal() -> None:
    """So that the large part need not be told again."""
    experiment = rich()
    assert head_text(experiment) + journal_text(experiment) == text_of(experiment)
    assert head_text(experiment) == head_text(experiment.undo().ask())


def test_a_file_of_version_1_still_opens() -> None:
    """Written once and kept: it has every kind of entry."""
    text = (DATA / "kept" / "experiment_v1.json").read_text(encoding="ascii")
    experiment = Experiment.load(io.StringIO(text))
    kinds = {entry["kind"] for entry in json.loads(text)["journal"]["entries"]}
    assert kinds == {"plan", "ask", "tell", "withdraw", "correct", "undo", "redo"}
    assert document_of(experiment) == json.loads(text)
    assert experiment.name == "Cake & tea"
    *corrected, told = experiment.measurements
    assert [one.y for one in corrected] == [0.25, None]
    assert told.y == pytest.approx(truth([told.candidate])[0], rel=1e-12)


def test_numbers_and_texts_read_back_exactly() -> None:
    with pytest.warns(IllConditionedWarning, match="far from what the prior expects"):
        experiment = fresh().tell([1, 2, 3, 4, 5], [0.1 + 0.2, -0.0, 5e-324, 1e100, np.pi])
    with pytest.warns(IllConditionedWarning, match="far from what the prior expects"):
        again = read(document_of(experiment))
    assert [one.y for one in again.measurements] == [one.y for one in experiment.measurements]
    assert str(again.measurements[3].y) == "-0.0"
    assert again.table.labels == table().labels
    assert again.table.inputs == table().inputs


def changed(document: Any, path: str, value: Any) -> Any:
    """A copy without digests, with the field at `path` replaced, or removed (`...`)."""
    copied = copy.deepcopy(document)
    copied.pop("digest")
    copied["journal"].pop("digest")
    return runs.changed(copied, path, value)


ENTRY = "journal.entries"


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("format", "ucbpe-trace", "a file of format ucbpe-experiment; got format 'ucbpe-trace'"),
        ("version", 4, "a version up to 3 of the format; got version 4"),
        ("version", True, "a whole number at $.version; got True"),
        ("id", 3, "text at $.id; got 3"),
        ("name", ..., "a field at $.name; got none"),
        ("created", "yesterday", "created as in 2024-05-31T14:05:00+00:00; got 'yesterday'"),
        ("extra", 1, "no unknown fields at $; got ['extra']"),
        ("table.inputs", ["a"], "candidates with 1 columns; got 2"),
        ("table.inputs.0", 7, "text at $.table.inputs[0]; got 7"),
        (
            "table.candidates.points.3",
            [1.0],
            "rows of one length at $.table.candidates.points; got [1, 2]",
        ),
        (
            "table.candidates.points.3.0",
            "x",
            "a number at $.table.candidates.points[3][0]; got 'x'",
        ),
        ("table.candidates.points", [], " at $.table.candidates, one for each value; got 0"),
        ("table.labels.0.texts.29", ..., "30 texts of sample; got 29"),
        ("table.labels.0.texts.0", 4, "text at $.table.labels[0].texts[0]; got 4"),
        (f"{ENTRY}.0.kind", "begin", "a known kind at $.journal.entries[0]; got 'begin'"),
        (
            f"{ENTRY}.0.time",
            "noon",
            "time as in 2024-05-31T14:05:00+00:00 at $.journal.entries[0]; got 'noon'",
        ),
        (f"{ENTRY}.0", ..., "a journal that begins with a plan; got none"),
        (ENTRY, [], "a journal that begins with a plan; got none"),
        (
            f"{ENTRY}.0.prior.noise_variance",
            -1,
            "noise_variance of at least 0 at $.journal.entries[0].prior; got -1",
        ),
        (
            f"{ENTRY}.0.policy.kind",
            "Best",
            "policy with a kind among GP-UCB-PE, GP-UCB, GreedyUCB, GP-BUCB, SM-UCB,",
        ),
        (
            f"{ENTRY}.0.beta.delta",
            2,
            "delta strictly between 0 and 1 at $.journal.entries[0].beta; got 2",
        ),
        (f"{ENTRY}.1.candidates.0", 30, "candidates between 0 and 29; got 30"),
        (
            f"{ENTRY}.1.candidates.0",
            4.0,
            "a whole number at $.journal.entries[1].candidates[0]; got 4.0",
        ),
        (f"{ENTRY}.1.y", [1.0], "y of shape (2,) at $.journal.entries[1]; got shape (1,)"),
        (f"{ENTRY}.1.y.0", True, "a number at $.journal.entries[1].y[0]; got True"),
        (f"{ENTRY}.2.t", 2, "a batch with t = 1 after 2 points; got t = 2, n = 2"),
        (f"{ENTRY}.2.n", 3, "a batch with t = 1 after 2 points; got t = 1, n = 3"),
        (f"{ENTRY}.2.picks", [], "3 picks with roles among ucb, pe; got none"),
        # A plan that avoids repeats can have a smaller batch, but not with these later points.
        (f"{ENTRY}.2.picks.0", ..., "a batch with t = 2 after 4 points; got t = 2, n = 5"),
        (f"{ENTRY}.2.picks.0.role", "best", "3 picks with roles among ucb, pe; got best, pe, pe"),
        (
            f"{ENTRY}.2.picks.0.std",
            -1.0,
            "std of at least 0 at $.journal.entries[2].picks[0]; got -1",
        ),
        (
            f"{ENTRY}.2.picks.0.in_region_plus",
            1,
            "true or false at $.journal.entries[2].picks[0].in_region_plus; got 1",
        ),
        (f"{ENTRY}.2.beta", -0.1, "beta of at least 0 at $.journal.entries[2]; got -0.1"),
        (f"{ENTRY}.6.candidates.0", 29, "an outstanding pick; got 29"),
        (f"{ENTRY}.7.measurement", 9, "a measurement from 0 to 2; got 9"),
        (f"{ENTRY}.-1.extra", 1, "no unknown fields at $.journal.entries[12]; got ['extra']"),
        (
            f"{ENTRY}.1.kind",
            "undo",
            "no unknown fields at $.journal.entries[1]; got ['candidates', 'y']",
        ),
    ],
)
def test_what_cannot_have_happened_is_refused(path: str, value: Any, what: str) -> None:
    """And the error says where."""
    assert_equal(rich_named(), read(changed(document_of(rich_named()), "name", "Cake & tea")))
    with pytest.raises(InputError, match=re.escape(what)):
        read(changed(document_of(rich_named()), path, value))


def rich_named() -> Experiment:
    return Experiment.load(
        io.StringIO((DATA / "kept" / "experiment_v1.json").read_text(encoding="ascii"))
    )


def test_damage_that_is_still_json_is_found_by_the_digests() -> None:
    """And a file without them is taken as it is, so that a person can correct it."""
    text = text_of(fresh())
    y = repr(float(truth([4])[0]))
    assert text.count(y) == 1
    flipped = text.replace(y, y.replace(y[3], str((int(y[3]) + 1) % 10), 1))
    with pytest.raises(InputError, match=r"content of journal.digest .*remove the digest"):
        Experiment.load(io.StringIO(flipped))
    with pytest.raises(InputError, match=r"content of digest "):
        Experiment.load(io.StringIO(text.replace('"S<7>"', '"S<1>"')))
    document = json.loads(flipped)
    del document["journal"]["digest"]
    assert read(document).measurements[0].y == pytest.approx(float(y), rel=0.2)
    # A journal belongs to its experiment.
    other = document_of(Experiment.begin(table(), plan(), time=TIME))
    with pytest.raises(InputError, match=r"content of journal\.digest"):
        read({**document_of(fresh()), "journal": other["journal"]})


@examples(80)
@given(st.integers(0, 10**9))
def test_a_file_that_is_cut_short_is_refused(cut: int) -> None:
    text = text_of(fresh()).rstrip("\n")
    with pytest.raises(InputError):
        Experiment.load(io.StringIO(text[: cut % len(text)]))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 60),
    # A longer one is rounded as it is read, as any decimal number is.
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
    st.lists(st.integers(-1, 40), max_size=3),
    st.dictionaries(st.sampled_from(["kind", "time", "y"]), st.integers(), max_size=2),
)


@pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")  # values far off
@examples(300)
@given(st.data())
def test_any_damage_is_refused_or_is_what_comes_back(data: st.DataObject) -> None:
    """Without the digests: an error of ours, or an experiment that says just what the file said."""
    document = changed(json.loads((DATA / "kept" / "experiment_v1.json").read_text()), "name", "n")
    holders = list(_holders(document))
    inner = data.draw(st.sampled_from(holders))
    key = data.draw(st.sampled_from([*inner] if isinstance(inner, dict) else range(len(inner))))
    if data.draw(st.booleans()):
        inner[key] = data.draw(JUNK)
    else:
        del inner[key]
    try:
        with np.errstate(all="ignore"):
            experiment = read(document)
    except UCBPEError:
        return
    said = document_of(experiment)
    document.pop("digest", None)
    document["journal"].pop("digest", None)
    assert {k: v for k, v in said.items() if k not in ("digest", "journal")} == {
        k: v for k, v in document.items() if k != "journal"
    }
    assert said["journal"]["entries"] == document["journal"]["entries"]


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"\xff\xfe", b"PK\x03\x04", b"{}"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError, match=r"expected .*; got .*; "):
        Experiment.load(tmp_path / "x.json")
    with pytest.raises(InputError, match=r"a saved experiment in .*none.json; got No such file"):
        Experiment.load(tmp_path / "none.json")


def test_what_cannot_be_read_back_is_not_written(tmp_path: Path) -> None:
    class Mine(type(plan().policy)):  # type: ignore[misc]
        """A policy of one's own."""

    path = tmp_path / "x.json"
    path.write_text("kept", encoding="ascii")
    strange = fresh().replan(Plan(plan().gp, Mine(3), plan().beta))
    with pytest.raises(InputError, match="policy of kind"):
        strange.save(path)
    assert path.read_text(encoding="ascii") == "kept"


def test_csv_has_what_counts_and_reads_back_exactly() -> None:
    experiment, text = rich_named(), io.StringIO()
    experiment.to_csv(text)
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    counting = [(i, one) for i, one in enumerate(experiment.measurements) if one.y is not None]
    assert len(rows) == len(counting) == 2
    for row, (number, one) in zip(rows, counting, strict=True):
        assert int(row["measurement"]) == number
        assert int(row["candidate"]) == one.candidate
        assert float(row["y"]) == one.y
        assert row["told"] == one.time
        assert row["label 1: sample"] == f"S<{one.candidate}>"
        inputs = [float(row[f"input {i}: {name}"]) for i, name in enumerate(table().inputs, 1)]
        assert inputs == table().candidates[one.candidate].tolist()
        if one.answers is None:
            assert row["t"] == row["role"] == row["std"] == row["asked"] == ""
        else:
            assert (int(row["t"]), int(row["k"])) == (one.answers.t, one.answers.k)
            assert float(row["std"]) == one.answers.proposal.std
            assert row["asked"] == one.answers.time


def _guide_names(heading: str) -> list[str]:
    section = GUIDE.read_text(encoding="utf-8").split(f"## {heading}")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)


def test_the_guide_names_every_field() -> None:
    document = document_of(rich_named())
    named = _guide_names("JSON, version 1")
    top = {name.split(".")[0].split("[")[0] for name in named}
    kinds = set(KINDS.values())
    assert kinds <= set(named)
    assert set(document) == top - kinds
    guide = GUIDE.read_text(encoding="utf-8")
    for entry in document["journal"]["entries"]:
        for name in {*entry, *(entry.get("picks") or [{}])[0]} - {"kind", "time"}:
            assert f"`{name}`" in guide, name
    text = io.StringIO()
    rich_named().to_csv(text)
    header = next(csv.reader(io.StringIO(text.getvalue())))
    plain = [re.sub(r"^(label|input) \d+: .*", r"\1 i: name", name) for name in header]
    assert list(dict.fromkeys(plain)) == _guide_names("CSV")


def test_the_guides_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    grid = np.stack(np.meshgrid(np.arange(60, 101, 2), np.arange(2, 21)), axis=-1)
    space: dict[str, Any] = {"candidates": grid.reshape(-1, 2).astype(float)}
    for block in blocks:
        exec(block, space)
    document = json.loads((tmp_path / "extraction.ucbpe.json").read_text())
    head = {k: v for k, v in document.items() if k not in ("digest", "journal")}
    digest: Callable[[Any], str] = space["digest"]
    assert digest(head) == document["digest"]
    journal = document["journal"]
    assert digest([document["id"], journal["entries"]]) == journal["digest"]
    assert (tmp_path / "extraction.csv").exists()
    assert [one.y for one in space["experiment"].measurements] == [55.5, 65.3, 71.0]


def test_noise_variances_of_measurements_come_back() -> None:
    """As version 2; the posterior has them, and a measurement without one has the prior's."""
    told = fresh().tell([3, 8], [1.0, 1.2], [0.5, None], time=TIME).ask(time=TIME)
    assert (document_of(told)["version"], document_of(fresh())["version"]) == (2, 1)
    again = read(document_of(told))
    assert_equal(told, again)
    assert again.posterior.known_noise == (None, None, 0.5, None)
    assert [one.noise_variance for one in again.measurements] == [None, None, 0.5, None]
    assert again.fit().gp == told.fit().gp
    with pytest.raises(InputError, match="noise_variance of at least 0"):
        fresh().tell([3], [1.0], -1.0)


def test_a_plan_that_minimises_comes_back() -> None:
    """As version 3, for as long as the journal has it; without one nothing in a file changes."""
    experiment = minimising().ask(time=TIME)
    document = document_of(experiment)
    assert document["version"] == 3
    assert document["journal"]["entries"][0]["direction"] == "minimize"
    again = read(document)
    assert_equal(experiment, again)
    assert again.plan.direction == "minimize"
    assert text_of(again) == text_of(experiment)
    members = list(experiment.ledger.pending)[:2]
    assert_same_belief(
        experiment.tell(members, truth(members)).ask(), again.tell(members, truth(members)).ask()
    )
    assert '"direction"' not in text_of(rich())
    assert version_of(rich()) == 1
    turned = rich().replan(replace(plan(), direction="minimize"))
    assert [version_of(turned), version_of(turned.undo())] == [3, 3]
    document["journal"]["entries"][0]["direction"] = "down"
    del document["journal"]["digest"]
    with pytest.raises(InputError, match=r"journal.entries\[0\].*"):
        read(document)
