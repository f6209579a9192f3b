"""The conformance report: every criterion has a row, and every row a test or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.app.study.test_charts import contrast
from ucbpe_app import theme

ROOT = Path(__file__).parents[1]
REPORT = (ROOT / "tests" / "accessibility.md").read_text(encoding="utf-8")
# WCAG 2.2, levels A and AA; 4.1.1 is obsolete in it.
CRITERIA = {
    "A": (
        *("1.1.1", "1.2.1", "1.2.2", "1.2.3", "1.3.1", "1.3.2", "1.3.3", "1.4.1", "1.4.2"),
        *("2.1.1", "2.1.2", "2.1.4", "2.2.1", "2.2.2", "2.3.1", "2.4.1", "2.4.2", "2.4.3"),
        *("2.4.4", "2.5.1", "2.5.2", "2.5.3", "2.5.4", "3.1.1", "3.2.1", "3.2.2", "3.2.6"),
        *("3.3.1", "3.3.2", "3.3.7", "4.1.2"),
    ),
    "AA": (
        *("1.2.4", "1.2.5", "1.3.4", "1.3.5", "1.4.3", "1.4.4", "1.4.5", "1.4.10", "1.4.11"),
        *("1.4.12", "1.4.13", "2.4.5", "2.4.6", "2.4.7", "2.4.11", "2.5.7", "2.5.8", "3.1.2"),
        *("3.2.3", "3.2.4", "3.3.3", "3.3.4", "3.3.8", "4.1.3"),
    ),
}
ROW = re.compile(r"^\| (\d\.\d\.\d+) ([^|]+) \| (A{1,2}) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
SHOWN = {"supported", "partially supported"}
UNSHOWN = {"not met", "not applicable"}
ROWS = [match.groups() for match in ROW.finditer(REPORT)]


def test_every_criterion_has_one_row() -> None:
    for level, numbers in CRITERIA.items():
        assert tuple(row[0] for row in ROWS if row[2] == level) == numbers
    assert len(ROWS) == 31 + 24


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_tests_that_exist_or_says_that_none_shows_it(row: tuple[str, ...]) -> None:
    number, _, _, status, why = row
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", why)
    if status in UNSHOWN:
        assert len(re.sub(r"`[^`]*`", "", why).split()) >= 3, f"{number}: expected a reason"
    else:
        assert status in SHOWN
        assert named, f"{number}: expected a test"
    if status == "partially supported":
        assert "Missing:" in why, f"{number}: expected what is missing"
    for path, name in named:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert f"def {name}(" in text, f"{number}: {path} has no {name}"


def test_the_summary_counts_the_rows() -> None:
    for status in sorted(SHOWN | UNSHOWN):
        (told,) = re.findall(rf"(?m)^\| {status} \| (\d+) \|$", REPORT)
        assert int(told) == sum(row[3] == status for row in ROWS), status


def test_play_changes_pictures_less_than_three_times_a_second() -> None:
    """2.3.1 and 2.2.2: the fastest that pictures change by themselves."""
    code = (ROOT / "app" / "ucbpe_app" / "widgets" / "timeline.js").read_text(encoding="utf-8")
    (pace,) = re.findall(r"const PACE = (\d+)", code)
    (speeds,) = re.findall(r"const SPEEDS = \[([\d., ]+)\]", code)
    assert 1000 / int(pace) * max(map(float, speeds.split(","))) < 3


def test_who_signs_in_is_helped_by_a_password_manager() -> None:
    """1.3.5 and 3.3.8."""
    page = (ROOT / "app" / "ucbpe_app" / "serve" / "login.html").read_text(encoding="utf-8")
    assert re.findall(r'autocomplete="([a-z-]+)"', page) == ["username", "current-password"]
    assert "captcha" not in page.lower()
    assert "onpaste" not in page.lower()


def test_marks_of_pictures_stand_out_and_are_told_apart_without_colour() -> None:
    """1.4.1 and 1.4.11: 3:1 on both grounds; each role has a marker or a dash of its own."""
    marks = {name: one for name, one in vars(theme).items() if isinstance(one, theme.Mark)}
    assert len(marks) >= 13
    for name, mark in marks.items():
        for ground in ("#FFFFFF", "#121212"):
            assert contrast(mark.color, ground) >= 3, name
    points = ("UCB_PICK", "PE_PICK", "OTHER_PICK", "REGION", "REGION_PLUS", "DATA")
    assert len({marks[name].marker for name in points}) == len(points)
    lines = ("TRUTH", "MEAN", "UPDATED_BAND", "Y_DOT")
    assert len({marks[name].dash for name in lines}) == len(lines)
