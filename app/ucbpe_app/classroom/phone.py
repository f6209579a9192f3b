"""The page of a phone in a class: one file, the same for all, which asks for what it shows."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from string import Template

from ucbpe_app import files, theme
from ucbpe_app.files.page import bokeh_script, font_faces, renderers
from ucbpe_app.render.legends import Labels
from ucbpe_app.widgets.parts import script
from ucbpe_app.widgets.timeline import PREDICT

_HERE, _FILES = Path(__file__).parent, Path(files.__file__).parent


@cache
def phone_page() -> str:
    """The page, as HTML: it asks for the code of a class unless its address ends with one."""
    questions = script("element.js", "stored.js", "numbers.js", *PREDICT)
    return Template(script("phone.html", folder=_HERE)).substitute(
        fonts=font_faces(),
        style=script("recorded.css", folder=_FILES) + script("phone.css", folder=_HERE),
        bokeh=bokeh_script(),
        dark=json.dumps(theme.DARK),
        asked=json.dumps(script("predict.css")),
        components=renderers({"labels": Labels}),
        questions=questions.replace("export ", ""),
        player=script("recorded.js", folder=_FILES) + script("phone.js", folder=_HERE),
    )
