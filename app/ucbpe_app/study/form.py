"""The settings of the Study page in a row, and the policies in a menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.html import EMPTY, Html
from ucbpe_app.render.markup import Markup
from ucbpe_app.run.choices import POLICIES
from ucbpe_app.study.plan import MOST_POINTS, MOST_REPLICATES, MOST_SECONDS, StudySettings, duration
from ucbpe_app.widgets.fields import BoxesField
from ucbpe_app.widgets.layouts import WIDE, Menu
from ucbpe_app.widgets.strip import FieldStrip

if TYPE_CHECKING:
    import param

    from ucbpe_app.study.session import StudySession


_FIELDS = (
    *("problem", "batches", "batch_size", "initial", "replicates", "seed", "scale"),
    *("results", "durations"),
)
_LIMITS = (
    f"At most {MOST_REPLICATES} replicates, {MOST_POINTS} points in a run (initial points + T K) "
    f"and {duration(MOST_SECONDS)} of computing. The prior is the one that the problem suggests. "
    "Larger studies: ucbpe study, on the command line."
)
_TEXT = (
    ":host { color: var(--mui-palette-text-secondary, #5f6368);"
    " font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif); }"
    " p { margin: 4px 0; }"
)
_WORDS = Html("<p>{}</p>")


class StudyForm:
    """Every control of what is studied, bound to the session.

    `strip`, the button of `menu`, `menu.panel` and `estimate` are to be laid out.
    """

    def __init__(self, session: StudySession) -> None:
        self.session = session
        self.policies = BoxesField(session.settings, "policies")
        entries = {name: StudySettings.entries[name] for name in _FIELDS}
        self.strip = FieldStrip(session.settings, entries, kept="")
        self.fields = self.strip.fields
        self.menu = Menu("Policies", [*self.policies.parts, words(_LIMITS)])
        self.menu.panel.param.update(**WIDE.options("wide-over"))
        self.estimate = words()
        session.param.watch(self._say_estimate, "progress")
        session.settings.param.watch(self._say_estimate, [*self.fields, "policies"])
        self._say_estimate()

    def resync(self) -> None:
        """Show every setting as it is, without notices."""
        self.strip.resync()
        self.policies.resync()

    def _say_estimate(self, *_: param.parameterized.Event) -> None:
        spec, asked = self.session.settings.spec(), self.session.asked
        runs = spec.replicates * len(spec.plans)
        text = f"{runs} runs, about {duration(spec.seconds)} of computing on one core."
        if asked not in (None, spec):
            text += " Your last study had other settings."
        self.estimate.object = _WORDS.format(text)
        self.menu.button.label = f"{len(spec.policies)} of {len(POLICIES)} policies"


def words(text: str = "") -> Markup:
    """A paragraph."""
    html = _WORDS.format(text) if text else EMPTY
    return Markup(html, stylesheets=[_TEXT], margin=0, sizing_mode="stretch_width")
