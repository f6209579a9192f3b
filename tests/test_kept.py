"""What an earlier version wrote still opens, and says the same: the promise of CHANGELOG.md.

A file in `tests/data/kept` was written once, by the version that introduced its format, and is
never changed. A new version of a format brings one more.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ucbpe_app.lessons import read
from ucbpe_app.links import decode, encode
from ucbpe_app.race.link import decode_race, encode_race
from ucbpe_app.race.race import run_race
from ucbpe_app.run.cache import load
from ucbpe_app.study.plan import decode_study, encode_study
from ucbpe_core import Bandit, BoxBandit, Experiment, Trace
from ucbpe_core.files.history import VERSIONS as OF_HISTORIES
from ucbpe_core.study import Store, load_study, run_task
from ucbpe_core.study.store import FORMAT as OF_STORES

KEPT = Path(__file__).parent / "data" / "kept"
LINKS = (KEPT / "links_v1.txt").read_text(encoding="ascii").splitlines()
RUNS = [link for link in LINKS if not link.startswith("page=")]


def fields(link: str) -> set[str]:
    """A later version may write more of them."""
    return set(link.split("&"))


def test_each_format_has_a_sample_of_each_of_its_versions() -> None:
    versions = {
        "trace": OF_HISTORIES,
        "experiment": OF_HISTORIES,
        "bandit": OF_HISTORIES,
        "box": OF_HISTORIES,
        "study": (1,),
        "store": (OF_STORES,),
        "lesson": (1,),
        "links": (1,),
    }
    wanted = {f"{name}_v{one}" for name, several in versions.items() for one in several}
    assert {path.stem for path in KEPT.iterdir()} == wanted


def test_a_trace_opens() -> None:
    trace = Trace.load(KEPT / "trace_v1.json")
    assert trace.digest.startswith("08a844c2")
    assert len(trace.decisions) == 2
    assert np.isfinite(trace.simple_regret).all()


def test_an_experiment_opens_and_goes_on() -> None:
    """It has every kind of step."""
    experiment = Experiment.load(KEPT / "experiment_v1.json")
    verbs = {"plan", "ask", "tell", "withdraw", "fail", "correct", "allow", "undo", "redo"}
    assert {entry.verb for entry in experiment.journal} == verbs
    assert experiment.pending == (18, 19)
    assert experiment.ask().indices.tolist() == [20, 29]


def test_a_bandit_opens_with_the_same_next_picks() -> None:
    bandit = Bandit.load(KEPT / "bandit_v1.json")
    assert bandit.pending == (31, 38, 33, 34, 14)
    assert bandit.ask().indices.tolist() == [33, 34, 14]
    box = BoxBandit.load(KEPT / "box_v1.json").ask()
    np.testing.assert_allclose(box.points, [[0.0, -1.0], [5.0, -0.238]], atol=5e-3)


def test_a_study_opens_with_its_results(tmp_path: Path) -> None:
    study = load_study(KEPT / "study_v1.toml")
    assert [task.policy for task in study.tasks()].count("Chance") == 2
    file = shutil.copy(KEPT / "store_v1.db", tmp_path)
    with Store.create_or_open(file, study) as store:
        assert store.digest().startswith("1fea2957")
        assert store.missing() == []
        (first, *_) = store.planned()
    np.testing.assert_array_equal(run_task(study, first.task).simple, first.simple)


def test_a_lesson_opens() -> None:
    lesson = read((KEPT / "lesson_v1.toml").read_text(encoding="utf-8"), "lesson.toml")
    assert (lesson.slug, lesson.event.text, len(lesson.links)) == ("kept", "2.region", 3)
    assert load(lesson.spec()).trace.digest.startswith("51bef15e")


@pytest.mark.parametrize("link", RUNS, ids=range(len(RUNS)))
def test_a_link_opens_the_same_run(link: str) -> None:
    moment, errors = decode(link)
    assert errors == ()
    assert len(moment.digest) == 16
    assert load(moment.settings).trace.digest.startswith(moment.digest)
    assert fields(link) <= fields(encode(moment))


def test_a_link_of_a_race_opens_the_same_race() -> None:
    (link,) = (link for link in LINKS if link.startswith("page=race&"))
    moment, errors = decode_race(link)
    assert errors == ()
    assert run_race(moment.setup).digest.startswith(moment.digest)
    assert (moment.value, len(moment.setup.configurations)) == (4, 3)
    assert fields(link) <= fields(encode_race(moment))


def test_a_link_of_a_study_opens_the_same_study() -> None:
    (link,) = (link for link in LINKS if link.startswith("page=study&"))
    moment, errors = decode_study(link)
    assert errors == ()
    assert fields(link) <= fields(encode_study(moment))
