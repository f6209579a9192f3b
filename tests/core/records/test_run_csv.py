"""A run as a table for a spreadsheet."""

from __future__ import annotations

import csv
import inspect
import io
import re
from pathlib import Path

import numpy as np
import pytest

from tests.core.runs import document_of, guide_table, read, small_run
from ucbpe_core import GPUCBPE, InputError, Policy, Trace, problems, simulate
from ucbpe_core.policies import GPUCB, RandomSearch
from ucbpe_core.records.run_csv import write


def rows_of(trace: Trace) -> list[dict[str, str]]:
    stream = io.StringIO()
    trace.to_csv(stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


@pytest.mark.parametrize("policy", [GPUCBPE(3), GPUCB(), RandomSearch(2)], ids=repr)
def test_csv(policy: Policy, tmp_path: Path) -> None:
    """Row by row what the trace has."""
    run = small_run(policy)
    run.to_csv(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == rows_of(run)
    assert [int(row["candidate"]) for row in rows] == list(run.posterior.conditioned_indices)
    assert [float(row["y"]) for row in rows] == run.y.tolist()
    for row in rows:
        j, value = int(row["candidate"]), float(row["true_value"])
        x = [float(row["input 1: x1"]), float(row["input 2: x2"])]
        assert (x, value) == (run.problem.candidates[j].tolist(), run.problem.values[j])
        assert float(row["regret"]) == run.problem.optimum - value
    for i, row in enumerate(rows[:6]):
        assert (row["t"], row["k"], row["role"]) == ("0", str(i), "initial")
        after = [*row][[*row].index("mean") :]
        assert [row[name] for name in after] == [""] * len(after)
    later = iter(rows[6:])
    for t, iteration in enumerate(run.iterations):
        made = iteration.decision
        belief = run.posterior.at(made.n)
        for k, j in enumerate(made.indices):
            row = next(later)
            assert (row["t"], row["k"], row["role"]) == (str(t + 1), str(k), made.roles[k])
            score = "" if isinstance(policy, RandomSearch) else repr(float(made.scores[k]))
            assert row["score"] == score
            for name, value in {
                "mean": belief.mean[j],
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
                assert float(row[name]) == value, name
    assert next(later, None) is None


def test_the_guide_has_every_column() -> None:
    """In the order of the file; the docstring has them, too."""
    header = [*rows_of(small_run())[0]]
    pattern = re.compile(r"input \d+: x\d+")
    merged = list(dict.fromkeys(pattern.sub("input i: name", name) for name in header))
    assert [*guide_table("CSV")] == merged
    told = inspect.cleandoc(str(write.__doc__))  # its margin depends on Python's version
    for name in merged:
        assert re.search(rf"^(.*, )?{re.escape(name)}[, ]", told, re.MULTILINE)


def test_columns_stay_apart_whatever_the_axes_are_called() -> None:
    """An input named y, or like another one, or with a comma and a quote."""
    table = problems.from_table(
        [[0.0, 1.0, 2.0], [1.0, 0.5, 3.0]], [1.0, 2.0], axes=("y", "y", 'a "b", c', "f")
    )
    run = simulate(table, GPUCB(), batches=1, initial=1)
    rows = rows_of(run)
    for row in rows:
        x = [float(row[name]) for name in ("input 1: y", "input 2: y", 'input 3: a "b", c')]
        assert x == table.candidates[int(row["candidate"])].tolist()
    assert [float(row["y"]) for row in rows] == run.y.tolist()


def test_names_that_no_encoding_has(tmp_path: Path) -> None:
    """Half a character, as a careless cut leaves it: JSON can escape it, CSV cannot."""
    table = problems.from_table([[0.0], [1.0]], [1.0, 2.0], axes=("x\ud83d", "f"))
    run = simulate(table, GPUCB(), batches=1, initial=1)
    assert read(document_of(run)).problem.axes == table.axes
    (tmp_path / "run.csv").write_text("kept", encoding="ascii")
    with pytest.raises(
        InputError, match=r"names that UTF-8 can encode; got .*surrogates not allowed"
    ):
        run.to_csv(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text(encoding="ascii") == "kept"
