"""What a playground can start with: every function of one or two inputs, and the lessons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ucbpe_app.export.lesson.live import require_computed
from ucbpe_app.lessons import offered
from ucbpe_app.run.cache import load
from ucbpe_app.run.choices import PROBLEM_NAMES
from ucbpe_app.run.events import closest
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.settings import RunSpec
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
