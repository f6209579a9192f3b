"""A run of another tool on the page, without a browser: opened, stepped, and gone on with."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import numpy as np
import pytest

from tests.app.waiting import change, click, in_a_session
from ucbpe_app.problem.page import ProblemPage
from ucbpe_core.foreign import read_run

RUNS = Path(__file__).parents[3] / "data" / "runs"
HOSTILE = "<img src=x onerror=alert(1)>"
DATABASE = gzip.decompress((RUNS / "optuna.db.gz").read_bytes())
THREE = "\n".join(
    [
        "a,b,c,value",
        *(f"{i % 5 + 0.5},{i % 3 + 0.25},{i % 7},{(i % 5) * (i % 3)}" for i in range(9)),
    ]
)


def opened(name: str, content: bytes, *answers: str) -> ProblemPage:
    """The page after a file was sent and what it asks was answered."""
    page = ProblemPage()
    send(page, name, content)
    for answer in answers:
        labels = [one.label for one in page.opening.question.buttons]
        click(page.opening.question.buttons[labels.index(answer)])
    return page


def send(page: ProblemPage, name: str, content: bytes) -> None:
    data = base64.b64encode(content).decode()
    whole = {"id": "a", "name": name, "part": 0, "parts": 1, "data": data}
    in_a_session(lambda: page.opening.upload.receive(whole))


@pytest.fixture(scope="module")
def page() -> ProblemPage:
    return opened("gp.db", DATABASE, "gp (25 trials)")


def to(page: ProblemPage, index: int) -> None:
    request = {"index": index, "request": 1}
    in_a_session(lambda: page.retraced.timeline.receive(request))


def test_it_opens_at_the_first_choice_that_a_model_explains(page: ProblemPage) -> None:
    to(page, 9)
    shown, found = page.retraced, page.foreign.retraced
    assert page.steps.active == "foreign"
    assert "gp.db" in shown.place.object
    assert (shown.timeline.total, shown.cells.at) == (50, 4)
    assert list(shown.cells.kinds) == [choice.kind for choice in found.choices]
    assert shown.legend.object.count("explored") == 1
    assert "Stop here?" in shown.stop.object


def test_before_a_choice_its_ranks_are_not_shown(page: ProblemPage) -> None:
    to(page, 22)
    shown = page.retraced
    assert "Before trial 11: 11 results known" in shown.why.object
    assert shown.ranks.object == ""
    to(page, 23)
    assert "What trial 11 traded" in shown.why.object
    assert shown.ranks.object.count("<li>") == 6
    assert shown.timeline.status in shown.why.object


def test_the_ranks_are_sorted_and_those_of_the_core(page: ProblemPage) -> None:
    to(page, 31)
    ranks = page.foreign.retraced.choices[15].ranks
    html = page.retraced.ranks.object
    assert [int(part.split("%")[0]) + 1 for part in html.split('cx="')[1:]] == sorted(
        ranks.values()
    )


def test_before_four_results_nothing_is_drawn(page: ProblemPage) -> None:
    to(page, 3)
    assert page.retraced.pictures.objects == []
    assert "No model yet: 1 result known" in page.retraced.why.object
    to(page, 11)
    assert len(page.retraced.pictures.objects) == 1


def test_a_press_on_a_cell_shows_its_choice(page: ProblemPage) -> None:
    in_a_session(lambda: page.retraced.cells.receive({"trial": 20}))
    assert page.retraced.timeline.index == 41
    assert "What trial 20 traded" in page.retraced.why.object


def test_double_arrows_lead_from_improvement_to_improvement(page: ProblemPage) -> None:
    best, expected = np.inf, []
    for i, trial in enumerate(page.foreign.retraced.run.trials):
        if trial.y < best:
            best, expected = trial.y, [*expected, 2 * i + 1]
    assert page.retraced.timeline.stops == expected
    assert page.retraced.timeline.stop == "improvement"


def test_a_choice_says_the_threshold_of_its_kind(page: ProblemPage) -> None:
    for words in ("Explored: among the first 33 of 100 places by std", "below 15% of the prior"):
        kind = words.split(":")[0].lower() if ":" in words else "repeated"
        to(page, 2 * list(page.retraced.cells.kinds).index(kind) + 1)
        assert words in page.retraced.why.object
        assert words.split(": ")[-1] in page.retraced.legend.object


def test_a_prior_that_is_set_is_the_run_s_until_it_is_fitted_again() -> None:
    page = opened("three.csv", THREE.encode(), "The smallest")
    shown, settings, before = page.retraced, page.foreign.settings, page.foreign.retraced
    to(page, 2 * 7 + 1)
    shares = settings.lengthscales / settings.extent
    assert shown.fit.disabled
    assert np.exp(np.log(shares).mean()) == pytest.approx(settings.lengthscale)
    np.testing.assert_allclose(settings.lengthscales, before.choices[7].gp.kernel.lengthscale)
    assert settings.mean == pytest.approx(-before.choices[7].gp.mean)
    change(settings, "lengthscale", 0.3)
    found = page.foreign.retraced
    (gp,) = {choice.gp for choice in found.choices if choice.gp}
    assert np.exp(np.log(gp.kernel.lengthscale / settings.extent).mean()) == pytest.approx(0.3)
    assert gp.mean == pytest.approx(before.choices[7].gp.mean)
    assert shown.timeline.index == 15
    assert not shown.fit.disabled
    change(settings, "beta", 9.0)
    assert page.foreign.retraced.beta == 9.0
    change(settings, "beta", 4.0)
    click(shown.fit)
    assert shown.fit.disabled
    again = page.foreign.retraced
    assert [choice.gp for choice in again.choices] == [choice.gp for choice in before.choices]


def test_going_on_makes_an_experiment_of_all_results() -> None:
    page = opened("tpe.db", DATABASE, "tpe (40 trials)")
    in_a_session(page.go_on)
    experiment, run = page.experiment.current, read_run(DATABASE, study="tpe")
    assert page.steps.active == "experiment"
    assert experiment.plan.direction == "maximize"
    done = [trial for trial in run.trials if trial.y is not None]
    assert sorted(trial.y for trial in experiment.history.data) == sorted(one.y for one in done)
    measured = [trial.index for trial in experiment.history.data]
    by_value = {trial.y: trial.setting for trial in done}
    settings = experiment.table.settings(measured)
    for setting, trial in zip(settings, experiment.history.data, strict=True):
        expected = by_value[trial.y]
        assert setting["solver"] == expected["solver"]
        assert setting["rate"] == pytest.approx(expected["rate"])


def test_a_table_asks_what_it_does_not_say() -> None:
    page = opened("ax.csv", (RUNS / "ax.csv").read_bytes(), "quality", "The largest")
    assert page.foreign.retraced.run.output == "quality"
    assert not page.opening.question.visible


def test_a_file_that_cannot_be_read_leaves_the_run_before(page: ProblemPage) -> None:
    before = page.foreign.retraced
    send(page, "broken.db", DATABASE[:3000])
    assert page.foreign.retraced is before
    assert "cannot be read" in page.opening.fault.object


def test_three_numbers_have_slices_and_a_category_has_none() -> None:
    page = opened("three.csv", THREE.encode(), "The largest")
    assert page.retraced.pictures.objects[0].css_classes == ["lab-sliced"]
    page = opened("tpe.db", DATABASE, "tpe (40 trials)")
    assert page.retraced.pictures.objects[0].css_classes != ["lab-sliced"]


def test_names_are_text() -> None:
    text = THREE.replace("a,", f"{HOSTILE},", 1)
    page = opened(f"{HOSTILE}.csv", text.encode(), "The smallest")
    shown = page.retraced
    for part in (shown.place, shown.why, shown.legend, shown.ranks, shown.stop):
        assert "<img" not in part.object
    assert np.isfinite(page.foreign.retraced.gain)
