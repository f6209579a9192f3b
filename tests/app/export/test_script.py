"""The script makes the run on screen again, and computes the belief that is on screen."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from ucbpe_app.export.script import script
from ucbpe_app.links import Moment
from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_core.policies import POLICIES

SHORT = {"batches": 2, "initial": 3, "batch_size": 3, "seed": 7}
CURVE = {"problem": "multimodal", **SHORT}
PICK, FIT = Event(2, Kind.PICK, 2), Event(1, Kind.FIT)
REGION, OBSERVE = Event(2, Kind.REGION), Event(2, Kind.OBSERVE)
CASES: dict[str, tuple[dict[str, Any], Event, set[str]]] = {
    **{
        f"{name}": ({**CURVE, "policy": name}, Event(2, Kind.PICK, 0), {"truth"})
        for name in POLICIES
    },
    "RBF, one input, a pick": (CURVE, PICK, {"truth", "noisy"}),
    "fit": (CURVE, FIT, set()),
    "region": (CURVE, REGION, {"truth"}),
    "observe": (CURVE, OBSERVE, {"truth", "noisy"}),
    "Matérn": ({**CURVE, "kernel": "Matérn", "nu": 0.1 + 0.2, "lengthscale": 1 / 3}, PICK, set()),
    "Polynomial": ({**CURVE, "kernel": "Polynomial", "degree": 3, "offset": 0.5}, PICK, set()),
    "Compact cube": ({**CURVE, "schedule": "Compact cube", "scale": 0.2}, PICK, set()),
    "Constant": ({**CURVE, "schedule": "Constant", "beta": 2.5}, PICK, {"truth"}),
    "a drawn function": (
        {"problem": "generated_gp_1d", "problem_seed": 12, **SHORT}, OBSERVE, {"truth"},
    ),
    "two inputs, a pick": ({"problem": "himmelblau", **SHORT}, PICK, {"truth"}),
    "two inputs, observe": ({"problem": "gaussian_mixture", **SHORT}, OBSERVE, set()),
    "six inputs, a pick": ({"problem": "mackey_glass", **SHORT, "scale": 0.05}, PICK, {"truth"}),
    "six inputs, fit": ({"problem": "mackey_glass", **SHORT}, FIT, {"truth"}),
}  # fmt: skip
CACHE = RunCache(len(CASES))


def spec_of(changes: dict[str, Any]) -> RunSpec:
    base = {**asdict(Settings().spec()), **suggested(changes["problem"])}
    return RunSpec(**{**base, **changes})


@pytest.fixture(params=CASES, ids=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[Moment, Replay]:
    changes, event, layers = CASES[request.param]
    replay = load(spec_of(changes), cache=CACHE)
    return Moment(spec_of(changes), event, frozenset(layers), digest=replay.trace.digest), replay


def test_it_runs_and_is_what_is_on_screen(
    case: tuple[Moment, Replay], capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    import matplotlib.pyplot as plt

    monkeypatch.setitem(mpl.rcParams, "backend", "agg")
    shown: list[int] = []
    monkeypatch.setattr(plt, "show", lambda: shown.extend(plt.get_fignums()))
    moment, replay = case
    names: dict[str, Any] = {}
    try:
        exec(compile(script(moment, replay), "script.py", "exec"), names)
    finally:
        plt.close("all")
    frame = replay.frame(replay.events.index(moment.event))
    assert names["trace"].digest == replay.trace.digest
    assert "This is the run on screen: True" in capsys.readouterr().out
    assert len(shown) == 1
    assert names["picks"].tolist() == [pick.index for pick in frame.picks]
    for name, expected in (("mean", frame.mean), ("std", frame.std), ("std_now", frame.std_now)):
        np.testing.assert_allclose(names[name], expected, rtol=1e-12, atol=1e-9)
    if frame.region_plus is not None:
        np.testing.assert_array_equal(names["decision"].region_plus, frame.region_plus)


def test_it_needs_the_core_numpy_and_matplotlib_alone(case: tuple[Moment, Replay]) -> None:
    text = script(*case)
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module).split(".")[0])
    assert imported <= {"ucbpe_core", "numpy", "matplotlib"}
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert ("np" in used) == ("numpy" in imported)
    assert len(text.splitlines()) < 75


@pytest.mark.parametrize(
    "name",
    [
        '"""', 'a """ b', '""""', 'ends in "', "C:\\new\\x41", "\\", '\\"""', "two\nlines",
        "\r\f\x00", "import os\n'''", "\ud800", "Ertrag ν = 1/2 \u2028",
    ],
)  # fmt: skip
def test_any_name_of_a_problem_stays_in_the_docstring(name: str, tmp_path: Path) -> None:
    replay = load(spec_of(CURVE), cache=CACHE)
    named = Replay(replay.trace)
    named.scene = replace(replay.scene, name=name)
    moment = Moment(spec_of(CURVE), PICK, frozenset({"truth"}), digest=replay.trace.digest)
    (tmp_path / "script.py").write_text(script(moment, named), encoding="utf-8")
    tree = ast.parse((tmp_path / "script.py").read_bytes())
    told = ast.get_docstring(tree, clean=False)
    assert told is not None
    assert told.startswith(f"{name}: ")
    plain = ast.parse(script(moment, replay))
    assert ast.dump(ast.Module(tree.body[1:], [])) == ast.dump(ast.Module(plain.body[1:], []))


def ruff() -> str | None:
    beside = Path(sys.executable).with_name("ruff")
    return str(beside) if beside.is_file() else shutil.which("ruff")


@pytest.mark.skipif(ruff() is None, reason="ruff is for development, and not installed here")
@pytest.mark.parametrize("width", [88, 100])
def test_ruff_would_format_it_the_same(width: int, tmp_path: Path) -> None:
    for i, (changes, event, layers) in enumerate(CASES.values()):
        spec = spec_of({**changes, "lengthscale": 0.1 + 0.2, "variance": 1e-7 / 3})
        replay = load(spec_of(changes), cache=CACHE)
        text = script(Moment(spec, event, frozenset(layers)), replay)
        (tmp_path / f"script_{i}.py").write_text(text, encoding="utf-8")
    options = ["--isolated", f"--line-length={width}"]
    for command in (["format", "--check"], ["check", "--select=F,I", "--ignore=E501"]):
        done = subprocess.run(
            [str(ruff()), *command, *options, str(tmp_path)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("event", [PICK, REGION, OBSERVE])
def test_on_held_data_it_makes_both_runs(
    event: Event, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib.pyplot as plt

    monkeypatch.setitem(mpl.rcParams, "backend", "agg")
    data = spec_of(CURVE)
    spec = replace(data, kernel="Matérn", lengthscale=0.4, policy="EI-PE")
    replay = load(spec, cache=CACHE, data=data)
    moment = Moment(spec, event, frozenset({"truth"}), digest=replay.trace.digest, data=data)
    names: dict[str, Any] = {}
    try:
        exec(compile(script(moment, replay), "script.py", "exec"), names)
    finally:
        plt.close("all")
    frame = replay.frame(replay.events.index(event))
    assert "This is the run on screen: True" in capsys.readouterr().out
    for name, expected in (("mean", frame.mean), ("std_now", frame.std_now)):
        np.testing.assert_allclose(names[name], expected, rtol=1e-12, atol=1e-9)


def test_the_truth_is_drawn_only_where_it_is_shown() -> None:
    spec = spec_of(CURVE)
    replay = load(spec, cache=CACHE)
    for layers, drawn in ((frozenset({"truth"}), True), (frozenset[str](), False)):
        text = script(Moment(spec, PICK, layers, digest=replay.trace.digest), replay)
        assert ("problem.values" in text) == drawn
