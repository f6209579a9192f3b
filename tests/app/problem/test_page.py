"""The page Your problem without a browser: its steps, its notices, and what it hands to views."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from tests.app.problem.tables import keys, told
from tests.app.waiting import change, click, in_a_session
from ucbpe_app.problem.page import ProblemPage
from ucbpe_app.problem.sheets.data import EXAMPLES
from ucbpe_app.problem.sheets.limits import check_simulation
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.widgets.parts import Parts
from ucbpe_core import GPUCBPE, FiniteBeta, InputError, simulate
from ucbpe_core.policies import Recommended
from ucbpe_core.problems import from_table

HOSTILE = "<img src=x onerror=alert(1)>"


def with_table(text: str = EXAMPLES[1].text) -> ProblemPage:
    page = ProblemPage()

    in_a_session(lambda: page.table.upload.receive(message("cake.csv", text.encode())))
    for question in page.table.questions.asked:
        click(question.buttons[0])
    return page


def message(name: str, content: bytes, **changes: Any) -> dict[str, Any]:
    """A file as a browser sends it."""
    data = base64.b64encode(content).decode()
    return {"id": "a", "name": name, "part": 0, "parts": 1, "data": data, **changes}


def measuring() -> ProblemPage:
    page = with_table()
    click(page.table.experiment)
    return page


def propose(page: ProblemPage) -> None:
    """Press the button that proposes the next batch."""
    say(page.measuring.rows.proposed, {"action": "ask"})


def say(view: Any, data: dict[str, Any]) -> None:
    in_a_session(lambda: view.receive(data))


def test_a_finished_table_is_simulated_on_this_page() -> None:
    """With its goal and noise; the run is that of the core, and a change of a setting another."""
    page = with_table(EXAMPLES[0].text)
    change(page.table.goal, "value", "Minimise")
    change(page.table.noise, "value", 0.04)
    click(page.table.simulate)
    assert page.steps.active == "simulation"
    table = page.data.draft.table
    mine = from_table(table, name="cake", direction="minimize", noise_variance=0.04)
    expected = simulate(mine, Recommended(4), batches=10, initial=3, seed=0)
    assert (expected.gp, expected.beta) == (mine.gp, FiniteBeta())
    view = page.simulated.view
    assert page.simulation.replay.trace.digest == expected.digest
    assert view.frame.event == Event(10, Kind.OBSERVE)
    assert expected.problem.optimum == table.y.min()
    drawn = view.regret.shown[0].picture.plots["simple"]
    (line,) = (one.columns["y"] for one in drawn.marks if one.role == "regret")
    np.testing.assert_array_equal(line, expected.simple_regret)
    in_a_session(lambda: page.simulation.settings.accept(policy="GP-UCB-PE", batch_size=3, seed=5))
    other = simulate(mine, GPUCBPE(3), batches=10, initial=3, seed=5)
    assert page.simulation.replay.trace.digest == other.digest == view.replay.trace.digest


def test_settings_without_a_run_leave_the_one_on_screen() -> None:
    page = with_table(EXAMPLES[0].text)
    click(page.table.simulate)
    replay, settings = page.simulation.replay, page.simulation.settings
    in_a_session(lambda: settings.accept(initial=400))
    assert "at most 399 initial points" in page.simulated.fault.object
    assert page.simulated.view.replay is replay
    in_a_session(lambda: settings.accept(initial=5))
    assert page.simulated.fault.object == ""
    assert page.simulated.view.replay is page.simulation.replay is not replay


@pytest.mark.parametrize("example", [1, 2])
def test_a_table_with_values_missing_is_not_simulated(example: int) -> None:
    page = with_table(EXAMPLES[example].text)
    assert page.table.simulate.disabled
    click(page.table.simulate)
    assert (page.steps.active, page.simulation.replay) == ("table", None)


def test_a_small_table_has_a_batch_and_a_start_that_fit() -> None:
    page = with_table("x,y\n1,3\n2,5\n")
    click(page.table.simulate)
    trace = page.simulation.replay.trace
    assert (trace.policy.batch_size, trace.initial) == (2, 2)


def test_a_simulation_too_large_for_a_server_is_refused() -> None:
    check_simulation(20_000, 950, 10)
    with pytest.raises(InputError, match="numbers kept for stepping back"):
        check_simulation(20_000, 951, 10)


def test_results_from_a_file_are_shown_before_they_are_told() -> None:
    page = measuring()
    propose(page)
    candidate = page.experiment.current.pending[0]
    results = page.measuring.results
    text = f"candidate;y\n{candidate};950\n3;1.050\n8;\n"
    say(results.upload, message("today.csv", text.encode()))
    assert "1.050 in line 3, column y" in results.question.text.object
    assert not results.choices.visible
    click(results.question.buttons[1])
    assert not results.question.visible
    assert "2 new results. 1 answers a proposed row; 1 is of another row;" in results.message.object
    assert "Thousands are grouped: 1.050 is read as 1050." in results.message.object
    assert len(page.experiment.current.history.measured) == 4
    click(results.agree)
    assert {(candidate, 950.0), (3, 1050.0)} <= set(told(page.experiment.current))
    assert not results.agree.visible
    say(results.upload, message("other.csv", b"q,z\n1,2\n"))
    assert "a column y" in results.message.object


def test_a_saved_experiment_is_opened_and_a_bad_file_is_not() -> None:
    page = measuring()
    propose(page)
    content = (page.experiment.head + page.experiment.journal).encode()
    before = page.experiment.current
    say(page.table.saved, message("cakes.csv", b"oven,y\n180,2\n"))
    assert "got a table, or other text. Choose" in page.table.fault.object
    assert page.experiment.current is before
    other = ProblemPage()
    say(other.table.saved, message("cake.ucbpe.json", content))
    assert other.steps.active == "experiment"
    assert keys(other.experiment) == keys(page.experiment)
    assert (other.autosave.opened, other.autosave.identity) == (1, page.autosave.identity)
    resumed = ProblemPage()
    say(resumed.saved, message("cake", content))
    assert keys(resumed.experiment) == keys(page.experiment)
    assert resumed.autosave.opened == 0  # it is in no file that we know of


def test_an_experiment_that_is_nowhere_else_is_not_replaced_at_once() -> None:
    page = measuring()
    before = page.experiment.current
    page.autosave.safe = False  # as a browser that keeps nothing says
    click(page.table.experiment)
    assert page.experiment.current is before
    assert "neither in a file nor kept" in page.table.fault.object
    click(page.table.experiment)
    assert page.experiment.current.id != before.id


def test_export_and_time_zone() -> None:
    page = measuring()
    say(page.autosave, {"csv": True})
    assert page.autosave.download["text"] == page.experiment.csv()
    assert page.autosave.download["name"] == "cake, 4 measurements.csv"
    say(page.autosave, {"zone": "Asia/Tokyo"})
    assert str(page.experiment.zone) == "Asia/Tokyo"


def test_files_come_in_parts_and_over_the_limit_they_are_refused() -> None:
    """By its length, before anything of a part is decoded."""
    parts = Parts(limit=10)
    content = b"0123456789"
    pieces = [message("x", content[i : i + 4], part=k, parts=3) for k, i in enumerate((0, 4, 8))]
    assert [parts.add(piece) for piece in pieces] == [None, None, content]
    assert parts.add(pieces[0]) is None
    assert parts.add(pieces[2]) is None  # one is missing: nothing comes of it
    assert [parts.add(piece) for piece in pieces] == [None, None, content]
    parts.add(message("y", b"x" * 8, id="b", parts=2))
    with pytest.raises(InputError, match="at most 1e-05 MB"):
        parts.add(message("y", b"", id="b", part=1, parts=2) | {"data": "?" * 8})
    with pytest.raises(InputError, match="a damaged part"):
        parts.add({**message("z", b"", id="c"), "data": "?"})


@pytest.mark.parametrize("message", [{}, {"id": "a", "part": 0, "parts": 1, "data": "\ud800"}])
def test_a_message_that_no_page_sends_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a whole file; got a damaged part"):
        Parts(limit=10).add(message)
