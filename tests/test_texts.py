"""Statements of fact that stand in several texts, beside what they must agree with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXTS = (
    ROOT / "README.md",
    ROOT / "REPRODUCTION.md",
    ROOT / "RELIABILITY.md",
    ROOT / "SECURITY.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "LICENSE-docs.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "notebooks").glob("*.md")),
    *sorted((ROOT / "app" / "ucbpe_app" / "lessons" / "data").glob("*.toml")),
)
# The sentence by which a text explains that a batch needs no results.
WHERE = re.compile(r"depends\s+on\s+\*?where\*?\s+(?:one\s+measures|(?:you|we)\s+measure)")
EXPLAIN = ("README.md", "1-a-belief.md", "3-inside-a-batch.md", "04-why-std-shrinks.toml")


def paragraphs(path: Path) -> list[str]:
    prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.split(r"\n\s*\n", prose)


def test_the_texts_are_there() -> None:
    assert len(TEXTS) >= 2 + 5 + 6 + 16
    assert all(path.is_file() for path in TEXTS)


@pytest.mark.parametrize("name", EXPLAIN)
def test_who_found_that_the_deviation_needs_no_values_is_credited(name: str) -> None:
    (path,) = (path for path in TEXTS if path.name == name)
    text = path.read_text(encoding="utf-8")
    # A lesson is short, and a paragraph of it shorter.
    parts = [text] if path.suffix == ".toml" else paragraphs(path)
    said = [part for part in parts if WHERE.search(part)]
    assert said
    for part in said:
        assert "Desautels, Krause" in part
        assert "2012" in part
    assert "is the idea of the paper" not in " ".join(text.split())


def test_no_other_text_explains_it_without_credit() -> None:
    told = {path.name for path in TEXTS if any(WHERE.search(part) for part in paragraphs(path))}
    assert told == set(EXPLAIN)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_regret_falls_by_a_factor_and_not_by_a_difference(path: Path) -> None:
    """ "Falls by about √K" would be a difference."""
    root = r"(?:√K|\$\\sqrt\{K\}\$|sqrt\(K\))"
    text = path.read_text(encoding="utf-8")
    assert not re.search(rf"\bby\s+(?:about\s+)?{root}", text)


def test_figure_1_was_extracted_and_not_read_off() -> None:
    """An agreement to 1e-12 cannot come from reading a printed figure."""
    chapter = (ROOT / "notebooks" / "1-a-belief.md").read_text(encoding="utf-8")
    assert "extracted from the figure's vector data" in " ".join(chapter.split())
    assert not re.search(r"curves\s+off\s+the\s+figure", chapter)


def test_the_formulas_of_the_posterior_mean_have_the_prior_mean() -> None:
    """Chapter 1 gives them, and asserts them for a mean of 65; chapter 6 has such a prior."""
    chapter = (ROOT / "notebooks" / "1-a-belief.md").read_text(encoding="utf-8")
    means = re.findall(r"\\mu\(x\) = (.*?), \\qquad", chapter)
    assert len(means) == 2
    for formula in means:
        assert formula.startswith("m + ")
        assert re.search(r"\((\\mathbf\{y\} - \\mathbf\{m\}|y_1 - m)\)", formula)
    assert "mean=65.0" in chapter
    assert "mean=65.0" in (ROOT / "notebooks" / "6-your-own-problem.md").read_text(encoding="utf-8")


def test_the_commands_of_the_promises_are_there() -> None:
    """RELIABILITY.md names tests and targets that exist."""
    text = (ROOT / "RELIABILITY.md").read_text(encoding="utf-8")
    tests = {
        path
        for command in re.findall(r"`(?:\w+=\d+ )?pytest ([^`]+)`", text)
        for path in command.split()
    }
    assert len(tests) > 10
    assert [path for path in sorted(tests) if not (ROOT / path).exists()] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in {*re.findall(r"`make ([a-z-]+)", text)}:
        assert f"\n{target}:" in makefile, target
