"""The figures in README.md and docs/costs.md are those of the benchmarks' tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import _costs

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "docs/costs.md")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_figures_are_those_of_the_tables(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert text.count("<!-- costs: ") == text.count("<!-- /costs -->") > 0
    assert _costs.written(text) == text


def test_a_row_against_its_table() -> None:
    """Read from the JSON by hand: the least and the greatest factor of scikit-learn."""
    kept = json.loads((_costs.RESULTS / "beside_peers.json").read_text(encoding="utf-8"))
    case = {"M": 10_000, "n": 200, "K": 10}
    factors = [row["scikit-learn"] for row in kept["rows"] if case.items() <= row.items()]
    assert len(factors) == 2
    wanted = f"{min(factors):.0f} to {max(factors):.0f} times as long"
    (row,) = (
        line for line in _costs.table("readme").splitlines() if "scikit-learn, fitted" in line
    )
    assert row.endswith(f"| {wanted} |")
