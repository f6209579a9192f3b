"""A setting is a field of `RunSpec` and its use in a `build_` method: the rest follows."""

from __future__ import annotations

import pytest

from tests.processes import printed

# What somebody would write who adds two settings: one of the problem, which a race shares, and one
# of the prior, which each configuration has for itself.
START = '''
import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import ucbpe_app.run as package

FIELDS = """    noise_factor: float = setting(
        param.Number(1.0, bounds=(0, None), inclusive_bounds=(False, False)),
        "Problem",
        part="problem",
    )
    doubt: float = setting(param.Number(1.0, bounds=(1, None)), "Belief")

"""
CHANGES = {
    "import dataclass\\n": "import dataclass, replace\\n",
    "    def of(self": FIELDS + "    def of(self",
    "        return made(PROBLEMS[self.problem], options, options)\\n":
        "        one = made(PROBLEMS[self.problem], options, options)\\n"
        "        return replace(one, noise_variance=self.noise_factor * one.noise_variance)\\n",
    "self.noise_variance, self.mean)": "self.noise_variance * self.doubt, self.mean)",
}
found = find_spec("ucbpe_app.run.settings")
source = Path(found.origin).read_text(encoding="utf-8")
for before, after in CHANGES.items():
    assert source.count(before) == 1, before
    source = source.replace(before, after)
module = package.settings = module_from_spec(found)
sys.modules[found.name] = module
exec(compile(source, found.origin, "exec"), module.__dict__)

from dataclasses import replace
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_core import InputError

spec = RunSpec(
    problem="generated_gp_1d", batches=2, batch_size=2, noise_factor=4.0, doubt=2.5
)
'''
WORDS = """
from ucbpe_app.lessons import read
from ucbpe_app.links import Moment, decode, encode, usual
from ucbpe_app.run.changes import change

for bad in (0.0, -1.0, float("inf"), float("nan"), "much"):
    try:
        Settings().accept(noise_factor=bad)
    except InputError as error:
        assert error.expected.startswith("Noise factor to be a number above 0")
    else:
        raise AssertionError(bad)
less = replace(spec, doubt=1.0, noise_factor=2.0)
assert change(spec, less) == "noise factor 4 → 2, doubt 2.5 → 1"
query = encode(Moment(spec))
assert "noise_factor=4.0&doubt=2.5" in query and decode(query) == (Moment(spec), ())
old, errors = decode(query.replace("&noise_factor=4.0&doubt=2.5", ""))
assert old.settings == replace(spec, noise_factor=1.0, doubt=1.0) and errors == ()
lesson = read('''version = 1
slug = "noisy"
title = "Noisy"
problem = "multimodal"
caption = "See [less](noise_factor=0.5&K=2)."
[settings]
doubt = 3
''', "noisy.toml")
assert lesson.spec() == replace(usual("multimodal"), doubt=3.0)
assert lesson.changed(lesson.links[0]).noise_factor == 0.5
"""
AGAIN = """
from ucbpe_app.pages.theory import tally
from ucbpe_app.run.cache import load
from ucbpe_app.tasks.job import Job
from ucbpe_core import problems, theory

replay = load(spec)
trace = replay.trace
plain = problems.generated_gp_1d(0).noise_variance
assert trace.problem.noise_variance == 4 * plain
assert trace.gp.noise_variance == 2.5 * spec.noise_variance
seen = []
theory.rerun = lambda trace, problem, seed, progress: seen.append(problem) or trace
for name, _ in tally.replicates(trace, spec, 2, Job()):
    pass
assert [one.noise_variance for one in seen[1::2]] == [4 * plain, 4 * plain]
"""
PAGES = """
import numpy as np
from ucbpe_app.lessons import offered
from ucbpe_app.pages.controls import Controls
from ucbpe_app.pages.problem.layout import PLAN, PlanForm
from ucbpe_app.pages.problem.settings import PlanSettings
from ucbpe_app.pages.race.form import RaceForm
from ucbpe_app.pages.race.labels import labels
from ucbpe_app.pages.race.link import RaceMoment, decode_race, encode_race
from ucbpe_app.pages.race.setup import Configuration, Setup
from ucbpe_app.pages.race.state import RaceState
from ucbpe_app.pages.session import Session

controls = Controls(Session(offered()[0]), offered()[0])
assert controls.fields["noise_factor"].control.label == "Noise factor"
assert controls.fields["doubt"].control.visible
form = RaceForm(RaceState())
assert "noise_factor" in form.shared.fields and "doubt" in form.own.fields
setup = Setup((Configuration(spec), Configuration(replace(spec, doubt=1.0))))
assert setup.common["noise_factor"] == 4.0
assert labels(setup.configurations) == ("GP-UCB-PE, doubt 2.5", "GP-UCB-PE, doubt 1")
moment, errors = decode_race(encode_race(RaceMoment(setup)))
assert moment.setup == setup and errors == ()
own = PlanSettings()
own.measure(np.array([[0.0], [2.0]]))
assert "doubt" in PlanForm(own, PLAN, fit=None).fields
before = own.plan()
own.show(before)
own.accept(doubt=2.0)
assert own.plan().gp.noise_variance == 2 * before.gp.noise_variance
"""


@pytest.mark.slow
@pytest.mark.parametrize("code", [WORDS, AGAIN, PAGES], ids=["words", "again", "pages"])
def test_a_new_setting_is_everywhere(code: str) -> None:
    printed(START + code, options=["-W", "error"])
