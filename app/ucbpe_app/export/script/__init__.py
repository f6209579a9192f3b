"""What is on screen as a short script for a notebook, with `ucbpe_core` and Matplotlib alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.export.script.pictures import picture
from ucbpe_app.export.script.run import imports, run
from ucbpe_app.export.words import event_title
from ucbpe_app.links import encode
from ucbpe_app.run.events import Kind
from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from ucbpe_app.links import Moment
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay


def script(moment: Moment, replay: Replay) -> str:
    """A script that makes this run again, says whether it is the same, and draws the event.

    Parameters
    ----------
    moment : settings, event and layers
    replay : the run of these settings
    """
    index = replay.events.index(moment.event)
    frame, layers = replay.frame(index), Layers.of(moment.layers)
    shown = picture(replay, frame, layers)
    title = f"{replay.scene.name}: {event_title(replay, index)}."
    made = run(moment.settings, moment.data)
    numpy = "import numpy as np\n" if "np." in shown else ""
    parts = (
        f'"""{_quotable(title)}\n\nIn the laboratory: ?{encode(moment)}\n"""',
        *(["from dataclasses import replace"] if "replace(" in made else []),
        f"import matplotlib.pyplot as plt\n{numpy}".rstrip(),
        imports(moment.settings, moment.data),
        made,
        _check(replay.trace.digest),
        _posterior(frame),
        shown,
    )
    return "\n\n".join(parts) + "\n"


def _quotable(text: str) -> str:
    """A text within a docstring: the name of a problem is anybody's."""
    plain = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in plain)


def _check(digest: str) -> str:
    return (
        "# The digest of every pick and measurement. Another one means another version of\n"
        "# ucbpe_core or NumPy, or another kind of machine.\n"
        f'on_screen = "{digest}"\n'
        'print("This is the run on screen:", trace.digest == on_screen)'
    )


def _posterior(frame: Frame) -> str:
    """Mean and std as they are on screen, and the picks made so far."""
    event = frame.event
    lines = [
        f"decision = trace.decisions[{event.t - 1}]  # of batch {event.t}",
        f"picks = decision.indices[:{len(frame.picks)}]  # those made so far",
        "for x, role, s in zip(problem.candidates[picks], decision.roles, decision.stds):",
        '    print(f"{role} pick at {x}, std {s:.3g}")',
        "",
        "n = decision.n  # measurements before this batch",
    ]
    if event.kind is Kind.OBSERVE:
        lines.append(f"posterior = now = trace.posterior.at(n + {frame.fresh})")
    elif event.kind is Kind.PICK and event.k:
        count = "a pick" if event.k == 1 else f"{event.k} picks"
        lines += [
            "posterior = trace.posterior.at(n)",
            "# The std depends on where you measure, not on the values (Desautels, Krause and",
            f"# Burdick, ICML 2012): it can count {count} without results. The mean cannot.",
            f"now = posterior.hallucinate(picks[:{event.k}])",
        ]
    else:
        lines.append("posterior = now = trace.posterior.at(n)")
    return "\n".join([*lines, "mean, std, std_now = posterior.mean, posterior.std, now.std"])
