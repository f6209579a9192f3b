"""Searches in files: what comes back is the same, damage is refused, and no result is lost."""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core import runs
from tests.core.runs import (
    assert_equal,
    assert_equal_fields,
    document_of,
    fresh,
    plan,
    read_experiment,
    reread,
    rich,
    small_run,
    table,
    text_of,
)
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Trace,
)
from ucbpe_core.errors import TooLargeError
from ucbpe_core.files import history as file
from ucbpe_core.files.text import digest

GUIDE = Path(__file__).parents[3] / "docs" / "files.md"
X = np.random.default_rng(0).random((40, 2))


def f(points: Any) -> np.ndarray:
    return np.sin(5 * points[:, 0]) + points[:, 1]


def on_a_table(table: Any = X) -> Bandit:
    """One batch whole, one in part with noise variances of its own, one asked and untouched."""
    gp = GaussianProcess(Matern(0.3, nu=2.5), 0.01, 0.2)
    bandit = Bandit(table, gp, GPUCBPE(3), FiniteBeta(scale=0.2))
    bandit.tell([0, 7], f(X[[0, 7]]))
    first = bandit.ask()
    bandit.tell(first.indices, f(first.points), [0.02, None, 0.5], points=first.points + 0.01)
    second = bandit.ask()
    bandit.tell(second.indices[1:2], f(second.points[1:2]))
    bandit.ask()
    return bandit


def on_a_box() -> BoxBandit:
    gp = GaussianProcess(RBF((2.0, 0.4)), 0.01)
    bandit = BoxBandit([(0, 5), (-1, 1)], gp, GPUCBPE(2), seed=3, samples=16, starts=1, fit="never")
    bandit.tell(None, [0.1, 0.7], points=[[1.0, 0.0], [4.0, 0.5]])
    first = bandit.ask()
    bandit.tell(first.indices[:1], [0.4], 0.2, points=first.points[:1] + 0.01)
    bandit.ask()
    return bandit


@pytest.mark.parametrize("make", [on_a_table, on_a_box])
def test_the_open_decision_is_of_the_data_when_it_was_asked(make: Any) -> None:
    """Whatever is told, withdrawn or fitted since: elsewhere, or of earlier batches."""
    bandit = make()
    decision, earlier = bandit.ask(), bandit.pending[:-3]
    bandit.tell(None, [5.0], points=[[0.5, 0.5]])
    if len(earlier) > 1:
        bandit.tell(earlier[:1], [0.3])
    bandit.withdraw(earlier[-1:])
    bandit.refit(lambda gp, *_, **__: replace(gp, mean=1.0))
    assert_equal_fields(bandit.ask(), decision)
    assert_equal_fields(reread(bandit).ask(), decision)
    assert_equal_fields(reread(reread(bandit)).ask(), decision)


def test_the_names_of_the_columns_come_back() -> None:
    names = ["heat (°C)", "time"]
    bandit = on_a_table(table=pytest.importorskip("pandas").DataFrame(X, columns=names))
    assert reread(bandit).names == bandit.names == tuple(names)


def test_the_file_is_its_head_and_its_history() -> None:
    """So that the large part need not be written again."""
    experiment = rich()
    document = experiment.document()
    head = file.head_text(document)
    assert head + file.history_text(document) == text_of(experiment)
    experiment.undo()
    experiment.ask()
    assert file.head_text(experiment.document()) == head


def changed(document: Any, path: str, value: Any) -> Any:
    """A copy without checksums, with the field at `path` replaced, or removed (`...`)."""
    copied = copy.deepcopy(document)
    copied.pop("checksum")
    copied["history"].pop("checksum")
    return runs.changed(copied, path, value)


S = "history.steps"


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("format", "other", "a file of format ucbpe-history; got format 'other'"),
        ("format", "ucbpe-experiment", "one of an earlier, unreleased version: format 'ucbpe-exp"),
        ("version", 2, "a version up to 1 of the format; got version 2"),
        ("kind", "bandit", "a file of Experiment; got one of Bandit; use Bandit.load"),
        ("extra", 1, "no unknown fields at $; got ['extra']"),
        (S, [], "a step at $.history.steps; got none"),
        (f"{S}.0.plans.0.gp.noise_variance", -1, "noise_variance of at least 0 at $.history"),
        (f"{S}.1.time", "noon", "a time as in 2024-05-31T14:05:00+00:00 at $.history.steps[1]"),
        (f"{S}.1.added.0.time", "noon", "T14:05:00+00:00 at $.history.steps[1].added[0].time"),
        (f"{S}.1.kind", "redo", "a step to redo at $.history.steps[1]; got none"),
        (f"{S}.1.added.0.index", 30, "indices between 0 and 29 at $.history.steps[1]; got 30"),
        (f"{S}.1.added.0.y", True, "a number at $.history.steps[1].added[0].y; got True"),
        (f"{S}.1.added.0.place", 1, "expected 0 at $.history.steps[1].added[0].place; got 1"),
        (f"{S}.1.added.0.state", "lost", "added[0].state; got"),
        (f"{S}.2.batches.0.t", 2, "expected 1 at $.history.steps[2].batches[0].t; got 2"),
        (f"{S}.3.changed", [], "a step that changes something at $.history.steps[3]"),
        (f"{S}.2.kind", "undo", "expected no field at $.history.steps[2].batches; got"),
        (f"{S}.2.added.0.role", "best", "roles among ucb, pe at $.history.steps[2]; got 'best'"),
        (f"{S}.2.added.0.std", -1.0, "a number of at least 0 at $.history.steps[2].added[0].std"),
        (f"{S}.3.changed.0.number", 9, "a change of a trial that was there before"),
        (f"{S}.3.changed.0.trial.index", 0, "$.history.steps[3].added; got no field"),
        (f"{S}.4.plans.0.since", 3, "expected 1 at $.history.steps[4].plans[0].since; got 3"),
        (f"{S}.6.changed.0.trial.index", 29, "an outstanding pick at $.history.steps[6]; got 29"),
        (f"{S}.10.changed.0.trial.allowed", ..., "an outstanding pick at $.history.steps[10]"),
    ],
)
def test_what_cannot_have_happened_is_refused(path: str, value: Any, what: str) -> None:
    """And the error says where."""
    document = document_of(rich())
    assert_equal(
        read_experiment(changed(document, "name", "Cake & tea")), read_experiment(document)
    )
    with pytest.raises(InputError, match=re.escape(what)):
        read_experiment(changed(document, path, value))


def test_a_whole_file_that_cannot_be_read_is_of_a_version_that_was_not_released() -> None:
    """Its checksum says that nobody altered it."""
    older = document_of(rich())
    history = older.pop("history")
    older["grid"] = older.pop("checksum") and [3, 10]
    older |= {"checksum": digest(older), "history": history}
    with pytest.raises(InputError, match=r"earlier, unreleased version: .*no unknown fields"):
        read_experiment(older)
    older["grid"] = [3, 9]
    with pytest.raises(InputError, match=r"^expected no unknown fields at \$"):
        read_experiment(older)


def small(*told: int) -> Bandit:
    """Three candidates, whose file is short."""
    bandit = Bandit([[0.0], [0.5], [1.0]], GaussianProcess(RBF(0.3)), GPUCBPE(1))
    bandit.tell(told, [0.1 * j for j in told])
    return bandit


@pytest.mark.parametrize("make", [lambda: small(0, 2), on_a_box, fresh])
def test_no_flipped_bit_is_read_as_another_search(make: Any) -> None:
    """Every third bit, or every 13th of a longer file: refused, or only written otherwise."""
    search = make()
    data, same = text_of(search).encode("ascii"), 0
    for i in range(0, 8 * len(data), 3 if len(data) < 1000 else 13):
        flipped = bytearray(data)
        flipped[i // 8] ^= 1 << i % 8
        try:
            again = type(search).load(io.StringIO(flipped.decode("latin-1")))
        except InputError:
            continue
        same += 1
        assert text_of(again) == text_of(search), i
    assert same < 20  # the space at the end, and letters of exponents


def test_a_file_without_checksums_is_read_as_it_is() -> None:
    """So that one can be edited by hand. A history belongs to its search."""
    document = document_of(small(0, 2))
    document["history"]["steps"][1]["added"][1]["y"] = 7.0
    with pytest.raises(InputError, match=r"content of history.checksum .* remove the"):
        Bandit.load(io.StringIO(json.dumps(document)))
    del document["history"]["checksum"]
    assert Bandit.load(io.StringIO(json.dumps(document))).process.y.tolist() == [0.0, 7.0]
    other = document_of(Experiment(table(), plan()))
    with pytest.raises(InputError, match=r"content of history\.checksum"):
        read_experiment({**document_of(fresh()), "history": other["history"]})


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"null", b"\xff\xfe", b"PK\x03\x04", b"{}", text_of(fresh()).encode()[:-2]],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    for kind in (Bandit, BoxBandit, Experiment, Trace):
        with pytest.raises(InputError, match=r"expected .*; got .*; "):
            kind.load(tmp_path / "x.json")
    with pytest.raises(InputError, match=r"a saved search in .*none.json; got No such file"):
        Experiment.load(tmp_path / "none.json")
    with pytest.raises(InputError, match="got Is a directory"):
        Trace.load(tmp_path)


@pytest.mark.parametrize("verb", ["tell", "withdraw", "refit", "box"])
def test_steps_in_the_file_are_not_replaced(verb: str, tmp_path: Path) -> None:
    """Two processes that load the same file and take one step each: the second has to load it.

    Also where Notepad wrote the file meanwhile, with a byte order mark.
    """
    path, bandit = tmp_path / "b.json", on_a_box() if verb == "box" else small(0)
    bandit.ask()
    bandit.save(path)
    first, second = type(bandit).load(path), type(bandit).load(path)
    if verb == "refit":
        first.refit(lambda gp, *_: replace(gp, mean=1.0))
    elif verb == "withdraw":
        first.withdraw()
    else:
        first.tell(first.pending[:1], [0.3])
    first.save(path)
    second.tell(second.pending[-1:], [0.4])
    kept = b"\xef\xbb\xbf" + path.read_bytes()
    path.write_bytes(kept)
    steps = len(document_of(first)["history"]["steps"])
    with pytest.raises(InputError, match=rf"the {steps} steps in .* without 1 .* load that file"):
        second.save(path)
    assert path.read_bytes() == kept
    again = type(bandit).load(path)
    again.tell(None, [0.5], points=bandit.pending_points[:1] + 0.25)
    again.save(path)
    assert type(bandit).load(path).history == again.history


OTHERS = {"another search": text_of(small(0, 1, 2)), "a search of no format": '{"id": 1}'}
OTHERS |= {"a list": "[]", "a brace": "{", "nothing": "", "bytes": "\udcff"}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_of_this_search_is_replaced_on_request_alone(tmp_path: Path, name: str) -> None:
    """On every front, also behind a symbolic link; a file that is refused keeps its content."""
    path, link = tmp_path / "file.json", tmp_path / "link.json"
    link.symlink_to(path)
    got = {"another search": "another search", "nothing": "an empty file"}.get(name, "another file")
    for search in (small(1), on_a_box(), rich(), small_run()):
        for at in (path, link):
            path.write_bytes(earlier := OTHERS[name].encode("utf-8", "surrogateescape"))
            with pytest.raises(InputError, match=rf"or none; got {got}; .* overwrite=True"):
                search.save(at)
            assert path.read_bytes() == earlier
            search.save(at, overwrite=True)
            search.save(at)
            assert link.is_symlink()
        type(search).load(path)
        with pytest.raises(InputError, match="overwrite false or true; got 1"):
            search.save(path, overwrite=1)


def test_overwriting_replaces_later_steps_of_this_search_too(tmp_path: Path) -> None:
    path, bandit = tmp_path / "b.json", small(0)
    earlier = copy.copy(bandit)
    bandit.tell([1], [0.2])
    bandit.save(path)
    with pytest.raises(InputError, match="one without 1 of them"):
        earlier.save(path)
    earlier.save(path, overwrite=True)
    assert Bandit.load(path).history == earlier.history


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_device_or_a_pipe_is_no_place_to_save_to(tmp_path: Path, overwrite: bool) -> None:
    """/dev/full would be read without end, and a pipe until somebody writes to it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for search in (small(1), on_a_box(), rich(), small_run()):
        for path in ("/dev/full", "/dev/zero", pipe):
            with pytest.raises(InputError, match=r"regular file; got a device or a pipe; .* open"):
                search.save(path, overwrite=overwrite)
        with pytest.raises(InputError, match="a regular file; got a folder"):
            search.save(tmp_path, overwrite=overwrite)


@pytest.mark.parametrize("kind", [Bandit, BoxBandit, Experiment, Trace])
def test_an_endless_file_is_not_read_to_its_end(kind: Any) -> None:
    with pytest.raises(InputError, match=r"at most 64 MB in /dev/zero, .*; got more; copy"):
        kind.load("/dev/zero")


def test_a_file_larger_than_memory_is_not_read(tmp_path: Path) -> None:
    """It has no blocks on the disk."""
    path = tmp_path / "large.json"
    with path.open("wb") as large:
        large.truncate(2**42)
    with pytest.raises(TooLargeError, match=r"free memory for the text of .*large\.json"):
        Bandit.load(path)
    with pytest.raises(InputError, match="got another file"):
        small(1).save(path)


def test_a_pipe_can_be_loaded_from(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(pipe.write_text, text_of(small(0, 1)), encoding="ascii")
        assert Bandit.load(pipe).process.y.tolist() == [0.0, 0.1]


def test_the_table_has_every_trial_and_reads_back_exactly() -> None:
    """For experiments with labels, candidates, and a box."""
    experiment = rich()
    experiment.to_csv(text := io.StringIO())
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    history = experiment.history
    trials = [*history.measured, *(one for one in history.trials if one.place < 0)]
    assert len(rows) == len(trials)
    for row, one in zip(rows, trials, strict=True):
        assert int(row["candidate"]) == one.index
        assert row["label 1: sample"] == f"S<{one.index}>"
        inputs = [float(row[f"input {i}: {name}"]) for i, name in enumerate(table().inputs, 1)]
        assert inputs == table().candidates[one.index].tolist()
        assert (row["y"] and float(row["y"])) == ("" if one.y is None else one.y)
        assert (row["t"] and int(row["t"])) == (one.t or "")
        assert (row["std"] and float(row["std"])) == ("" if one.std is None else one.std)
        assert row["told"] == ("" if one.state == "pending" else one.time)
    states = [row["state"] for row in rows]
    assert states.count("void") == sum(one.place >= 0 and one.y is None for one in trials) == 1
    assert {"done", "pending", "withdrawn", "failed"} <= set(states)
    assert "the flask <broke>" in [row["reason"] for row in rows]
    pytest.importorskip("pandas")
    for search in (on_a_table(), on_a_box()):
        search.to_csv(text := io.StringIO())
        rows = list(csv.DictReader(io.StringIO(text.getvalue())))
        frame = search.to_frame()
        assert [*rows[0]] == list(frame.columns)
        assert [float(row["input 1"]) for row in rows] == frame["input 1"].tolist()
    first = on_a_box().to_frame()
    assert first.loc[2, ["candidate", "t", "noise_variance"]].tolist() == [0, 1, 0.2]


def test_the_guide_names_every_field() -> None:
    named, guide = (
        set(runs.guide_table("JSON of a search", GUIDE)),
        GUIDE.read_text(encoding="utf-8"),
    )
    for search in (rich(), on_a_table(), on_a_box()):
        document = document_of(search)
        assert set(document) <= {name.split(".")[0] for name in named}
        for step in document["history"]["steps"]:
            assert {f"history.steps[].{name}" for name in step} <= named
            for part in ("plans", "batches", "added", "changed"):
                for one in step.get(part, ()):
                    assert all(f"`{name}`" in guide for name in one), one
    rich().to_csv(text := io.StringIO())
    header = next(csv.reader(io.StringIO(text.getvalue())))
    plain = [re.sub(r"^(label|input) \d+: .*", r"\1 i: name", name) for name in header]
    assert list(dict.fromkeys(plain)) == [*runs.guide_table("CSV of a search", GUIDE)]
