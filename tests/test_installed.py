"""The dashboard as installed from a wheel, served from a folder that knows nothing of it."""

from __future__ import annotations

import ast
import os
import re
import socket
import subprocess
import sys
import sysconfig
import textwrap
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tools import npm

ROOT = Path(__file__).parents[1]
USER = (ROOT / "tests" / "data" / "user_file.py").read_text(encoding="utf-8")
# What a checker has to find: a setting of the wrong type, and a name that is not there.
MISTAKES = ("Matern(nu='2.5')", "print(ucbpe_core.Bandits)")
START_SECONDS = 120  # beside other tests on two cores
# The two commands at the head of "Running it for others".
COMMANDS = re.findall(
    r"(?m)^    ((?:ucbpe app|panel serve) .*)$",
    (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8").partition("\n## ")[0],
)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


def installed(wheel: Path, folder: Path) -> tuple[Path, Path]:
    """The Python and the packages' folder of a new environment that has nothing but the wheel."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, env={**os.environ, "PIP_CONSTRAINT": ""})
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    return python, site


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a new environment: the wheel, and this environment's other packages."""
    python, site = installed(wheel, tmp_path_factory.mktemp("installed"))
    # Without the .pth files that stand there: one of them leads to this checkout.
    (site / "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    panel = python.with_name("panel")
    panel.write_text(f"#!{python}\nfrom panel.command import main\nmain()\n", encoding="utf-8")
    panel.chmod(0o755)
    return python.parent


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answer(url: str, process: subprocess.Popen[bytes]) -> str:
    """What the server says once it listens."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None
        try:
            with urllib.request.urlopen(url, timeout=START_SECONDS) as response:
                return response.read().decode()
        except urllib.error.HTTPError:
            raise
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"expected an answer from {url}, got none within {START_SECONDS} s")


def test_the_wheel_is_what_is_imported(programs: Path, tmp_path: Path) -> None:
    code = "import ucbpe_app, ucbpe_core; print(ucbpe_app.__file__, ucbpe_core.__file__)"
    command = [str(programs / "python"), "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert all(Path(one).is_relative_to(programs.parent) for one in done.stdout.split())


def environment_of(programs: Path) -> dict[str, str]:
    """In which the wheel's commands are found, and this checkout is not."""
    known = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    known.pop("PYTHONPATH", None)
    return known


@pytest.mark.parametrize("command", [*COMMANDS, "python -m ucbpe app"])
def test_it_is_served_beside_somebodys_own_app(
    command: str, programs: Path, tmp_path: Path
) -> None:
    """In a folder whose files have the names of folders here: none of them is imported."""
    assert [one.split()[0] for one in COMMANDS] == ["ucbpe", "panel"]
    for name in ("app", "main", "tests", "tools"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('mine')", encoding="utf-8")
    port, log = free_port(), tmp_path / "log.txt"
    # One process, here alone: what else the line shows is not to do with where it is typed.
    typed = re.sub(r" --(?:port|address|num-procs) \S+", "", command) + f" --port {port}"
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            ["bash", "-c", f"exec {typed}"], cwd=tmp_path, env=environment_of(programs),
            stdout=stream, stderr=subprocess.STDOUT,
        ) as process,
    ):  # fmt: skip
        try:
            page = answer(f"http://127.0.0.1:{port}/", process)
        finally:
            process.terminate()
            said = log.read_text(encoding="utf-8", errors="replace")
    assert "GP-UCB-PE laboratory" in page
    assert "Traceback" not in said


def command_of(checker: str, python: Path) -> list[str]:
    """Checks files with the packages of an interpreter and no settings; skips where it is not."""
    if checker == "mypy":
        pytest.importorskip("mypy")
        strict = ["--strict", "--config-file=", "--python-executable", str(python)]
        return [sys.executable, "-m", "mypy", *strict]
    try:
        program = npm.package("pyright") / "index.js"
    except npm.NoPackageError as error:
        pytest.skip(str(error))
    return ["node", str(program), "--warnings", "--pythonpath", str(python)]


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_users_file_is_typed(checker: str, programs: Path, tmp_path: Path) -> None:
    """Each mistake that is put into it is found, at its line, and nothing else."""
    file = tmp_path / "user.py"
    file.write_text("\n".join([USER, *MISTAKES, ""]), encoding="utf-8")
    done = subprocess.run(
        [*command_of(checker, programs / "python"), str(file)], cwd=tmp_path,
        env=environment_of(programs), capture_output=True, text=True, check=False,
    )  # fmt: skip
    first = len(USER.split("\n")) + 1
    found = re.findall(r"\.py:(\d+).*(?:error|warning):", done.stdout)
    assert [int(line) for line in found] == [first, first + 1], done.stdout + done.stderr


def test_that_file_runs(programs: Path, tmp_path: Path) -> None:
    call = """
    X = np.linspace(0, 1, 30)[:, None]
    assert belief(X[:5], np.sin(6 * X[:5, 0])).shape == (5,)
    assert len(finite(X, Path("bandit.json"))) == 3
    assert anywhere().shape == (2, 2)
    assert simulated(Path("trace.json")).digest
    assert 0 <= measured(X) < 30
    assert len(replicated().tasks()) == 2
    assert version()["version"][0].isdigit()
    """
    (tmp_path / "user.py").write_text(USER + textwrap.dedent(call), encoding="utf-8")
    subprocess.run(
        [programs / "python", "user.py"], cwd=tmp_path, env=environment_of(programs), check=True
    )


# NumPy and SciPy; cattrs with what it needs and threadpoolctl: pure Python, and small.
BENEATH = (
    *("numpy", "numpy.libs", "scipy", "scipy.libs"),
    *("cattrs", "attrs", "attr", "typing_extensions.py", "threadpoolctl.py"),
)
BARE = """
import importlib.metadata, sys
import numpy as np
from ucbpe_core import GPUCBPE, Bandit, GaussianProcess, Matern, problems, simulate, study, Trace
from ucbpe_core import fit_hyperparameters

trace = simulate(problems.himmelblau(), GPUCBPE(3), batches=2, initial=4)
trace.save("run.json")
assert Trace.load("run.json").digest == trace.digest
X = problems.himmelblau().candidates
gp = fit_hyperparameters(GaussianProcess(Matern(nu=2.5)), X[::50], np.sin(X[::50, 0])).gp
assert len(Bandit(X, gp, GPUCBPE(3)).ask().indices) == 3
for name in ("pandas", "dask", "panel", "pooch", "matplotlib"):
    assert name not in sys.modules
try:
    problems.abalone()
except ValueError as error:
    print(error)
try:
    study.Result("problem", "policy", 0).to_frame()
except ValueError as error:
    print(error)
print(importlib.metadata.requires("ucbpe"))
"""


def test_numpy_and_scipy_are_enough_for_the_core(wheel: Path, tmp_path: Path) -> None:
    """In an environment that has nothing else; what lacks an extra names it."""
    python, site = installed(wheel, tmp_path)
    for name in BENEATH:
        source = Path(sysconfig.get_path("purelib")) / name
        if source.exists():
            (site / name).symlink_to(source)
    environment = {**os.environ, "UCBPE_DATA_DIR": ""}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [str(python), "-c", BARE], cwd=tmp_path, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    refusal, study, requires = done.stdout.splitlines()
    for said in (refusal, study):
        assert "pip install 'ucbpe[study]'" in said
    always = [one for one in ast.literal_eval(requires) if "extra ==" not in one]
    assert sorted(re.split("[<>=]", one)[0] for one in always) == [
        *("cattrs", "numpy", "scipy", "threadpoolctl"),
    ]
    command = [str(python), "-m", "ucbpe_app.cli", "app"]
    served = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert served.returncode == 2
    assert "pip install 'ucbpe[app]'" in served.stderr
