"""The pages of the API: every public name of `ucbpe_core`, once, under the shortest name it has."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tools.docs.sources import ROOT

CORE = "ucbpe_core"


class Entry(NamedTuple):
    """A name, the module that people import it from, and what it is: class, function or data."""

    module: str
    name: str
    kind: str


class Page(NamedTuple):
    """A page: its title, a sentence, the modules whose public names it has."""

    title: str
    words: str
    modules: tuple[str, ...]


PAGES = {
    "bandits": Page(
        "Ask and tell",
        "Choose real experiments: on a list of candidates, on a box, or as one call.",
        ("search.bandit", "search.box", "spaces", "search.minimization", "search.search"),
    ),
    "experiment": Page(
        "Experiments",
        "A bandit with its history, [in a file](../files.md).",
        ("search.experiment",),
    ),
    "processes": Page(
        "Gaussian processes",
        "Priors, posteriors, and fits of their hyperparameters.",
        ("gp.process", "gp.posterior", "gp.fitting"),
    ),
    "kernels": Page(
        "Kernels", "`k1 + k2`, `k1 * k2` and `k.on(inputs)` are kernels too.", ("gp.kernels",)
    ),
    "policies": Page(
        "Policies",
        "[A picture of each](../which-rule.md). [Add one](../extend.md).",
        ("policies", "gp.region"),
    ),
    "schedules": Page(
        "Schedules of β", "What the width of the band follows.", ("policies.schedules",)
    ),
    "problems": Page(
        "Problems", "Functions to search, with their candidates, noise and source.", ("problems",)
    ),
    "simulation": Page(
        "Simulated runs", "A run, [its file](../files.md), and its regret.",
        ("search.simulation", "history.workers", "history.trace", "history.regret"),
    ),
    "foreign": Page(
        "Runs of other tools", "Why each point of [a run of Optuna, Ax and others](../connect.md).",
        ("foreign",),
    ),
    "theory": Page("Theory", "What is proved, looked at on a run.", ("theory",)),
    "study": Page(
        "Studies", "Replicated comparisons, [on any number of processes](../compare.md#study).",
        ("study", "study.summarise"),
    ),
    "connect": Page(
        "Connections",
        "With [other libraries](../connect.md); each module imports its own.",
        ("connect.optuna",),
    ),
    "plugins": Page(
        "Plugins",
        "Kernels, policies, schedules and problems [of yours](../extend.md).",
        ("support.plugins",),
    ),
    "inducing": Page(
        "Many results",
        "Approximate posteriors, [with bounds](../developers.md#many-observations).",
        ("gp.inducing",),
    ),
    "errors": Page(
        "Errors", "Each says what was expected, what was got, and what to do.", ("errors",)
    ),
}  # fmt: skip


# Modules of which only what the package offers at its top is public.
INTERNAL = {
    f"{CORE}.{one}"
    for one in (
        "gp.posterior", "gp.region", "history.trace",
        "search.bandit", "search.minimization", "search.search",
    )
}  # fmt: skip
WITHOUT_ALL = (
    INTERNAL
    | {
        f"{CORE}.{one}"
        for page in PAGES.values()
        for one in page.modules
        if one.startswith("connect.")
    }
    | {f"{CORE}.{one}" for one in ("history.regret", "study.summarise", "support.plugins")}
)
# Classes that have much of what they do from a base that is on no page.
WITH_INHERITED = ("Bandit", "BoxBandit", "Experiment", "Trace")


def public(module: str) -> dict[str, str]:
    """The public names of a module, and what each is for Sphinx: class, function or data.

    Those of `__all__`, else what it defines: read from its text, as it may connect with a library
    that is not installed.
    """
    if module not in WITHOUT_ALL:
        own = import_module(module)
        items = {name: getattr(own, name) for name in sorted(own.__all__, key=str.lower)}
        return {
            name: _kind(item) for name, item in items.items() if not isinstance(item, ModuleType)
        }
    path = ROOT / Path(*module.split(".")).with_suffix(".py")
    kinds = {ast.ClassDef: "class", ast.FunctionDef: "function"}
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {
        one.name: kinds[type(one)]
        for one in body
        if isinstance(one, ast.ClassDef | ast.FunctionDef) and not one.name.startswith("_")
    }


def entries() -> dict[str, list[Entry]]:
    """What is on each page. A name at the top of the package is on the page of its module."""
    top, seen = public(CORE), set[str]()
    pages = {}
    for page, (_, _, modules) in PAGES.items():
        found = []
        for module in (f"{CORE}.{one}" for one in modules):
            for name, kind in public(module).items():
                place = CORE if name in top else module
                if f"{place}.{name}" not in seen and (name in top or module not in INTERNAL):
                    seen.add(f"{place}.{name}")
                    found.append(Entry(place, name, kind))
        pages[page] = found
    return pages


def _kind(item: object) -> str:
    return "class" if inspect.isclass(item) else "function" if callable(item) else "data"


def write(folder: Path) -> None:
    """Write a page for each of `PAGES`, and an index."""
    folder.mkdir(parents=True)
    rows = []
    for name, found in entries().items():
        title, words, _ = PAGES[name]
        names = ", ".join(f"{{py:obj}}`{one.name} <{one.module}.{one.name}>`" for one in found)
        rows.append(f"| [{title}]({name}.md) | {names} |")
        parts = [f"# {title}", words, *map(_documented, found)]
        (folder / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    tree = "\n".join(["```{toctree}", ":hidden:", "", *PAGES, "```"])
    index = ["# API reference", WORDS, "\n".join(["| | |", "|---|---|", *rows]), tree]
    (folder / "index.md").write_text("\n\n".join(index) + "\n", encoding="utf-8")


WORDS = """\
All public names of `ucbpe_core`. Arrays have their shapes in parentheses: M candidates, d inputs,
n observations, K picks of a batch, T batches. Randomness is given as a `seed`, and records are
frozen. What is shown as `ucbpe_core.Name` is imported from there."""


def _documented(entry: Entry) -> str:
    """One object, documented where people import it from."""
    options = {"class": ["   :members:"], "data": ["   :no-value:"]}.get(entry.kind, [])
    if entry.name in WITH_INHERITED:
        options.append("   :inherited-members:")
    directive = f".. auto{entry.kind}:: {entry.module}.{entry.name}"
    return "\n".join(["```{eval-rst}", ".. highlight:: python", "", directive, *options, "```"])
