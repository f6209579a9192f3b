"""A report of an experiment in one file, as HTML with its pictures or as Markdown."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.html import Html, joined
from ucbpe_app.pages.problem.answers import batch_words, inputs_words, model_words, rule_words
from ucbpe_app.pages.problem.frame import STDS
from ucbpe_app.pages.problem.rows import expected
from ucbpe_app.pages.problem.rows_section import results_of
from ucbpe_app.pages.problem.sentences import (
    best_words,
    counted,
    entry_words,
    may_stop,
    moment,
    row_words,
    trial_words,
    why,
)
from ucbpe_app.pictures.experiment import check
from ucbpe_app.plots.prints import file_of, style
from ucbpe_app.render.printed import card
from ucbpe_app.run.sentences import number, result
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

    from ucbpe_app.pages.problem.frame import ExperimentFrame
    from ucbpe_app.pictures.picture import Picture
    from ucbpe_core.search.experiment import Experiment

_BEST = 10  # rows
_MARKUP = re.compile(r"[\\`*_{}\[\]|~#$]")
_MARKER = re.compile(r"^(\d*)([-+.)])(?= |$)")  # at the start of a line it makes a list
_CELL = Html("<td>{}</td>")
_PAGE = Html(
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
    "<style>{style}</style></head><body>\n{body}\n</body></html>\n"
)
_STYLE = Html(
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b2126;background:#fff}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
    "table{border-collapse:collapse}th,td{padding:.25rem .75rem .25rem 0;text-align:left;"
    "border-bottom:1px solid #d5dade}svg{max-width:100%;height:auto}"
)


class Section(NamedTuple):
    """A heading, paragraphs, a table whose first row has its heads, and pictures."""

    title: str
    paragraphs: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    pictures: Sequence[Picture] = ()


def sections(
    experiment: Experiment, shown: ExperimentFrame, limit: float | None, where: tzinfo
) -> list[Section]:
    """All that a report says, of an experiment and what is drawn of it.

    `limit` is how much more is not worth going on for, and times are told in the zone `where`.
    """
    table, history, plan = experiment.table, experiment.history, experiment.plan
    verdict = may_stop(experiment, shown.certificate, limit, shown.check.verdict)
    data, best = history.data, best_words(experiment, shown.known, shown.check.verdict)
    good, seen, remedy = model_words(experiment, shown.check)
    loo, latest = shown.check.loo, data[len(data) - len(shown.check.loo.y) :]
    fit = check([trial.role for trial in latest], loo.mean, STDS * loo.std, loo.y)
    ends = zip(table.candidates.min(axis=0), table.candidates.max(axis=0), strict=True)
    ranges = [(name, number(a), number(b)) for name, (a, b) in zip(table.inputs, ends, strict=True)]
    settings = {
        "goal": plan.direction,
        "policy": repr(plan.policy),
        "kernel": repr(plan.gp.kernel),
        "prior mean": number(plan.gp.mean),
        "noise variance": number(plan.gp.noise_variance),
        "beta": repr(plan.beta),
    }
    drawn = [results_of(experiment)] if data else []
    return [
        Section("Recommendation", [*verdict, best]),
        Section("Results", [counted(len(data), "result")], _best(experiment), drawn),
        Section("Rows with the best expected values", (), _guesses(experiment, shown)),
        Section("Proposed and not measured yet", (), _waiting(experiment, shown)),
        Section("Is the model any good?", [f"{good}. {seen} {remedy}"], (), [fit] if data else []),
        Section("What matters?", [inputs_words(experiment, shown)]),
        Section("What will this batch teach?", [batch_words(shown)]),
        Section(
            "Table",
            [f"{counted(len(table), 'row')}; {table.output} is measured."],
            [("input", "least", "greatest"), *ranges],
        ),
        Section("Plan", [rule_words(experiment)], [("setting", "value"), *settings.items()]),
        Section("Journal", (), _journal(experiment, where)),
    ]


def markdown(experiment: Experiment, parts: Iterable[Section]) -> str:
    """A report as text; its pictures are in words."""
    blocks = [f"# {plain(experiment.name)}"]
    for section in parts:
        blocks += [f"## {section.title}", *map(plain, section.paragraphs)]
        blocks += [plain(picture.text) for picture in section.pictures]
        if section.rows:
            head, *rows = [[plain(cell) for cell in row] for row in section.rows]
            lines = [head, ["---"] * len(head), *rows]
            blocks.append("\n".join(f"| {' | '.join(row)} |" for row in lines))
    return "\n\n".join(blocks) + "\n"


def html(experiment: Experiment, parts: Iterable[Section]) -> Html:
    """A report as a page that needs no other file."""
    blocks = [Html("<h1>{}</h1>").format(experiment.name)]
    for section in parts:
        blocks.append(Html("<h2>{}</h2>").format(section.title))
        blocks += map(Html("<p>{}</p>").format, section.paragraphs)
        blocks += map(_svg, section.pictures)
        if section.rows:
            head, *rows = section.rows
            lines = [_line(Html("<th>{}</th>"), head), *(_line(_CELL, row) for row in rows)]
            blocks.append(Html("<table>{}</table>").format(joined(lines)))
    return _PAGE.format(name=experiment.name, style=_STYLE, body=Html("\n").join(blocks))


def _line(cell: Html, row: Iterable[str]) -> Html:
    return Html("<tr>{}</tr>").format(joined(map(cell.format, row)))


def _svg(picture: Picture) -> Html:
    with style():
        text = file_of(card(picture), "svg", words=picture.text).decode()
    drawn = Html(text[text.index("<svg") :])  # Matplotlib's, which escapes texts
    return Html('<figure role="img" aria-label="{}">{}</figure>').format(picture.text, drawn)


def _best(experiment: Experiment) -> list[tuple[str, ...]]:
    """The best results, the best first."""
    sign = sign_of(experiment.plan.direction)
    best = sorted(experiment.history.data, key=lambda trial: -sign * (trial.y or 0.0))[:_BEST]
    rows = [
        (
            trial_words(experiment.table, trial),
            result(trial.y or 0.0),
            f"batch {trial.t}" if trial.t else "–",
        )
        for trial in best
    ]
    return [("row", experiment.table.output, "proposed in"), *rows] if rows else []


def _guesses(experiment: Experiment, shown: ExperimentFrame) -> list[tuple[str, ...]]:
    sign = sign_of(experiment.plan.direction)
    order = np.argsort(-sign * shown.known.mean, kind="stable")[:_BEST].tolist()
    rows = [(row_words(experiment.table, j), expected(shown.known, j)) for j in order]
    return [("row", f"{experiment.table.output}, expected"), *rows]


def _waiting(experiment: Experiment, shown: ExperimentFrame) -> list[tuple[str, ...]]:
    table, history = experiment.table, experiment.history
    rows = [
        (
            row_words(table, pick.index),
            why(pick, history.plan_of(pick), table.output),
            expected(shown.known, pick.index),
        )
        for pick in history.outstanding
    ]
    return [("row", "why this one", "we expect"), *rows] if rows else []


def _journal(experiment: Experiment, where: tzinfo) -> list[tuple[str, ...]]:
    rows = []
    for entry in experiment.journal:
        reasons = "; ".join(trial.reason for trial in entry.step.trials if trial.reason)
        text = entry_words(entry) + (f": {reasons}" if reasons else "")
        rows.append((moment(entry.time, where), text + ("" if entry.counts else " (undone)")))
    return [("time", "step"), *rows]


def plain(text: str) -> str:
    """A name or a message as Markdown shows it: one line, without HTML or markup."""
    line = _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))
    return escape(_MARKER.sub(r"\1\\\2", line), quote=False)
