"""Scripts that start workers, in processes that are not forked, as on Python 3.14 and Windows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MINIMIZE = """
import multiprocessing
from ucbpe_core import minimize
def squares(x):
    return float(x @ x)
multiprocessing.set_start_method("{method}")
result = minimize(squares, [(-1, 1)], batches=0, initial=4, workers=2)
print(result.nfev)
"""
STUDY = """
from ucbpe_core.study import execute, PolicyPlan, ProblemPlan, Store, Study
problems, policies = [ProblemPlan("C", "multimodal")], [PolicyPlan("P", "Random search")]
study = Study("S", problems, policies, replicates=1, batches=1, batch_size=1, initial=1)
with Store.create_or_open("study.db", study) as store:
    execute(study, store, workers=1)
"""


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder, env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def guarded(script: str) -> str:
    """Imports and definitions first, and what follows in the usual block."""
    lines = script.strip().splitlines()
    top = [one for one in lines if one.startswith(("import", "from", "def", " "))]
    rest = [f"    {one}" for one in lines if one not in top]
    return "\n".join([*top, 'if __name__ == "__main__":', *rest])


def test_a_study_in_a_script_without_the_guard_says_what_is_missing(tmp_path: Path) -> None:
    """Beside what multiprocessing itself says in each process that it started."""
    done = run(tmp_path, STUDY)
    assert done.returncode == 1
    assert "WorkersError" in done.stderr
    assert 'that a script starts them below if __name__ == "__main__":' in done.stderr


def test_processes_that_are_not_forked_run_a_function(tmp_path: Path) -> None:
    """3.14 starts them by forkserver where it forked before."""
    done = run(tmp_path, guarded(MINIMIZE.format(method="forkserver")))
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "")
