"""The Python in the README runs as printed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from ucbpe_core import experiments

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_run_and_do_what_they_say() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    rng = np.random.default_rng(0)
    names = {
        "candidates": rng.random((200, 2)),
        "known": [3, 50, 120],
        "y_known": rng.standard_normal(3),
        "y_six": rng.standard_normal(6),
    }
    for block in blocks:
        exec(block, names)
    bandit, trace = names["bandit"], names["trace"]
    assert len(bandit.pending) == 4 + 10
    assert bandit.t == 2
    assert names["anywhere"].pending.shape == (10, 2)
    assert trace.simple_regret.shape == (30,)


def test_the_study_is_one(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    study = experiments.Study.from_toml(path)
    assert len(study.tasks()) == 1 * 3 * 16
    result = experiments.run_task(replace(study, batches=1), study.tasks()[1])
    assert result.policy == "GP-BUCB"
    assert result.simple.shape == (1,)


def test_the_pictures_are_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert len(pictures) == 3
    assert all((README.parent / picture).stat().st_size > 10_000 for picture in pictures)
