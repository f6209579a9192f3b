"""What the commands write: on a full disk the earlier files stay as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.core.records.test_files import full_disk
from tests.core.study.studies import small
from ucbpe_app.cli import main
from ucbpe_app.report.write import report
from ucbpe_core import InputError
from ucbpe_core.study import Store, execute

EARLIER = b"the earlier content"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_lesson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lesson.html"
    file.write_bytes(EARLIER)
    command = ["lesson", "--link", "problem=thin_peak&K=2&T=1&initial=2", "--out", str(file)]
    with full_disk():
        assert main(command) == 2
    assert "File too large" in capsys.readouterr().err
    assert contents(tmp_path) == {"lesson.html": EARLIER}
    assert main(command) == 0
    assert file.read_bytes().endswith(b"</html>\n")


@pytest.mark.slow
def test_a_report(tmp_path: Path) -> None:
    """No table, figure or page is cut short; the smaller ones may be those of the new report."""
    one = {"problems": small().problems[:1], "policies": small().policies[:1]}
    study = small(**one, replicates=1, batches=2)
    path, folder = tmp_path / "s.db", tmp_path / "report"
    with Store.create_or_open(path, study) as store:
        execute(study, store, workers=0)
        (result,) = store.results()
    report(path, folder)
    before = contents(folder)
    with Store.create_or_open(path, study) as store:
        store.add(replace(result, simple=2 * result.simple, total=3 * result.total))
    with full_disk(3000), pytest.raises(OSError, match="File too large"):
        report(path, folder)
    between = contents(folder)
    report(path, folder)
    after = contents(folder)
    assert between.keys() <= before.keys() | after.keys()
    assert all(data in (before.get(name), after.get(name)) for name, data in between.items())
    assert before["report.md"] == between["report.md"] != after["report.md"]


def test_a_folder_with_nul(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"path of a folder; got 'a\\x00b', with NUL"):
        report(tmp_path / "s.db", "a\0b")
