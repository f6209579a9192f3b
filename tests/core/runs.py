"""Small runs and experiments, as files and as text, and what it means that two are equal."""

from __future__ import annotations

import copy
import io
import json
import os
import re
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    Kernel,
    Matern,
    Policy,
    Posterior,
    Trace,
    problems,
    simulate,
)
from ucbpe_core.history.steps import observed
from ucbpe_core.history.trace import Made
from ucbpe_core.policies import POLICIES
from ucbpe_core.problems.abalone import DATA_DIR, FILE_NAME
from ucbpe_core.search.experiment import Plan, Table

SHARED = Path(__file__).parents[3] / "shared" / "data"
NAMES = ("temperature (°C)", 'time, "min"')
GUIDE = Path(__file__).parents[2] / "docs" / "files.md"


def policy_of(name: str, batch_size: int = 3, **options: Any) -> Policy:
    """A policy by its name; GP-UCB picks one candidate whatever the batch size."""
    return POLICIES[name](**({} if name == "GP-UCB" else {"batch_size": batch_size}), **options)


def small_run(
    policy: Policy | None = None, kernel: Kernel | None = None, *, batches: int = 3
) -> Trace:
    """49 candidates in the plane, a kernel of two unless given, six initial points."""
    problem = problems.generated_gp(5, nu=2.5, noise_variance=0.25, lengthscale=0.3, resolution=7)
    usual = RBF((0.3, 0.4), 0.6) + Matern(0.2, 0.3, nu=0.7)
    gp = GaussianProcess(kernel or usual, 0.2, mean=0.1)
    beta = FiniteBeta(delta=0.05, scale=0.2)
    return simulate(problem, policy or GPUCBPE(3), gp, beta, batches=batches, initial=6, seed=3)


def truth(members: Any) -> np.ndarray:
    """What the experiments give."""
    x = table().candidates[np.asarray(members)]
    return np.sin(0.1 * x[:, 0]) + 0.2 * x[:, 1]


def table() -> Table:
    """30 candidates of two inputs, with labels."""
    rng = np.random.default_rng(0)
    X = np.stack([rng.uniform(20, 90, 30), rng.uniform(1, 5, 30)], axis=1)
    return Table(NAMES, X, "yield", (("sample", tuple(f"S<{j}>" for j in range(30))),))


def plan(batch_size: int = 3, *, lengthscale: float = 12.0) -> Plan:
    kernel = Matern((lengthscale, 0.9), variance=1.3, nu=2.5)
    return Plan(
        GaussianProcess(kernel, 0.02, 0.4), GPUCBPE(batch_size), FiniteBeta(scale=0.3), fit="never"
    )


def other_plan() -> Plan:
    return Plan(
        GaussianProcess(RBF((9.0, 1.1), 0.8), 0.05), GPUCBPE(2), ConstantBeta(3.0), fit="never"
    )


def fresh() -> Experiment:
    """Begun, with two measurements told."""
    experiment = Experiment(table(), plan(), "Cake & tea")
    experiment.tell([4, 11], truth([4, 11]))
    return experiment


def rich() -> Experiment:
    """Every kind of step: a batch told in part, another plan, corrections, undo and redo."""
    experiment = fresh()
    first = experiment.ask().indices.tolist()
    experiment.tell(first[1:2], truth(first[1:2]))
    experiment.replan(other_plan())
    second = experiment.ask().indices.tolist()
    experiment.withdraw([first[0]])
    experiment.fail(second[0], "the flask <broke>")
    experiment.correct(0, 0.25)
    experiment.correct(1, None)
    experiment.allow([first[0]])
    experiment.tell([20], [0.5], 0.3)
    for _ in range(2):
        experiment.undo()
    experiment.redo()
    return experiment


def read_experiment(document: object) -> Experiment:
    """The experiment that a document says."""
    return Experiment.load(io.StringIO(json.dumps(document)))


def text_of(made: Any) -> str:
    """What `save` of a run or a search writes."""
    stream = io.StringIO()
    made.save(stream)
    return stream.getvalue()


def reread(made: Any) -> Any:
    """It, from its file."""
    return type(made).load(io.StringIO(text_of(made)))


def document_of(made: Any) -> Any:
    """The same, parsed."""
    return json.loads(text_of(made))


def read(document: Any) -> Trace:
    """The run that a document says, with the checksums of what it says now."""
    return Trace.load(io.StringIO(json.dumps(signed(document))))


def signed(document: Any) -> Any:
    """A copy with its checksums: SHA-256 of the content as JSON, keys sorted, without spaces."""
    document = copy.deepcopy(document)
    head = {name: document[name] for name in document if name not in ("checksum", "history")}
    steps = [document.get("id"), document["history"]["steps"]]
    document["checksum"], document["history"]["checksum"] = (
        sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        for content in (head, steps)
    )
    return document


def changed(document: Any, path: str, value: Any) -> Any:
    """A copy with the field at `path`, dotted, replaced; removed if the value is `...`."""
    copied = copy.deepcopy(document)
    *way, last = [int(key) if re.fullmatch(r"-?\d+", key) else key for key in path.split(".")]
    inner = copied
    for key in way:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return copied


def guide_table(heading: str, guide: Path = GUIDE) -> dict[str, str]:
    """The first two columns of the table under a heading of a guide."""
    section = guide.read_text(encoding="utf-8").split(f"## {heading}")[1].split("\n## ")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    return {name.strip().strip("`"): second.strip() for name, second in rows}


def told_with(trace: Trace, noise: list[float | None] | None = None, **trials: Any) -> Trace:
    """The run with other trials, by number, or with noise variances of its measurements."""
    every = list(trace.history.trials)
    for number, trial in enumerate(every):
        given = {} if noise is None else {"noise_variance": noise[number]}
        every[number] = trial._replace(**given, **trials.get(f"_{number}", {}))
    start = Posterior.prior(trace.history.plan.gp, trace.problem.candidates)
    history = replace(trace.history, trials=tuple(every))
    made = Made(trace.decisions, observed(start, history.data))
    return replace(trace, history=history, made=made)


def assert_equal_runs(one: Trace, other: Trace) -> None:
    """Every field of every record, to the last bit."""
    assert_equal_fields(one.problem, other.problem)
    for name in ("history", "seed", "hold_data", "gp", "policy", "beta", "refits", "digest"):
        assert getattr(one, name) == getattr(other, name), name
        assert type(getattr(one, name)) is type(getattr(other, name)), name
    for first, second in zip(one.decisions, other.decisions, strict=True):
        assert_equal_fields(first, second)
    for name in ("y", "values"):
        _assert_same_bits(getattr(one, name), getattr(other, name))
    assert one.posterior.conditioned_indices == other.posterior.conditioned_indices
    for name in ("candidates", "mean", "std"):
        _assert_same_bits(getattr(one.posterior, name), getattr(other.posterior, name))
    for i in range(one.posterior.n):
        _assert_same_bits(one.posterior.state.rows[i], other.posterior.state.rows[i])


def assert_equal_fields(one: object, other: object) -> None:
    """Every field of two records, to the last bit."""
    for name in (field.name for field in fields(one)):  # type: ignore[arg-type]
        first, second = getattr(one, name), getattr(other, name)
        if isinstance(first, np.ndarray):
            _assert_same_bits(first, second)
        elif name == "explored":
            for mine, theirs in zip(first, second, strict=True):
                assert (mine is None) == (theirs is None)
                if mine is not None:
                    assert_equal_fields(mine, theirs)
        else:
            assert (first, type(first)) == (second, type(second)), name


def _assert_same_bits(one: np.ndarray, other: np.ndarray) -> None:
    assert (one.shape, one.dtype) == (other.shape, other.dtype)
    assert one.tobytes() == other.tobytes()
    assert not other.flags.writeable


def assert_equal(one: Experiment, other: Experiment) -> None:
    """The same table, steps and belief, and the same open decision, to the last bit."""
    assert one.document() == other.document()
    for name in ("name", "id", "created", "history", "journal"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.table.candidates.tobytes() == other.table.candidates.tobytes()
    assert_same_belief(one, other)


def assert_same_belief(one: Bandit, other: Bandit) -> None:
    for name in ("mean", "std"):
        mine, theirs = getattr(one.posterior, name), getattr(other.posterior, name)
        assert mine.tobytes() == theirs.tobytes(), name
    first, second = one.decision, other.decision
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert_equal_fields(first, second)


def abalone_file() -> Path:
    """UCI's abalone.data, from `../shared/data` beside the checkout, else from UCBPE_DATA_DIR.

    The table is never committed and no test goes to the network for it: where neither folder
    holds it, the test that asks is skipped.
    """
    folders = [SHARED, *(Path(folder) for folder in [os.environ.get(DATA_DIR)] if folder)]
    for folder in folders:
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    pytest.skip(f"needs UCI's {FILE_NAME}, in {SHARED} or in the folder that {DATA_DIR} names")
