"""From a store to a summary, a figure and a document, by the command that people type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.reproduction import __main__ as command_line
from tools.reproduction import certificates, paper, summary
from tools.reproduction.__main__ import main
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Study

KNOWN = HyperparameterPlan(method="suggested")


@pytest.fixture
def small_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two studies of seconds in place of those of hours."""

    def section5() -> Study:
        return Study(
            "Small section 5",
            # In this order on purpose: a store sorts by name, a table must not.
            [
                ProblemPlan("Peak", "thin_peak", hyperparameters=KNOWN),
                ProblemPlan("Curve", "multimodal", hyperparameters=KNOWN),
            ],
            [PolicyPlan("GP-UCB-PE", "GP-UCB-PE"), PolicyPlan("Chance", "Random search")],
            replicates=3,
            batches=4,
            batch_size=2,
            initial=3,
        )

    def batch_size() -> Study:
        return Study(
            "Small sizes",
            [ProblemPlan("Curve", "multimodal", hyperparameters=KNOWN)],
            [PolicyPlan(f"K = {K}", "Random search", {"batch_size": K}) for K in paper.BATCH_SIZES],
            replicates=2,
            batches=3,
            initial=2,
        )

    monkeypatch.setattr(paper, "STUDIES", {"section5": section5, "batch_size": batch_size})
    monkeypatch.setattr("tools.reproduction.write.STUDIES", paper.STUDIES)
    monkeypatch.setattr(command_line, "STUDIES", paper.STUDIES)
    monkeypatch.setattr(certificates, "REPLICATES", 1)


@pytest.mark.slow
def test_reproduce_runs_summarises_and_fills_the_document(small_studies, tmp_path: Path, capsys):
    page = tmp_path / "PAGE.md"
    page.write_text(
        "# Page\n<!-- table: section5 regrets -->\n<!-- end -->\n"
        "<!-- table: batch_size batch_sizes -->\n<!-- end -->\n"
        "<!-- table: cost -->\n<!-- end -->\n"
        "<!-- table: certificates -->\n<!-- end -->\n"
    )
    command = ["--out", str(tmp_path / "out"), "--workers", "0"]
    assert main([*command, "--document", str(page)]) == 0
    text = page.read_text()
    heads = re.findall(r"^\| problem .*$", text, re.MULTILINE)
    assert heads[0] == "| problem | GP-UCB-PE | Chance |"
    rows = re.findall(r"^\| (\w+) \|", text, re.MULTILINE)
    assert rows[1:3] == ["Peak", "Curve"]
    assert "| Small section 5 | 12 | 0 |" in text
    assert text.count("\n| the thin peak | ") == 2
    for name in ("section5", "batch_size"):
        assert (tmp_path / "out" / name / "overview.svg").stat().st_size > 1000
        assert not summary.read(tmp_path / "out" / name).statistics.empty
    capsys.readouterr()

    assert main(command) == 0
    assert "0 of 12 runs" in capsys.readouterr().out, "the second time there is nothing to do"
