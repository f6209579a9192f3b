"""Runs in files and as tables: what comes back, and what files, CSV and frames say."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.core.runs import (
    abalone_file,
    assert_equal_runs,
    document_of,
    guide_table,
    policy_of,
    read,
    reread,
    small_run,
    text_of,
)
from ucbpe_core import GPUCBPE, Bandit, InputError, Posterior, Trace, problems, simulate
from ucbpe_core.policies import GPUCB, POLICIES, RandomSearch
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.support.optional import install


def refitted(**more: Any) -> Trace:
    """A run whose prior was fitted again before batches 3 and 5."""
    problem = problems.generated_gp(5, nu=2.5, noise_variance=0.1, lengthscale=0.3, resolution=9)
    usual = {"batches": 6, "initial": 5, "seed": 2, "refit_every": 2}
    return simulate(replace(problem, **more), GPUCBPE(3), **usual)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_comes_back(name: str, tmp_path: Path) -> None:
    """Equal to the last bit; it writes the same file, and runs on as the original would."""
    run = small_run(policy_of(name))
    run.save(tmp_path / "run.json")
    again = Trace.load(str(tmp_path / "run.json"))
    assert_equal_runs(run, again)
    assert text_of(again) == (tmp_path / "run.json").read_text(encoding="ascii")
    options = {"batches": 3, "initial": 6, "seed": again.seed}
    rerun = simulate(again.problem, again.policy, again.gp, again.beta, **options)
    assert text_of(rerun) == text_of(run)  # whenever it was run


def test_a_file_is_read_without_conditioning(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was chosen and measured is known at once; a posterior waits for the first use."""
    run = refitted()
    document = document_of(run)
    with monkeypatch.context() as patch:
        patch.setattr(Posterior, "observe", None)
        again = read(document)
        assert again.digest == run.digest
        assert again.running_minimum.tolist() == run.running_minimum.tolist()
        with pytest.raises(TypeError):
            again.posterior.mean.sum()
    assert_equal_runs(run, again)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_comes_back(name: str) -> None:
    """With its axes, grid, citation, own observations and suggested prior."""
    problem = problems.abalone(abalone_file()) if name == "abalone" else PROBLEMS[name]()
    run = simulate(problem, GPUCBPE(2), batches=2, initial=3, seed=1)
    assert_equal_runs(run, reread(run))


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_refitted_run_comes_back(direction: str) -> None:
    """Each batch with the posterior of its own prior, from which it decides again as it did."""
    run = refitted(direction=direction)
    again = read(document_of(run))
    assert [t for t, _ in again.refits] == [3, 5]
    assert_equal_runs(run, again)
    sign = 1.0 if direction == "maximize" else -1.0
    for made in again.decisions:
        start = again.posterior_of(made.t).at(made.n)
        anew = again.policy.decide(start.signed(sign), made.t, again.beta)
        np.testing.assert_array_equal(anew.indices, made.indices)
        np.testing.assert_array_equal(anew.region_plus, made.region_plus)
        np.testing.assert_allclose(anew.stds, made.stds, atol=1e-9)


def leaves(value: Any, path: str, known: dict[str, str]) -> Iterator[str]:
    """Every field that the guide has a line for, or should have."""
    if path in known or not isinstance(value, dict):
        yield path
    else:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}".lstrip("."), known)


def test_the_guide_has_every_field(document: Any) -> None:
    """No more and no fewer, but for a run that minimises."""
    known = guide_table("JSON of a run")
    assert set(leaves(document, "", known)) == set(known)


def rows_of(trace: Trace) -> list[dict[str, str]]:
    stream = io.StringIO()
    trace.to_csv(stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


RUNS = {
    "GP-UCB-PE": lambda: small_run(GPUCBPE(3)),
    "GP-UCB": lambda: small_run(GPUCB()),
    "without a criterion": lambda: small_run(RandomSearch(2)),
    "refitted": refitted,
    "minimised": lambda: refitted(direction="minimize"),
}


@pytest.mark.parametrize("name", RUNS)
def test_each_row_has_what_the_trace_has(name: str) -> None:
    """To the last bit, but for the mean, which another sum gives."""
    run = RUNS[name]()
    rows, K, problem = rows_of(run), run.policy.batch_size, run.problem
    assert [int(row["candidate"]) for row in rows] == list(run.posterior.conditioned_indices)
    assert [float(row["y"]) for row in rows] == run.y.tolist()
    assert {row["state"] for row in rows} == {"done"}
    for number, row in enumerate(rows):
        j, value = int(row["candidate"]), float(row["true_value"])
        x = [float(row["input 1: x1"]), float(row["input 2: x2"])]
        assert (x, value) == (problem.candidates[j].tolist(), problem.values[j])
        assert float(row["regret"]) == abs(problem.optimum - value)
        assert int(row["measurement"]) == number
    of_picks = [*rows[0]][[*rows[0]].index("mean") :]
    for row in rows[: run.initial]:
        assert {row[column] for column in ("t", "k", "role", *of_picks)} == {""}
    for t, made in enumerate(run.decisions):
        mean = run.posterior_of(made.t).at(made.n).mean
        for k, j in enumerate(made.indices):
            row = rows[run.initial + t * K + k]
            assert (row["t"], row["k"], row["role"]) == (str(t + 1), str(k), made.roles[k])
            score = made.scores[k]
            assert row["score"] == ("" if np.isnan(score) else repr(float(score)))
            assert float(row["mean"]) == pytest.approx(mean[j], abs=1e-12)
            for column, wanted in {
                "std": made.stds[k],
                "beta": made.beta,
                "sqrt_beta": np.sqrt(made.beta),
                "beta_next": made.beta_next,
                "y_dot": made.y_dot,
                "in_region": made.region[j],
                "in_region_plus": made.region_plus[j],
                "region_size": made.region.sum(),
                "region_plus_size": made.region_plus.sum(),
                "simple_regret": run.simple_regret[t],
                "running_minimum": run.running_minimum[t],
                "batch_cumulative_regret": run.batch_cumulative_regret[t],
                "full_cumulative_regret": run.full_cumulative_regret[t],
            }.items():
                assert float(row[column]) == wanted, column
    assert len(rows) == run.initial + len(run.decisions) * K


def test_a_frame_has_the_cells_of_the_file(run: Trace) -> None:
    """And of a bandit with the same history, the first columns."""
    stream = io.StringIO()
    run.to_csv(stream)
    frame = run.to_frame()
    # As text: what pandas makes of a number depends on its version.
    again = pd.read_csv(io.StringIO(stream.getvalue()), dtype=str, keep_default_na=False)
    cells = frame.astype(object).where(frame.notna(), "")
    assert list(again.columns) == list(frame.columns)
    for name in frame.columns:
        for written, cell in zip(again[name], cells[name], strict=True):
            assert written == cell if isinstance(cell, str) else float(written) == cell, name
    bandit = Bandit(run.problem.candidates, run.gp, run.policy, run.beta)
    bandit.tell(run.posterior.conditioned_indices[: run.initial], run.y[: run.initial])
    for made in run.decisions:
        bandit.tell(bandit.ask().indices, run.y[made.n : made.n + len(made.indices)])
    other = bandit.to_frame()
    shared = frame.iloc[:, : other.shape[1]].set_axis(other.columns, axis=1)
    left_out = ["told", "asked"]  # nobody says when a run was simulated
    pd.testing.assert_frame_equal(shared.drop(columns=left_out), other.drop(columns=left_out))


def test_the_guide_has_every_column() -> None:
    """In the order of the file, after those of all tables."""
    header = [*rows_of(small_run())[0]]
    own = header[header.index("true_value") :]
    assert [*guide_table("CSV of a run")] == own


def test_columns_stay_apart_whatever_the_axes_are_called(tmp_path: Path) -> None:
    """An input named y, or like another one, or with a comma and a quote, or half a character."""
    axes = ("y", "y", 'a "b", c', "f")
    table = problems.from_table([[0.0, 1.0, 2.0], [1.0, 0.5, 3.0]], [1.0, 2.0], axes=axes)
    run = simulate(table, GPUCB(), batches=1, initial=1)
    for row, y in zip(rows_of(run), run.y, strict=True):
        x = [float(row[name]) for name in ("input 1: y", "input 2: y", 'input 3: a "b", c')]
        assert (x, float(row["y"])) == (table.candidates[int(row["candidate"])].tolist(), y)
    # JSON can escape what a careless cut leaves; CSV cannot.
    table = problems.from_table([[0.0], [1.0]], [1.0, 2.0], axes=("x\ud83d", "f"))
    run = simulate(table, GPUCB(), batches=1, initial=1)
    assert read(document_of(run)).problem.axes == table.axes
    with pytest.raises(InputError, match=r"names that UTF-8 can encode; got .*surrogates"):
        run.to_csv(tmp_path / "run.csv")
    assert not (tmp_path / "run.csv").exists()


def test_without_pandas_the_error_names_the_extra(
    run: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        InputError, match=f"pandas to be installed; .*{re.escape(install('study'))}"
    ):
        run.to_frame()
