"""The Python in the README runs as printed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_run_and_do_what_they_say() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
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
    assert trace.simple_regret.shape == (30,)


def test_the_pictures_are_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert len(pictures) == 2
    assert all((README.parent / picture).stat().st_size > 10_000 for picture in pictures)
