"""What is loaded, and what works where it is missing: modules of other systems and of extras."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import printed
from ucbpe_core.support.optional import install

# Windows has neither these modules nor these functions.
WINDOWS = """
import os, signal, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
for owner, names in ((os, ("fchmod", "nice")), (signal, ("setitimer", "SIGALRM", "alarm"))):
    for name in names:
        delattr(owner, name)
"""
FILES = """
from ucbpe_core import *
from ucbpe_core.search.experiment import Plan, Table
gp, policy = GaussianProcess(Matern(4.0)), GPUCBPE(2)
experiment = Experiment(Table(("x",), range(9)), Plan(gp, policy, FiniteBeta()))
bandit = Bandit(range(9), gp, policy)
trace = simulate(problems.figure1(), policy, batches=1, initial=0)
for one in (experiment, bandit, trace):
    one.save("one.json", overwrite=True)
    one.save("one.json")
    again = type(one).load("one.json")
assert again.digest == trace.digest
trace.to_csv("one.csv")
assert sorted(os.listdir()) == ["one.csv", "one.json", "study.toml"]
"""
STEPPER = """
from ucbpe_app import stepper
from ucbpe_app.study.session import POOL
print(stepper.__name__)
"""
# The processes of a study are spawned, as Windows does it; what `study` installs for a cluster and
# `app` does not.
PROCESSES = """
sys.modules["dask"] = sys.modules["distributed"] = None
from ucbpe_app.cli import main
sys.exit(main(["study", "--config", "study.toml", "--out", "study.db", "--workers", "1"]))
"""
TOML = """
name = "Small"
replicates = 1
batches = 1
batch_size = 1
initial = 2
problems = [{ label = "Curve", problem = "multimodal" }]
policies = [{ label = "Random", policy = "Random search" }]
"""
# What `app` installs and `study` does not.
STUDY_ALONE = """
import sys
for name in (
    "param", "panel", "panel_material_ui", "bokeh", "holoviews", "contourpy", "latex2mathml",
    "matplotlib", "pyviz_comms", "segno",
):
    sys.modules[name] = None
"""
HEAVY = (
    *("panel", "panel_material_ui", "holoviews", "bokeh", "param", "ucbpe_app"),
    *("dask", "distributed", "matplotlib", "pandas", "pooch", "tqdm", "sqlite3", "cattrs"),
    *(f"ucbpe_core.{name}" for name in ("study", "theory", "files")),
    *(f"ucbpe_core.search.{name}" for name in ("experiment", "box")),
    # A second of import between them; loaded when a search, a fit or a rare kernel needs them.
    *("scipy.fft", "scipy.optimize", "scipy.sparse", "scipy.spatial", "scipy.special"),
    *("scipy.stats", "scipy.integrate", "scipy.interpolate"),
)
STUDY = """
from ucbpe_app.cli import main
sys.exit(main(["study", "--config", "study.toml", "--out", "study.db", "--workers", "0"]))
"""


def run(folder: Path, *code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "\n".join(code)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("code", [FILES, STEPPER, PROCESSES])
def test_what_works_on_windows(tmp_path: Path, code: str) -> None:
    """As far as it can be seen elsewhere: without what that system lacks."""
    (tmp_path / "study.toml").write_text(TOML, encoding="utf-8")
    done = run(tmp_path, WINDOWS, code)
    assert done.returncode == 0, done.stderr


def test_a_study_needs_the_extra_study_alone(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(TOML, encoding="utf-8")
    done = run(tmp_path, STUDY_ALONE, STUDY)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 runs" in done.stdout


@pytest.mark.parametrize("name", ["page", "stepper"])
def test_a_public_name_without_its_extra_names_it(tmp_path: Path, name: str) -> None:
    done = run(tmp_path, STUDY_ALONE, f"from ucbpe_app import {name}")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.endswith(install("app")), done.stderr
    assert f"InputError: expected what the {name} needs to be installed; got" in last
    assert done.stderr.count("Traceback") == 1


def test_importing_the_core_loads_numpy_and_scipys_linalg_alone():
    code = f"import sys, ucbpe_core; print([m for m in {HEAVY} if m in sys.modules])"
    assert printed(code) == "[]"
