"""The command line: ``ucbpe study`` from its config to its exit code, whatever kills it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from distributed import LocalCluster

import ucbpe
import ucbpe_core
from tests.core.study.studies import HERE, broken
from tests.processes import printed
from ucbpe_app import cli
from ucbpe_app.cli import main
from ucbpe_core.study import Store, execute, load_study

ROOT = Path(__file__).parents[2]
SECONDS = 180  # on a machine that is busy otherwise
RUNS = 30
CONFIG = f"""
name = "small"
replicates = 10
batches = 3
batch_size = 3
initial = 5
[[problems]]
label = "Broken"
problem = "{HERE}:thermometer"
options = {{ bad = BAD, patience = PATIENCE }}
[[policies]]
label = "PE"
policy = "GP-UCB-PE"
[[policies]]
label = "Greedy"
policy = "GreedyUCB"
[[policies]]
label = "Random"
policy = "Random search"
"""


def written(folder: Path, *, bad: object = (), patience: float = 0.0) -> list[str]:
    """Write a config; the arguments that run it."""
    text = CONFIG.replace("BAD", str(list(bad))).replace("PATIENCE", str(patience))  # type: ignore[call-overload]
    (folder / "study.toml").write_text(text, encoding="utf-8")
    files = ["--config", str(folder / "study.toml"), "--out", str(folder / "study.db")]
    return ["study", *files, "--plugin", HERE]


def stored(path: Path) -> int:
    """How many results there are, or 0 if there is no store yet."""
    if not path.is_file():
        return 0
    with closing(sqlite3.connect(path, timeout=SECONDS)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM result").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def started(arguments: list[str]) -> subprocess.Popen[str]:
    """The command in a process group of its own, which a terminal's Ctrl-C would reach."""
    return subprocess.Popen(
        [sys.executable, "-m", "ucbpe_app.cli", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_results(process: subprocess.Popen[str], path: Path, least: int) -> None:
    deadline = time.monotonic() + SECONDS
    while stored(path) < least:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "no results came"
        time.sleep(0.02)


def wait_for_end(group: int) -> None:
    """Of every process of the group; nobody may be left to collect the dead ones."""
    deadline = time.monotonic() + SECONDS
    while True:
        alive = []
        for process in psutil.process_iter(["status"]):
            with contextlib.suppress(ProcessLookupError):
                if os.getpgid(process.pid) == group and process.info["status"] != "zombie":
                    alive.append(process)
        if not alive:
            return
        assert time.monotonic() < deadline, alive
        time.sleep(0.1)


def inline_digest(folder: Path) -> str:
    """The digest of the same study, run in this process."""
    study = load_study(folder / "study.toml")
    with Store.create_or_open(folder / "inline.db", study) as store:
        execute(study, store, workers=0)
        return store.digest()


def test_a_study_from_start_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, a bar with the time left, and only what is missing the next time."""
    arguments = [*written(tmp_path), "--workers", "0"]
    assert main([*arguments, "--replicates", "2"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("6 of 6 runs in ")
    assert f"the results are in {tmp_path / 'study.db'}" in out
    assert "small: 100%" in err
    assert "6/6" in err
    assert main([*arguments, "--replicates", "3"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("3 of 9 runs in ")
    assert "6/9" in err
    with Store.open(tmp_path / "study.db") as store:
        assert len(list(store.results())) == 9


def test_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, each named, and again the next time; run again only on request."""
    bad = broken(1).options["bad"]
    arguments = [*written(tmp_path, bad=bad), "--workers", "0", "--replicates", "2"]
    for extra, ran in (([], 6), ([], 0), (["--retry-failed"], 3)):
        assert main([*arguments, *extra]) == 1
        out, err = capsys.readouterr()
        assert out.startswith(f"{ran} of 6 runs in ")
        assert "3 of 6 runs failed:" in err
        assert "  PE on Broken, replicate 1: RuntimeError: the thermometer broke\n" in err
        assert "--retry-failed" in err
        assert ("failed=3" in err) == (ran > 0)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (["--config", "none.toml"], "expected a study in none.toml; got No such file"),
        (["--out", "no/such/folder/study.db"], "expected a folder no/such/folder"),
    ],
)
def test_bad_input(
    change: list[str], what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one line that says what to do."""
    assert main([*written(tmp_path), *change]) == 2
    err = capsys.readouterr().err
    assert err.splitlines()[-1].startswith("ucbpe study: expected ")
    assert what in err
    assert "Traceback" not in err


FLAGS = ("--allow-downloads", "--class", "--inventory", "--live", "--playground", "--retry-failed")


def wrong_values(folder: Path) -> dict[str, tuple[list[str], dict[str, list[str]]]]:
    """By command, what it needs, and wrong values of everything that it takes."""
    (folder / "noise").write_bytes(bytes(range(256)))
    (folder / "list.json").write_text('["ada"]', encoding="utf-8")
    here, noise, nowhere = str(folder), str(folder / "noise"), str(folder / "nowhere" / "x")
    plugin = {"--plugin": [f"{nowhere}.py", "no.such.module", noise]}
    app = {
        "--basic-auth": [here, noise, nowhere, str(folder / "list.json")],
        "--oauth-provider": ["nobody", "pam", "github"],  # the last without its key
        "--log-level": ["loud"],
        "--lessons": [nowhere, noise, here],
        "--port": ["0", "x", "65536"],
        "--address": ["::1", ""],
        "--allow-websocket-origin": ["a:b:c"],
        "--num-procs": ["0", "two"],
        "--prefix": ["lab", "/a b"],
        "--frame-ancestor": ["course.example.org"],
    }
    study = {
        "--config": [nowhere, noise, here],
        "--out": [f"{nowhere}.db", here, noise],
        "--scheduler": ["nonsense"],
        "--workers": ["-1", "two"],
        "--replicates": ["0"],
    }
    site = {
        "FOLDER": [noise],
        "--lessons": [nowhere, noise],
        "--only": ["no-such-lesson"],
        "--chapters": [nowhere, noise, here],
    }
    kept = str(folder / "lesson.html")
    return {
        "app": ([], {**app, **plugin}),
        "study": (written(folder)[1:], {**study, **plugin}),
        "lesson": (["--link", "preset=figure-1", "--out", kept], {
            "--link": ["preset=figure-1&event=never"], "--out": [nowhere, here], **plugin,
        }),
        "playground": ([], {"PATH": [nowhere, here]}),
        "site": ([str(folder / "site")], site),
    }  # fmt: skip


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_a_wrong_value_is_said_in_one_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """Exit code 2, or 1 of a lesson's link, of which the rest is used."""
    monkeypatch.chdir(tmp_path)
    needed, values = wrong_values(tmp_path)[command]
    with pytest.raises(SystemExit):
        main([command, "--help"])
    options = {*re.findall(r"^  (--[a-z-]+)", capsys.readouterr().out, re.MULTILINE)} - {"--help"}
    assert options - set(FLAGS) == {name for name in values if name.startswith("--")}
    wrong = [(name, value) for name, every in values.items() for value in every]
    wrong += [(flag, "yes") for flag in options & set(FLAGS)]
    for name, value in wrong:
        given = [f"{name}={value}"] if name.startswith("--") else [value]
        own = [] if name == "FOLDER" else needed
        try:
            code = main([command, *own, *given])
        except SystemExit as ended:
            code = ended.code
        err = capsys.readouterr().err
        assert code == (1 if name == "--link" else 2), (name, value, err)
        lines = err.splitlines()
        assert len(lines) == 1 or name == "--lessons", err  # each mistake of a lesson has its own
        assert all(line.startswith(f"ucbpe {command}: ") for line in lines), (name, value, err)
        assert not re.search(r"Errno|Traceback|[.]tmp|\x1b", err), (name, value, err)


def test_a_provider_is_not_asked_with_a_key_that_encrypts_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its key and secret, all that is wrong is said before the server listens."""
    monkeypatch.setenv("PANEL_OAUTH_KEY", "the-laboratory")
    monkeypatch.setenv("PANEL_OAUTH_SECRET", "a secret")
    monkeypatch.setenv("PANEL_OAUTH_ENCRYPTION", "short")
    assert main(["app", "--oauth-provider", "github"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "expected PANEL_OAUTH_ENCRYPTION" in line


def test_a_name_cannot_move_the_terminal_s_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*written(tmp_path, bad=broken(1).options["bad"]), "--workers", "0"]
    path = tmp_path / "study.toml"
    text = path.read_text(encoding="utf-8")
    for name in ("small", "PE"):
        text = text.replace(f'"{name}"', f'"{name}\\u001b[31m"')
    path.write_text(text, encoding="utf-8")
    assert main([*arguments, "--replicates", "2"]) == 1
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert r"small\x1b[31m" in err
    assert r"PE\x1b[31m on Broken, replicate 1: " in err


def test_a_scheduler(tmp_path: Path) -> None:
    """Its workers run the study, to the same results."""
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        assert main([*written(tmp_path), "--scheduler", address]) == 0
    with Store.open(tmp_path / "study.db") as store:
        assert store.digest() == inline_digest(tmp_path)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_no_scheduler(address: str, tmp_path: Path) -> None:
    """Nothing listens at the address, or it is none: one line, and the process ends."""
    done = subprocess.run(
        [sys.executable, "-m", "ucbpe_app.cli", *written(tmp_path), "--scheduler", address],
        cwd=ROOT,
        env={**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"ucbpe study: expected a Dask scheduler at {address}; got ")
    assert done.stderr.count("\n") == 1


def test_a_scheduler_without_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ucbpe_app.commands.study._WORKER_SECONDS", 0.5)
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        assert main([*written(tmp_path), "--scheduler", cluster.scheduler_address]) == 2
    assert "got none in 0.5 s; start one: dask worker tcp://" in capsys.readouterr().err


@pytest.mark.slow
def test_the_client_is_killed(tmp_path: Path) -> None:
    """At once, without a word; then only what is missing runs, to the same tables."""
    arguments = [*written(tmp_path, patience=0.2), "--workers", "1"]
    path = tmp_path / "study.db"
    process = started(arguments)
    wait_for_results(process, path, 5)
    process.kill()
    process.communicate()
    wait_for_end(process.pid)
    kept = stored(path)
    assert 5 <= kept < RUNS
    done = started(arguments)
    out, err = done.communicate(timeout=SECONDS)
    assert done.returncode == 0, err
    assert out.startswith(f"{RUNS - kept} of {RUNS} runs in ")
    with Store.open(path) as store:
        assert store.digest() == inline_digest(tmp_path)


@pytest.mark.slow
def test_ctrl_c(tmp_path: Path) -> None:
    """130, how to go on, no traceback of client or workers, and no process left behind."""
    arguments = [*written(tmp_path, patience=0.2), "--workers", "1"]
    path = tmp_path / "study.db"
    process = started(arguments)
    wait_for_results(process, path, 3)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "Stopping. Ctrl-C again: at once." in err
    assert f"Interrupted: {stored(path)} of {RUNS} runs are stored." in err
    assert f"To continue:  ucbpe {' '.join(arguments)}" in err
    assert "Traceback" not in err
    wait_for_end(process.pid)
    assert main([*written(tmp_path, patience=0.2), "--workers", "0"]) == 0
    with Store.open(path) as store:
        assert store.digest() == inline_digest(tmp_path)


def test_an_interrupt_that_was_lost_comes_again() -> None:
    """As where it is raised in a callback of a library, which prints it and goes on."""
    code = """
import os, signal, time
from ucbpe_app.commands.study import _asked_to_stop
before = signal.getsignal(signal.SIGINT)
try:
    with _asked_to_stop() as asked:
        os.kill(os.getpid(), signal.SIGINT)
        assert asked.done()
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(600)
        except KeyboardInterrupt:
            pass
        time.sleep(600)
except KeyboardInterrupt:
    time.sleep(1)  # and not once more
    assert signal.getsignal(signal.SIGINT) is before
    print("ended")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.stdout == "ended\n", done.stderr


def test_a_light_start() -> None:
    """Reading the arguments imports neither Panel nor SciPy nor Dask."""
    code = (
        "import sys, ucbpe_app.cli; print([m for m in "
        "('panel', 'bokeh', 'holoviews', 'matplotlib', 'scipy', 'dask') if m in sys.modules])"
    )
    assert printed(code) == "[]"


def test_the_package_s_name_is_the_command() -> None:
    """And the library says the version that the command says."""
    command = [sys.executable, "-m", "ucbpe", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"ucbpe {ucbpe_core.__version__}\n"
    assert ucbpe.__version__ == ucbpe_core.__version__
    done = subprocess.run(command[:-1], cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(f"\n    {name}" in done.stdout for name in cli.COMMANDS)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ucbpe_core.__version__ == project["version"]


@pytest.mark.parametrize(
    ("said", "kept"), [({}, "1 1 1"), ({"OMP_NUM_THREADS": "2"}, "None 2 None")]
)
def test_a_command_computes_in_one_thread_unless_the_environment_says_how_many(
    said: dict[str, str], kept: str
) -> None:
    """Set before NumPy and SciPy are loaded, each with a BLAS of its own."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    code = f"""
import os
from ucbpe_app import cli
def run(arguments):
    import numpy, scipy.linalg, threadpoolctl
    found = threadpoolctl.threadpool_info()
    print(*map(os.environ.get, {names}), *(one["num_threads"] for one in found))
    return 0
cli.COMMANDS["site"].run = run
cli.main(["site", "x"])
"""
    environment = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**environment, **said}, cwd=ROOT, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    rest = done.stdout.split()
    assert " ".join(rest[:3]) == kept
    assert said or set(rest[3:]) == {"1"}
