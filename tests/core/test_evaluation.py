"""Scripts that start workers, in processes that are not forked, as on Python 3.14 and Windows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
SENTENCE = (
    "ucbpe_core.errors.InputError: expected a script that starts workers below if __name__ =="
)


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


def test_a_script_without_the_guard_gets_one_sentence(tmp_path: Path) -> None:
    """Before any process is started; Python shows where it comes from."""
    done = run(tmp_path, MINIMIZE.format(method="forkserver"))
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert SENTENCE in lines[-1], done.stderr
    assert "add that line" in lines[-1]
    assert done.stderr.count("\n  File ") <= 5  # Python 3.13 underlines the calls between them
    assert done.stderr.count("Traceback") == 1


def test_processes_that_are_not_forked_run_a_function(tmp_path: Path) -> None:
    """3.14 starts them by forkserver where it forked before."""
    done = run(tmp_path, guarded(MINIMIZE.format(method="forkserver")))
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "")


CHECK = "from ucbpe_core.evaluation import check_main_guard as check"
GUARDS = {
    "negated": 'if __name__ != "__main__":\n    raise SystemExit\ncheck()',
    "process": "import multiprocessing as m\nif m.parent_process() is None:\n    check()",
    "function": 'def main():\n    check()\nif "__main__" == __name__:\n    main()',
    "thread": "import threading\nt = threading.Thread(target=check)\nt.start()\nt.join()",
}


@pytest.mark.parametrize("guard", GUARDS.values(), ids=GUARDS)
def test_other_guards_will_do(tmp_path: Path, guard: str) -> None:
    done = run(tmp_path, f"{CHECK}\n{guard}\n")
    assert done.returncode == 0, done.stderr


def test_what_is_no_script_is_not_checked(tmp_path: Path) -> None:
    """A notebook and the command line have no file that workers import."""
    code = "from ucbpe_core.evaluation import check_main_guard; check_main_guard()"
    for arguments in (["-c", code], ["-"]):
        subprocess.run([sys.executable, *arguments], input=code, cwd=ROOT, text=True, check=True)
