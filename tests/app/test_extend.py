"""What docs/extend.md says of one file: everything follows from it, on every page.

Each part runs in a process of its own, with the page's file as a plugin; the first one also as a
distribution that pip has installed, with the page's entry points.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

from tests.documents import blocks
from tests.processes import ROOT, printed

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "mine"
version = "1.0"
[tool.hatch.build.targets.wheel]
only-include = ["mine.py"]
"""
START = """
import os, sys
from dataclasses import replace
from pathlib import Path
from ucbpe_core.support.plugins import plugins, use_plugin
if sys.argv[1] != "-":
    use_plugin(sys.argv[1])
here = Path(sys.argv[2])
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import Settings
OWN = {
    "kernel": "Wave packet", "wave_packet_omega": 2.5,
    "policy": "Epsilon-greedy", "epsilon_greedy_epsilon": 0.5,
    "schedule": "Informed", "informed_offset": 3.0,
}
settings = Settings()
settings.accept(**{**suggested("Branin"), "branin_resolution": 21, "lengthscale": 4.0, **OWN,
                   "batches": 3, "batch_size": 4, "initial": 5})
spec = settings.spec()
"""
STEP = """
from ucbpe_app.lessons import offered
from ucbpe_app.links import Moment, decode, encode
from ucbpe_app.widgets.controls import Controls
from ucbpe_app.widgets.session import Session
from ucbpe_app.widgets.strip import SettingsStrip
from ucbpe_app.run.cache import load
from ucbpe_app.run.changes import change
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Kind
from ucbpe_core import InputError, Trace
from ucbpe_core.gp.kernels import KERNELS
from ucbpe_core.policies import POLICIES
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.policies.schedules import SCHEDULES

query = encode(Moment(spec))
for text in ("problem=branin", "branin_resolution=21", "kernel=wave-packet",
             "wave_packet_omega=2.5", "epsilon_greedy_epsilon=0.5", "informed_offset=3.0"):
    assert text in query.split("&"), text
assert decode(query) == (Moment(spec), ())
replay = load(spec)
trace = replay.trace
assert trace.gp.kernel == KERNELS["Wave packet"](4.0, settings.variance, omega=2.5)
assert trace.policy == POLICIES["Epsilon-greedy"](4, 0.5, seed=0)
assert trace.beta == SCHEDULES["Informed"](1.0, 3.0)
assert (trace.problem.name, trace.problem.direction, trace.problem.grid) == (
    "Branin", "minimize", (21, 21))

roles = set()
for i, event in enumerate(replay.events):
    frame, decision = replay.frame(i), trace.decisions[event.t - 1]
    if event.kind is not Kind.PICK:
        continue
    role = decision.roles[event.k]
    roles.add(role)
    (line,) = (line for line in frame.lines if line.active)
    rule = {"uniform": "uniform on X, with chance ε",
            "greedy": "argmin over X of μ, without the picks before"}[role]
    assert line.text.endswith(f"← {rule}"), line
    assert f"was chosen by the rule: {rule} (" in frame.sentence
    assert criterion(replay, frame).name == rule
assert roles == {"uniform", "greedy"}

session = Session(offered()[0])
controls = Controls(session, SettingsStrip(session.settings))
names = {"wave_packet_omega": "ω", "epsilon_greedy_epsilon": "ε",
         "informed_offset": "Offset", "branin_measurement_noise": "Measurement noise"}
for name, label in names.items():
    control = controls.fields[name].control
    assert (control.label, control.visible) == (label, False)
session.settings.accept(**{name: getattr(spec, name) for name in vars(spec)})
assert all(controls.fields[name].control.visible for name in names)
assert len(controls.fields["wave_packet_omega"].parts) == 2  # with a slider
controls.fields["epsilon_greedy_epsilon"].control.value = "1.5"
assert "ε must be a number of at least 0 and at most 1" in (
    controls.fields["epsilon_greedy_epsilon"].control.helper_text)
assert session.settings.epsilon_greedy_epsilon == 0.5
assert change(spec, replace(spec, epsilon_greedy_epsilon=0.25)) == "ε 0.5 → 0.25"

trace.save(here / "run.json")
assert Trace.load(here / "run.json").digest == trace.digest
"""
RACE = """
from ucbpe_app.race.form import RaceForm
from ucbpe_app.race.link import RaceMoment, decode_race, encode_race
from ucbpe_app.race.setup import Configuration, Setup, labels
from ucbpe_app.race.state import RaceState

setup = Setup((Configuration(spec), Configuration(replace(spec, epsilon_greedy_epsilon=0.0))))
assert labels(setup.configurations) == ("Epsilon-greedy, ε 0.5", "Epsilon-greedy, ε 0")
moment, errors = decode_race(encode_race(RaceMoment(setup)))
assert moment.setup == setup and errors == ()
form = RaceForm(RaceState())
assert "branin_measurement_noise" in form.strip.fields
assert "epsilon_greedy_epsilon" in form.own.fields
"""
THEORY = """
from tests.app.waiting import in_a_session
from ucbpe_app.links import Moment, encode
from ucbpe_app.theory import sentences, views
from ucbpe_app.theory.page import TheoryPage

page = in_a_session(lambda: TheoryPage(encode(Moment(spec))))
trace = page.state.run_theory.trace
assert sentences.place(trace) == "Epsilon-greedy, 3 batches of 4, exact posterior"
assert page.state.run_theory.verdicts.checked and page.state.run_theory.full.own.min() >= 0
page.charts.tabs.value = "all picks"
(plot,) = page.charts.chart.picture.plots.values()
assert "every" in {one.role for one in plot.marks}
assert "applied to −f" in sentences.about(trace)
views.REPLICATES = 20
in_a_session(lambda: page.count.start.param.trigger("clicks"))
assert page.state.count.tally.done
"""
STUDY = """
import time
from ucbpe_app.study.plan import StudyMoment, decode_study, encode_study
from ucbpe_app.study.plan import StudySettings
from ucbpe_app.study.session import Pool
from ucbpe_core import GPUCBPE
from ucbpe_core.study import PolicyPlan, run_task

chosen = StudySettings()
chosen.accept(problem="Branin", policies=("Epsilon-greedy", "GP-UCB-PE"), batches=2,
              batch_size=3, initial=3, replicates=2)
moment, errors = decode_study(encode_study(StudyMoment(chosen.spec())))
assert moment.settings == chosen.spec() and errors == ()
study = chosen.spec().study()
other = PolicyPlan("half", "Epsilon-greedy", {"epsilon": 0.5})
study = replace(study, policies=[*study.policies, other])
job = Pool().submit(study)
while not job.phase.ended:
    time.sleep(0.05)
assert job.error is None
results = {(one.policy, one.replicate): one for one in job.results}
assert len(results) == 6
for task in study.tasks():  # the workers' results are those of this process
    there, here_too = results[task.policy, task.replicate], run_task(study, task)
    assert there.error is None and there.total.tolist() == here_too.total.tolist()
"""
EXPERIMENT = """
import numpy as np
from ucbpe_app.problem.plan_form import PlanForm
from ucbpe_app.problem.settings import PlanSettings
from ucbpe_core import Experiment
from ucbpe_core.search.experiment import Table

def settings_of_a_table():
    made = PlanSettings()
    made.measure(Table(("a", "b"), np.array([[0.0, 0.0], [2.0, 30.0]])))
    return made

mine = settings_of_a_table()
form = PlanForm(mine, fit=None)
mine.accept(**OWN, lengthscale=0.5)
plan = mine.plan()
assert (plan.gp.kernel.omega, plan.gp.kernel.lengthscale) == (2.5, (1.0, 15.0))
assert (plan.policy.epsilon, plan.beta.offset) == (0.5, 3.0)
for name in ("wave_packet_omega", "epsilon_greedy_epsilon", "informed_offset"):
    assert form.fields[name].control.visible, name
other = settings_of_a_table()
assert other.show(plan) == ()
assert other.spec() == mine.spec() and other.plan() == plan
"""
LESSON = """
from tests.app.test_extend import recorded
from ucbpe_app.files.products import Source, make
from ucbpe_app.lessons import read
from ucbpe_app.lessons.library import check
from ucbpe_app.links import Moment
from ucbpe_app.run.cache import load

text = '''version = 1
slug = "chance"
title = "Chance"
problem = "Branin"
event = "2.pick.1"
hide = ["epsilon_greedy_epsilon"]
caption = "With [more chance](epsilon_greedy_epsilon=0.9&event=1.observe) it wanders."
[settings]
policy = "epsilon-greedy"
epsilon_greedy_epsilon = 0.1
kernel = "wave-packet"
branin_resolution = 21
K = 4
T = 3
'''
lesson = read(text, "chance.toml")
check(lesson, ["chance"])
assert lesson.spec().epsilon_greedy_epsilon == 0.1
assert lesson.changed(lesson.links[0]).build_policy().epsilon == 0.9
replay = load(spec)
moment = Moment(spec, replay.events[0], digest=replay.trace.digest)
html = make("html", Source(moment, replay, None)).data.decode()
assert "uniform on X, with chance" in recorded(html)
"""


def recorded(html: str) -> str:
    """All that the file of a lesson has to show, as text."""
    (packed,) = re.findall(r">\s*(eJ[A-Za-z0-9+/=]{1000,}|eN[A-Za-z0-9+/=]{1000,})\s*<", html)
    return zlib.decompress(b64decode(packed)).decode("utf-8", "replace")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the page, by itself."""
    path = tmp_path_factory.mktemp("plugin") / "mine.py"
    path.write_text("\n".join(blocks("extend.md")), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def installed(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which pip has installed it, with the entry points of the page."""
    (points,) = blocks("extend.md", "toml")
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "pyproject.toml").write_text(PROJECT + points, encoding="utf-8")
    (source / "mine.py").write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", str(site)]
    command = [sys.executable, "-m", "pip", "install", *options, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return site


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [STEP, RACE, THEORY, STUDY, EXPERIMENT, LESSON],
    ids=["step", "race", "theory", "study", "experiment", "lesson"],
)
def test_one_file_is_everywhere(code: str, file: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    printed(START + code, str(mine), str(tmp_path))


@pytest.mark.slow
def test_installed_it_is_there_without_being_named(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(installed))
    printed(START + STEP, "-", str(tmp_path))


@pytest.mark.slow
def test_the_command_line_writes_a_lesson_file_of_a_plugin(file: Path, tmp_path: Path) -> None:
    link = "problem=branin&branin_resolution=21&policy=epsilon-greedy&K=3&T=2&initial=3"
    out = tmp_path / "lesson.html"
    options = ["--link", link, "--out", str(out), "--plugin", str(file)]
    command = [sys.executable, "-m", "ucbpe_app.cli", "lesson", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "uniform on X, with chance" in recorded(out.read_text(encoding="utf-8"))
