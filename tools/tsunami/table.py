"""The table of all designs, computed by several processes and kept row by row as it grows."""

from __future__ import annotations

from concurrent.futures import as_completed
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from tools.tsunami.simulate import simulate
from ucbpe_app.commands.study import scheduler_executor
from ucbpe_core.study.engine import cores, process_pool

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from tools.tsunami.grid import Resolution
    from tools.tsunami.parameters import Parameters
    from tools.tsunami.scene import Design

TABLE = Path(__file__).parents[2] / "ucbpe_core" / "problems" / "tsunami.csv"
PARTIAL = Path(__file__).parents[2] / "build" / "tsunami-table.csv"

HEADER = (
    "island_slope,beach_slope,distance_m,depth_m,omega_rad_per_s,run_up_behind_m,run_up_lateral_m\n"
)


def make(
    parameters: Parameters,
    table: Path = TABLE,
    partial: Path = PARTIAL,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
) -> None:
    """Simulate the designs that the partial table lacks; when none is missing, write the table.

    The partial table begins with the parameters: one of others is put aside, not continued.
    """
    designs = parameters.designs()
    rows = _resume(partial, parameters)
    missing = [number for number in range(len(designs)) if number not in rows]
    with (
        executor(scheduler, workers) as pool,
        partial.open("a", encoding="utf-8") as file,
        tqdm(total=len(designs), initial=len(rows), unit="design", smoothing=0.05) as bar,
    ):
        futures = {
            pool.submit(row, designs[number], parameters.resolution): number for number in missing
        }
        for future in as_completed(futures):
            number, text = futures.pop(future), future.result()
            rows[number] = text
            file.write(f"{number},{text}")
            file.flush()
            bar.update()
    _write(table, (rows[number] for number in range(len(designs))))


def executor(scheduler: str | None, workers: int | None) -> AbstractContextManager[Executor]:
    """So many processes, by default one per core; or the workers of a Dask scheduler."""
    return process_pool(workers or cores()) if scheduler is None else scheduler_executor(scheduler)


def row(design: Design, resolution: Resolution) -> str:
    """The line of the table for one design: simulate it."""
    found = simulate(design, resolution)
    inputs = ",".join(f"{value:.6g}" for value in astuple(design))
    return f"{inputs},{found.behind:.4f},{found.lateral:.4f}\n"


def _resume(partial: Path, parameters: Parameters) -> dict[int, str]:
    """Rows of the partial table by their number; begin one where there is none to continue."""
    title = f"# {parameters}\n"
    if partial.exists():
        first, *lines = partial.read_text(encoding="utf-8").splitlines(keepends=True)
        if first == title:
            whole = [line for line in lines if line.endswith("\n")]
            # A line that an interruption cut short is simulated again.
            partial.write_text("".join([first, *whole]), encoding="utf-8")
            pairs = (line.split(",", 1) for line in whole)
            return {int(number): text for number, text in pairs}
        partial.replace(partial.with_suffix(".old.csv"))
    partial.parent.mkdir(parents=True, exist_ok=True)
    partial.write_text(title, encoding="utf-8")
    return {}


def _write(table: Path, rows: Iterable[str]) -> None:
    """All at once: a reader never sees half a table."""
    unfinished = table.with_suffix(".tmp")
    unfinished.write_text(HEADER + "".join(rows), encoding="utf-8")
    unfinished.replace(table)
