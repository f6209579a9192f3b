"""A reproduced study's store -> its summary and figure; all summaries -> the document's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.report.gallery import draw_overview
from ucbpe_app.report.records import curves_of, statistics_of
from ucbpe_app.reproduction import document, summary
from ucbpe_app.reproduction.paper import STUDIES
from ucbpe_core.records import atomic
from ucbpe_core.study.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def write_study(name: str, store: Path, folder: Path) -> None:
    """Write the summary and the overview of the study `name` into `folder`."""
    with Store.open(store) as opened:
        kept, study = summary.summarise(name, opened), opened.study
    summary.write(kept, folder)
    sizes = {
        study.batch_size,
        *(plan.build(study.batch_size, 0).batch_size for plan in study.policies),
    }
    size = sizes.pop() if len(sizes) == 1 else None
    curves, statistics = curves_of(kept.curves), statistics_of(kept.statistics)
    draw_overview(folder, kept.policies, curves, statistics, batch_size=size)


def fill_document(path: Path, folder: Path) -> None:
    """Compute the tables of the document at `path` from every summary inside `folder`.

    Raises
    ------
    InputError
        If the document has a table of a study that has no summary yet; it is left as it was.
    """
    found = {name: folder / name for name in STUDIES if (folder / name).is_dir()}
    summaries = {name: summary.read(place) for name, place in found.items()}
    text = document.fill(path.read_text(encoding="utf-8"), summaries)
    atomic.write_text(path, text)
