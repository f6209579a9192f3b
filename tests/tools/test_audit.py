"""What is said of a report of pip-audit."""

from __future__ import annotations

import json

import pytest

from tools.audit import found

FLAW = {"id": "PYSEC-1", "fix_versions": ["2.0", "1.9.1"]}


def test_a_vulnerability_is_a_line() -> None:
    report = {
        "dependencies": [
            {"name": "good", "version": "1.0", "vulns": []},
            {"name": "bad", "version": "1.8", "vulns": [FLAW, {"id": "X", "fix_versions": []}]},
            {"name": "unknown", "skip_reason": "not found"},
        ]
    }
    assert found(json.dumps(report)) == (
        2,
        3,
        ["bad 1.8: PYSEC-1, fixed in 2.0, 1.9.1", "bad 1.8: X, fixed in no version yet"],
    )


def test_where_nothing_was_found_out_nothing_is_known() -> None:
    """A mirror without the database answers for no package."""
    report = {"dependencies": [{"name": "unknown", "skip_reason": "not found"}]}
    assert found(json.dumps(report))[0] == 0


@pytest.mark.parametrize("text", ["", "no JSON"])
def test_no_report_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="Expecting value"):
        found(text)
