"""Data flow one way: what each module may import, read from the source.

Both packages are a stack of layers. A module imports its own layer and those before it. A module
that is new at the top level of a package needs a place in `CORE` or `APP`: put it where what it
needs comes before it, and what needs it comes after.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import printed
from tools.imports import FROM, ROOT, imports, module_name, sources

CORE = (
    ("errors",),
    ("extras",),
    ("assignment", "limits", "validation"),
    ("streams", "plugins", "evaluation"),
    ("linalg",),
    ("kernels",),
    ("rows", "ties"),
    ("gp",),
    ("conditioning",),
    ("parts",),
    ("fitting", "posterior"),
    ("large", "plausibility", "inputs"),
    ("space",),
    ("confidence", "schedules"),
    ("region",),
    ("policies",),
    ("problems",),
    ("regret",),
    ("run",),
    ("plan",),
    ("steps",),
    ("history",),
    ("records",),
    ("trace",),
    ("handle",),
    ("saving",),
    ("asktell",),
    ("bandit", "box", "simulation"),
    ("minimization", "connect"),
    ("experiment",),
    ("theory",),
    ("study",),
)
APP = (
    ("private", "theme", "line_styles"),
    ("tasks",),
    ("run",),
    ("query",),
    ("plots",),
    ("report",),
    ("lessons",),
    ("links",),
    ("markup",),
    ("figures",),
    ("components",),
    ("beside",),
    ("run_view", "export"),
    ("notebook",),
    ("pages",),
    ("server",),
    ("main", "app_hooks"),
    ("commands",),
    ("cli",),
)

PAGES = ("step", "race", "study", "theory", "problem")

VIEWS = (
    "ucbpe_app.figures",
    "ucbpe_app.components",
    *(f"ucbpe_app.pages.{page}.views" for page in PAGES if page != "step"),
)
COMPUTING = (
    "ucbpe_app.run.cache",
    "ucbpe_app.pages.session",
    "ucbpe_core.policies",
    "ucbpe_core.simulation",
    "ucbpe_core.asktell",
    "ucbpe_core.bandit",
    "ucbpe_core.posterior",
)

# What the order of the layers alone would let pass: (module, what it never imports, why).
BANNED = (
    (
        "ucbpe_core",
        ("ucbpe_app", "panel", "panel_material_ui", "holoviews", "bokeh", "param"),
        "the core serves scripts and notebooks without a dashboard",
    ),
    ("ucbpe_core.asktell", ("ucbpe_core.problems",), "a real experiment has no known problem"),
    ("ucbpe_core.bandit", ("ucbpe_core.problems",), "a real experiment has no known problem"),
    ("ucbpe_core.box", ("ucbpe_core.problems",), "a real experiment has no known problem"),
    ("ucbpe_core.problems", ("ucbpe_core.policies",), "a problem is data"),
    (
        "ucbpe_app.run",
        ("panel", "panel_material_ui", "holoviews", "bokeh", "ucbpe_app.tasks.worker"),
        "computing knows neither widgets nor sessions",
    ),
    *(
        (
            f"ucbpe_app.run.{name}",
            ("param", "ucbpe_app.run.cache"),
            "a frame is pure NumPy, computed from a trace",
        )
        for name in ("frames", "replay")
    ),
    *((views, COMPUTING, "a view draws a frame and decides nothing") for views in VIEWS),
    *(
        (
            f"ucbpe_app.pages.{page}",
            tuple(f"ucbpe_app.pages.{other}" for other in PAGES if other != page),
            "what two pages need stands once, beside the pages",
        )
        for page in PAGES
    ),
)
HEAVY = (
    *("panel", "panel_material_ui", "holoviews", "bokeh", "param", "ucbpe_app"),
    *("dask", "distributed", "matplotlib", "pandas", "pooch", "tqdm", "sqlite3", "cattrs"),
    *(f"ucbpe_core.{name}" for name in ("study", "theory", "experiment", "records", "box")),
    # A second of import between them; loaded when a search, a fit or a rare kernel needs them.
    *("scipy.fft", "scipy.optimize", "scipy.sparse", "scipy.spatial", "scipy.special"),
    *("scipy.stats", "scipy.integrate", "scipy.interpolate"),
)


def within(module: str, ancestor: str) -> bool:
    return module == ancestor or module.startswith(ancestor + ".")


def in_layers(package: str) -> list[Path]:
    """Return the modules of `package` but its ``__init__``, which may gather from every layer."""
    own = {FROM[package] / package / "__init__.py", FROM[package] / package / "__main__.py"}
    return [path for path in sources(package) if path not in own]


def layer_of(package: str, order: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    return {f"{package}.{name}": level for level, layer in enumerate(order) for name in layer}


@pytest.mark.parametrize(("package", "order"), [("ucbpe_core", CORE), ("ucbpe_app", APP)])
def test_every_module_has_a_layer(package, order):
    known = layer_of(package, order)
    new = {".".join(module_name(path).split(".")[:2]) for path in in_layers(package)} - set(known)
    assert not new, (
        f"expected every module of {package} to have a layer, got {sorted(new)} without; "
        f"add each to {'CORE' if package == 'ucbpe_core' else 'APP'} in {Path(__file__).name}, "
        f"after what it imports and before what imports it"
    )


@pytest.mark.parametrize(("package", "order"), [("ucbpe_core", CORE), ("ucbpe_app", APP)])
def test_imports_go_one_way(package, order):
    level = layer_of(package, order)
    backwards = []
    for path in in_layers(package):
        own = ".".join(module_name(path).split(".")[:2])
        for target, line in imports(path):
            imported = ".".join(target.split(".")[:2])
            if level.get(imported, -1) > level.get(own, len(order)):
                backwards.append(f"{path.relative_to(ROOT)}:{line} imports {target}")
            if target == package:
                backwards.append(f"{path.relative_to(ROOT)}:{line} imports {package} as a whole")
    assert not backwards, f"expected imports of earlier layers only, got {backwards}"


@pytest.mark.parametrize(("module", "banned", "why"), BANNED, ids=[row[0] for row in BANNED])
def test_banned_imports(module, banned, why):
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for path in sources(module.split(".")[0])
        if within(module_name(path), module)
        for target, line in imports(path)
        if any(within(target, name) for name in banned)
    ]
    assert not found, f"expected {module} without {banned} ({why}), got {found}"


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return the modules that `start` imports, by way of others too."""
    found, unvisited = set[str](), [start]
    while unvisited:
        new = graph[unvisited.pop()] - found
        found |= new
        unvisited += new
    return found


def test_no_two_modules_of_the_core_need_each_other():
    """Types included: what is checked together is read together."""
    paths = {module_name(path): path for path in sources("ucbpe_core")}
    graph = {
        module: {target for target, _ in imports(path, types=True) if target in paths} - {module}
        for module, path in paths.items()
    }
    assert graph["ucbpe_core.parts"] >= {"ucbpe_core.conditioning", "ucbpe_core.rows"}
    ahead = {module: reachable(graph, module) for module in graph}
    circles = {
        frozenset(other for other in ahead[module] if module in ahead[other])
        for module in graph
        if module in ahead[module]
    }
    got = sorted(map(sorted, circles))
    assert not got, f"expected no modules that import each other, got {got}"


def test_importing_the_core_loads_numpy_and_scipys_linalg_alone():
    code = f"import sys, ucbpe_core; print([m for m in {HEAVY} if m in sys.modules])"
    assert printed(code) == "[]"
