"""The engine of live lessons against the core, by a thousand random runs, in Chromium and Node.

Every pick, mask of R and R+ and digest is the core's. `tests.live.cases` makes the runs; ten
thousand were compared once, see docs/accuracy.md. Of a Matérn kernel any smoothness is the core's.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.live.cases import decided, lines
from ucbpe_app.export.lesson.live import script

RUNS, _FEW = 1000, 40
SMOOTHNESS = (3.0, 0.7, 4.5, 1.0, 0.3, 10.2, 60.0)
_FOLDER = Path(__file__).parents[1] / "live"
# In a run without noise whose candidates are all measured, scores can differ by the tolerance of a
# tie to within rounding: 10 of the ten thousand.
_MOST_UNDECIDED = 5
_CHECK = """
(lines) => {
  %s
  return lines.map((line) => {
    const {case: number, ...own} = JSON.parse(line)
    const differing = check(own)
    return differing.length ? `case ${number}: ${differing.join(", ")}` : ""
  }).filter((one) => one)
}
"""

pytestmark = pytest.mark.xdist_group("live-engine")  # the cases are made once


@pytest.fixture(scope="module")
def cases() -> list[str]:
    return list(lines(0, RUNS))


def in_chromium(browser: Browser, given: list[str]) -> list[str]:
    with browser.new_context() as context:
        page = context.new_page()
        return page.evaluate(_CHECK % script("check.js", _FOLDER), given)


def in_node(given: list[str], folder: Path) -> list[str]:
    if shutil.which("node") is None:
        pytest.skip("there is no Node here")
    file = folder / "cases.jsonl"
    file.write_text("\n".join(given), encoding="utf-8")
    command = ["node", str(_FOLDER / "compare.mjs"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    *differing, summary = done.stdout.splitlines()
    assert summary == f"{len(given)} cases, {len(differing)} differ", done.stderr
    return differing


def all_agree(differing: list[str], smoothness: tuple[float, ...] = ()) -> bool:
    """Whether what differs is what the core itself does not decide."""
    numbers = [int(line.partition(":")[0].removeprefix("case ")) for line in differing]
    return len(numbers) <= _MOST_UNDECIDED and not any(
        decided(number, smoothness) for number in numbers
    )


def test_a_few_runs_are_those_of_the_core(browser: Browser, tmp_path: Path) -> None:
    given = list(lines(0, _FEW))
    assert in_chromium(browser, given) == []
    wrong = json.loads(given[3])
    wrong["picks"][1][0] += 1  # the comparison can fail
    assert in_chromium(browser, [json.dumps(wrong)]) == ["case 3: picks"]
    assert in_node(given, tmp_path) == []


def test_runs_of_any_smoothness_are_those_of_the_core(browser: Browser, tmp_path: Path) -> None:
    given = list(lines(0, _FEW, SMOOTHNESS))
    used = {json.loads(line)["settings"]["nu"] for line in given}
    assert used == set(SMOOTHNESS)
    differing = [*in_chromium(browser, given), *in_node(given, tmp_path)]
    assert all_agree(differing, SMOOTHNESS), differing


@pytest.mark.slow
def test_a_thousand_runs_in_chromium(browser: Browser, cases: list[str]) -> None:
    differing = in_chromium(browser, cases)
    assert all_agree(differing), differing


@pytest.mark.slow
def test_a_thousand_runs_in_node(cases: list[str], tmp_path: Path) -> None:
    differing = in_node(cases, tmp_path)
    assert all_agree(differing), differing
