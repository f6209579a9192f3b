"""A table of measurements: printed, and kept as JSON and Markdown in `benchmarks/results`."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable

import numpy as np
import scipy

from benchmarks import _costs
from benchmarks._costs import RESULTS


def machine() -> dict[str, str]:
    """What the figures were measured on and with."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": platform.machine(),
        "cores": str(os.cpu_count()),
        "threads of BLAS": os.environ.get("OMP_NUM_THREADS", "all"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


class Table:
    """Rows of the same columns, each printed when it comes; `keep` writes all of them."""

    def __init__(self, name: str, title: str, columns: list[str], note: str = "") -> None:
        self.name, self.title, self.columns, self.note = name, title, columns, note
        self.rows: list[list[str | float]] = []
        print(f"{title}\n\n| " + " | ".join(columns) + " |")
        print("|" + "---|" * len(columns), flush=True)

    def add(self, *cells: str | float) -> None:
        assert len(cells) == len(self.columns), f"expected {self.columns}, got {cells}"
        self.rows.append(list(cells))
        print(line(cells), flush=True)

    def keep(self, **figures: float | str) -> None:
        """Write the table, `figures` that belong to all of it, and the texts that quote it."""
        for name, value in figures.items():
            print(f"{name}: {_shown(value)}")
        RESULTS.mkdir(exist_ok=True)
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        kept = {"title": self.title, "machine": machine(), "figures": figures, "rows": rows}
        (RESULTS / f"{self.name}.json").write_text(json.dumps(kept, indent=1) + "\n")
        lines = [f"# {self.title}", "", line(self.columns), "|" + "---|" * len(self.columns)]
        lines += [line(row) for row in self.rows]
        lines += ["", *(f"- {name}: {_shown(value)}" for name, value in figures.items())]
        lines += ["", self.note] if self.note else []
        lines += ["", "Measured with " + ", ".join(f"{k} {v}" for k, v in machine().items()) + "."]
        (RESULTS / f"{self.name}.md").write_text("\n".join(lines) + "\n")
        _costs.write()


def line(cells: Iterable[object]) -> str:
    """A row of a table in Markdown."""
    return "| " + " | ".join(_shown(cell) for cell in cells) + " |"


def _shown(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
