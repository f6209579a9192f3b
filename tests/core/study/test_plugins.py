"""Code that a study may name: that of this package, and of plugins that its user named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.study.studies import small
from ucbpe_core import InputError, use_plugin
from ucbpe_core.study import ProblemPlan, Store, load_study
from ucbpe_core.study.task import attempt
from ucbpe_core.support import plugins

STUDY = """
name = "plugin"
replicates = 2
batches = 2
initial = 3
problems = [{{ label = "P", problem = "{problem}", options = {options} }}]
policies = [{{ label = "R", policy = "Random search" }}]
"""
PLUGIN = """
from ucbpe_core import problems

def mine(seed=0, size=30):
    return problems.generated_gp(seed, resolution=size)
"""


def written(folder: Path, problem: str, options: str = "{}") -> Path:
    path = folder / "study.toml"
    path.write_text(STUDY.format(problem=problem, options=options), encoding="utf-8")
    return path


def run_first(path: Path) -> None:
    """The first run of a study."""
    study = load_study(path)
    attempt(study, study.tasks()[0])


def test_a_study_runs_no_function_that_it_names(folder: Path) -> None:
    """Of the standard library, as a problem whose options are the arguments."""
    trace = folder / "it-ran"
    path = written(folder, "subprocess:getoutput", f'{{ cmd = "touch {trace}" }}')
    with pytest.raises(InputError, match=r"plugin; got none named subprocess; name .*--plugin"):
        run_first(path)
    assert not trace.exists()


def test_a_study_imports_no_module_that_it_names(folder: Path) -> None:
    """Importing one runs it; neither a study nor a store does."""
    (folder / "named_by_a_study.py").write_text("raise SystemExit('it ran')", encoding="utf-8")
    with pytest.raises(InputError, match="none named named_by_a_study"):
        load_study(written(folder, "named_by_a_study:x"))
    (folder / "mine_once.py").write_text(PLUGIN, encoding="utf-8")
    use_plugin("mine_once")
    Store.create_or_open(
        folder / "s.db", small(problems=[ProblemPlan("P", "mine_once:mine")])
    ).close()
    del plugins._modules["mine_once"]
    with pytest.raises(InputError, match="none named mine_once"):
        Store.open(folder / "s.db")


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("random.py", PLUGIN, "an unused module name .* module random; rename the file"),
        ("two words.py", PLUGIN, "two words, not an identifier; rename the file"),
        ("broken_one.py", "1 / 0", "importable; got ZeroDivisionError: division by zero"),
    ],
)
def test_bad_files(folder: Path, name: str, text: str, what: str) -> None:
    before = plugins.plugins()
    (folder / "inner").mkdir()
    file = folder / "inner" / name
    file.write_text(text, encoding="utf-8")
    for _ in range(2):
        with pytest.raises(InputError, match=what):
            use_plugin(str(file))
    assert plugins.plugins() == before
