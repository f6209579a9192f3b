"""The tool that compares runs under BLAS kernels and thread counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import digests


def test_a_run_is_equal_under_two_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    """Runs 0 and 1, without a fit, in processes of their own."""
    digests.main(["--runs", "2", "--cores", "Haswell", "Nehalem", "--threads", "1"])
    printed = capsys.readouterr().out
    assert "Nehalem (1): equal to Haswell (1)" in printed
    assert "2 runs equal" in printed


def test_what_differs_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It exits with 1, for a setting and for a file of another machine."""
    lines = {1: ["0 aa bb cc", "1 dd ee ff"], 2: ["0 aa bb cc", "1 dd e0 f0"]}
    monkeypatch.setattr(digests, "played_in", lambda core, threads, options: lines[threads])
    kept = tmp_path / "lines.txt"
    options = ["--runs", "2", "--cores", "Haswell"]
    with pytest.raises(SystemExit, match="1"):
        digests.main([*options, "--threads", "1", "2", "--each", str(kept)])
    printed = capsys.readouterr().out
    assert "Haswell (2): differs from Haswell (1)\n  run 1: masks, fits" in printed
    assert kept.read_text().splitlines() == lines[1]
    digests.main([*options, "--threads", "1", "--against", str(kept)])
    with pytest.raises(SystemExit, match="1"):
        digests.main([*options, "--threads", "2", "--against", str(kept)])
    assert digests.differences(lines[1], lines[1][:1]) == ["2 runs against 1"]
