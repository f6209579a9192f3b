"""Every Python block of README.md and docs/*.md runs: here, unless a page has its own test."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.documents import DOCS, blocks
from tools.docs import inventory
from ucbpe_app.lessons import find, offered
from ucbpe_app.lessons.inventory import items
from ucbpe_core.study import load_study, run_task

# Pages whose blocks others run: as a plugin on every page, and each by itself.
ELSEWHERE = {
    "extend.md": "tests/core/test_extend.py",
    "connect.md": "tests/core/connect/test_page.py",
}
README = "../README.md"
NAMES = sorted(page.name for page in DOCS.glob("*.md"))
PAGES = [page for page in (README, *NAMES) if blocks(page) and page not in ELSEWHERE]
# What a page takes as given before its block of this number, and what its last block claims.
GIVEN = {
    # Files as the page writes them: of A, who predicted, and of B, with one student of one form.
    ("inventory.md", 0): """
from pathlib import Path
rows = {"a1": (3, 9), "a2": (4, 10), "a3": (5, 8)}
rows |= {"b1": (3, 5), "b2": (4, 7), "b3": (5, 8), "b4": (2,)}
Path("answers").mkdir()
for code, counts in rows.items():
    for form, right in zip(("before", "after"), counts):
        lines = ["code,group,form,question,answer"]
        for number in range(12):
            answer = "right" if number < right else "misconception" if number < 11 else ""
            lines.append(f"{code},{code[0].upper()},{form},q{number},{answer}")
        path = Path(f"answers/inventory-{form}-{code}.csv")
        path.write_bytes("".join(line + chr(13) + chr(10) for line in lines).encode())
""",
}
CLAIMED = {
    README: """
assert (len(bandit.pending), bandit.t, len(decision.indices)) == (4 + 10, 2, 10)
assert trace.simple_regret.shape == (30,)
""",
    "your-experiment.md": """
trials = [one for one in experiment.history.trials if one.y is not None]
best = [max(one.y for one in trials if one.t == t) for t in (1, 2, 3)]
assert (len(trials), [round(y, 1) for y in best]) == (15, [58.0, 62.1, 62.9])
""",
    "files.md": """
assert again.digest == trace.digest
from pathlib import Path
whole = json.loads(Path("extraction.ucbpe.json").read_text())
own = {name: value for name, value in whole.items() if name not in ("checksum", "history")}
assert checksum(own) == whole["checksum"]
assert checksum([whole["id"], whole["history"]["steps"]]) == whole["history"]["checksum"]
assert len(Path("extraction.csv").read_text().splitlines()) == 1 + len(experiment.history.trials)
""",
    "inventory.md": """
assert len(gained) == 6
assert round(A.mean() - B.mean(), 4) == round(((6 + 6 + 3) - (2 + 3 + 3)) / 3 / 12, 4)
assert low < A.mean() - B.mean() < high
assert round(1.96 * 0.2 * (2 / 30) ** 0.5, 2) == 0.10 > 1 / 12
""",
}


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path) -> None:
    code = [GIVEN.get((page, i), "") + block for i, block in enumerate(blocks(page))]
    file = tmp_path / "page.py"
    file.write_text("\n".join([*code, CLAIMED.get(page, "")]), encoding="utf-8")
    command = [sys.executable, "-W", "error", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_study_of_the_page_is_one(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    (text,) = blocks("compare.md", "toml")
    path.write_text(text, encoding="utf-8")
    study = load_study(path)
    assert len(study.tasks()) == 1 * 2 * 16
    result = run_task(replace(study, batches=1), study.tasks()[1])
    assert result.policy == "GP-BUCB"
    assert result.simple.shape == (1,)


def test_the_inventory_page_has_the_questions_as_they_are() -> None:
    assert "<!-- made: questions -->" in (DOCS / "inventory.md").read_text(encoding="utf-8")
    text = inventory.questions()
    assert text.count("(the misconception)") == text.count("(right)") == 24


def test_the_syllabus_has_lessons_that_are_there_and_questions_to_vote_on() -> None:
    """The method is treated, and so is each question of the inventory; the points add up."""
    text = (DOCS / "syllabus.md").read_text(encoding="utf-8")
    plan, blocks_, marks = re.split("## The plan|## Exercises|## A mark scheme", text)[1:]
    plan, *parts = plan.split("\n### ")
    named = {*re.findall(r"`([a-z0-9-]+)`", plan)}
    method = {lesson.slug for lesson in offered() if lesson.shelf == "method"}
    assert method - named == {"your-own"}
    assert "`your-own`" in marks
    assert {item.lesson for item in items("before")} <= named
    assert [f"[{part.splitlines()[0]}](#" in plan for part in parts] == [True] * len(parts)
    for part in parts:
        assert [f"**{name}.**" in part for name in ("Goals", "Vote", "On the board")] == [True] * 3
        voted = re.findall(r"\*\*Vote\.\*\*.*?\n- \*\*", part, re.DOTALL)
        for slug in re.findall(r"`([a-z0-9-]+)`", voted[0]):
            lesson = find(slug)
            assert lesson is not None, slug
            assert any(question.choices for question in lesson.questions), slug
    points = [int(count) for count in re.findall(r"^\| \d \| (\d) \|", marks, re.MULTILINE)]
    assert sum(points) == 20
    assert "Twenty points." in marks
    assert "### 5." in blocks_


def test_no_page_is_left_out() -> None:
    assert len(PAGES) >= 7
    for page, test in ELSEWHERE.items():
        assert f'blocks("{page}")' in (DOCS.parent / test).read_text(encoding="utf-8")


def test_the_commands_of_the_promises_are_there() -> None:
    """tests/reliability.md names tests and targets that exist."""
    text = (DOCS.parent / "tests" / "reliability.md").read_text(encoding="utf-8")
    tests = {
        path
        for command in re.findall(r"`(?:\w+=\d+ )?pytest ([^`]+)`", text)
        for path in command.split()
    }
    assert len(tests) > 10
    assert [path for path in sorted(tests) if not (DOCS.parent / path).exists()] == []
    makefile = (DOCS.parent / "Makefile").read_text(encoding="utf-8")
    for target in {*re.findall(r"`make ([a-z-]+)", text)}:
        assert f"\n{target}:" in makefile, target
