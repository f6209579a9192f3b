"""The laboratory as one file: all functions of one or two inputs and the lessons, as its starts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bokeh.models import ColumnDataSource

from ucbpe_app.engine.parts import engine_parts, modules, named_parts, require_computed, run_parts
from ucbpe_app.engine.tables import RANDOM, plain, problem_tables
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.files.page import file_of
from ucbpe_app.files.recording import Values, page_parts, record
from ucbpe_app.lessons import offered
from ucbpe_app.pictures.asked import asking_of
from ucbpe_app.pictures.atlas import MEASURES, TABS
from ucbpe_app.pictures.joint import LOOKS
from ucbpe_app.render.bokeh import ROOMIER
from ucbpe_app.render.glyphs import LARGER, THICKER
from ucbpe_app.render.view import main_kind
from ucbpe_app.run.atlas import FACTOR, LEAST_REGRET, Atlas
from ucbpe_app.run.cache import load
from ucbpe_app.run.choices import PROBLEM_NAMES
from ucbpe_app.run.events import closest
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences.texts import say
from ucbpe_app.run.settings import RunSpec, problem_of
from ucbpe_app.widgets.bar_buttons import FACTORS, Present, PresentKeys
from ucbpe_app.widgets.tabs import LARGE
from ucbpe_core.errors import InputError
from ucbpe_core.support import streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.run.replay import Replay


LESSONS, FUNCTIONS, DRAWN = "Lessons", "Functions", "Draws from a Gaussian process"

# Of one or two inputs, with the seeds of those that are random: a table over two takes 110 kB.
_PROBLEMS = {
    "multimodal": (0,),
    "thin_peak": (0,),
    "figure1": (0,),
    "himmelblau": (0,),
    "gaussian_mixture": (0,),
    "generated_gp_1d": range(10),
    "generated_gp": range(2),
}
_DEFAULTS = {"schedule": "Constant", "beta": 4.0, "batch_size": 4, "batches": 10}


@dataclass(frozen=True, eq=False)
class Start:
    """A run to begin with.

    Attributes
    ----------
    name, title, group : in the address and in the menu
    spec, replay : its settings and its run
    layers, event : what is shown, and the index of the event
    about : its caption, if it is a lesson
    drawn : whether a person draws the function: that of `spec` has but its candidates
    """

    name: str
    title: str
    group: str
    spec: RunSpec
    replay: Replay
    layers: Layers
    event: int = 0
    about: Lesson | None = None
    drawn: bool = False

    @property
    def function(self) -> str:
        """Names the table of its function: starts of the same one share that."""
        return f"{self.spec.problem} {self.spec.problem_seed}"


def starts() -> tuple[Start, ...]:
    """The lessons that a browser computes, then the functions; the first is the one to open."""
    functions = tuple(_functions())
    own = replace(functions[0], name="own", title="Draw your own curve", drawn=True)
    return (*_lessons(), own, *functions)


def _lessons() -> Iterator[Start]:
    for lesson in offered():
        spec = lesson.spec()
        replay = load(spec)
        try:
            require_computed(replay)
        except InputError:
            continue  # its file plays it back
        layers = Layers.of(lesson.layers, plain=lesson.plain)
        event = closest(replay.events, lesson.event)
        yield Start(
            lesson.slug, lesson.title, LESSONS, spec, replay, layers, event, lesson
        )  # fmt: skip


def _functions() -> Iterator[Start]:
    for problem, seeds in _PROBLEMS.items():
        label = PROBLEM_NAMES[problem]
        default = RunSpec(**{**suggested(problem), **_DEFAULTS})
        for seed in seeds:
            spec = replace(default, problem_seed=seed)
            if len(seeds) == 1:
                yield _start(f"function-{problem}", label, FUNCTIONS, spec)
            else:
                yield _start(f"{problem}-{seed}", f"{label}, seed {seed}", DRAWN, spec)


def _start(name: str, title: str, group: str, spec: RunSpec) -> Start:
    return Start(name.replace("_", "-"), title, group, spec, load(spec), Layers())


TITLE = "GP-UCB-PE playground"
SEEDS = 10  # of the noise and the initial points, for each function
# The column of settings: what is always in sight, what is below it, and what opens.
_GROUPS: dict[str, tuple[str, ...]] = {
    "always": ("kernel", "beta", "scale"),
    "first": ("lengthscale",),
    "rule": ("policy", "K"),
    "function": (),
    "prior": (),  # all that no other group has
    "confidence": ("schedule", "delta"),
    "show": (),
    "race": (),
    "atlas": (),
    "own": (),
    "share": (),
    "left": (),
}
_PRESENTING = {"present": Present, "keys": PresentKeys}
_LARGE = [LARGE[name] for name in ("", "draws")]  # the tabs of a map with a draw
_DRAWN = "Drawn curve"  # the problem, in the table of the run
# What the file leaves out, by its text, and the command or the page of `ucbpe app` that has it.
_LEFT_OUT = {
    "policies": "ucbpe app",
    "race": "ucbpe app, then /?page=race",
    "theory": "ucbpe app, then /?page=theory",
    "problem": "ucbpe app, then /?page=problem",
    "study": "ucbpe study --config STUDY.toml --out STUDY.db",
    "class": "ucbpe app --class",
}
_SHOWN = ("truth", "draws", "stop", "bounds", "noisy", "plane", "log")


def playground(progress: Callable[[int, int], None] | None = None) -> str:
    """All of it as one HTML file.

    Parameters
    ----------
    progress : called as progress(done, total); raising in it cancels
    """
    whole, pool, values = starts(), _Pool(), Values()
    shapes = []
    for dimension in (1, 2):
        alike = [start for start in whole if start.replay.scene.dimension == dimension]
        shapes.append(_shape(alike, values, progress))
    entries = [_entry(start, pool) for start in whole]
    common = entries[0]["lexicon"]
    for entry in entries:
        own = entry["lexicon"].items()
        entry["lexicon"] = {name: words for name, words in own if words != common[name]}
    functions = {start.function: _function(start) for start in whole}
    return file_of(
        {
            "shapes": shapes,
            "functions": functions,
            "tables": pool.values,
            "starts": entries,
            "lexicon": common,
            "atlas": _atlas(whole[0]),
            "modules": modules(),
            "left": _left_out(whole),
            "presenting": _presenting(),
        },
        values,
        TITLE,
        start="playPlayground",
        beyond=("presented", "playground"),
        own=_PRESENTING,
    )


def _left_out(whole: Sequence[Start]) -> list[tuple[str, str]]:
    """What the file does not have, in words, and the command that does."""
    computed = {start.name for start in whole}
    titles = [lesson.title for lesson in offered() if lesson.slug not in computed]
    lessons = say("live.left.lessons", titles="; ".join(titles)), "ucbpe site FOLDER"
    return [lessons, *((say(f"live.left.{name}"), has) for name, has in _LEFT_OUT.items())]


def _presenting() -> dict[str, Any]:
    """What the script needs to present a page as the dashboard does."""
    return {
        "sheets": {name: one._stylesheets for name, one in _PRESENTING.items()},
        "steps": FACTORS,
        "factors": {
            "line_width": THICKER,
            "size": LARGER,
            "text_font_size": LARGER,
            "borders": ROOMIER,
        },
    }


def _look(role: str) -> dict[str, Any]:
    return dict(zip(("color", "width", "alpha"), LOOKS[role], strict=True))


def _atlas(start: Start) -> dict[str, Any]:
    """What the atlas of any run has: its scales, how far its lengthscales go, and its colours."""
    return {
        "scales": Atlas.of(start.spec).scales.tolist(),
        "factor": FACTOR,
        "least": LEAST_REGRET,
        "tabs": [(name, MEASURES[measure]) for name, measure in TABS.items()],
    }


class _Pool:
    """Distinct values, each once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: Any) -> int:
        """The number of a value, which is kept if it is new."""
        number = self._numbers.setdefault(json.dumps(value), len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


def _shape(
    alike: Sequence[Start], values: Values, progress: Callable[[int, int], None] | None
) -> dict[str, Any]:
    """The page of the starts over as many inputs: its figures, and what differs among them."""
    first = alike[0]
    page = LessonPage(
        first.replay, first.layers, first.about, None, live=True, several=True
    )  # fmt: skip
    sources = [one for one in named_parts(page.views).values() if isinstance(one, ColumnDataSource)]

    def show(i: int) -> None:
        page.open(alike[i].replay, alike[i].layers, alike[i].about)

    recording = record(
        page.panel, show, len(alike), progress, values=values, computed=sources
    )  # fmt: skip
    return {
        "tree": recording.tree,
        "document": recording.document,
        "tracks": [vars(track) for track in recording.tracks],
        "batches": [figure.id for figure in page.regret.figures],
        **page_parts(page, recording),
    }


def _entry(start: Start, pool: _Pool) -> dict[str, Any]:
    """A start as the file has it, without the tables of its function."""
    replay = start.replay
    lexicon, run = engine_parts(replay)["lexicon"], run_parts(replay, start.layers)
    asking = asking_of(start.about, replay).table(main_kind(replay.scene))
    grouped = {name for names in _GROUPS.values() for name in names}
    prior = [name for name in lexicon["controls"] if name not in grouped]
    if start.drawn:
        lexicon["run"] = [*{**dict(lexicon["run"]), say("run.problem"): _DRAWN}.items()]
    run["limits"] |= {"groups": {**_GROUPS, "prior": prior}, "shown": _SHOWN}
    seeds = range(1) if start.group == LESSONS else range(SEEDS)
    return {
        "name": start.name,
        "title": start.title,
        "group": start.group,
        "shape": replay.scene.dimension - 1,
        "function": start.function,
        "random": [_random(start, start.spec.seed + k, pool) for k in seeds],
        "codes": [event.text for event in replay.events],
        "start": start.event,
        "drawn": start.drawn,
        "seed": start.spec.seed,
        "lexicon": {
            **lexicon,
            "asking": asking,
            "looks": {"draws": _look("draws")},
            "large": _LARGE,
        },
        **run,
    }


def _random(start: Start, seed: int, pool: _Pool) -> dict[str, int]:
    """What a seed decides: the number of each of its tables."""
    spec = start.spec
    tables = problem_tables(
        problem_of(spec), initial=spec.initial, seed=seed, batches=spec.batches
    )  # fmt: skip
    tables["startNoise"] = streams.noise(seed, 0).standard_normal(spec.initial)
    names = (*RANDOM, *(["startNoise"] if start.drawn else []))
    return {name: pool.number(plain(tables[name])) for name in names}


def _function(start: Start) -> dict[str, Any]:
    """The tables that all runs of a function share."""
    problem = problem_of(start.spec)
    tables = problem_tables(problem, initial=0, seed=0, batches=1)
    shared = {name: table for name, table in tables.items() if name not in RANDOM}
    return {**plain(shared), "grid": list(problem.grid)}
