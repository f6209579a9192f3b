"""The concept inventory as a page that a browser opens, and as a file for Moodle."""

from __future__ import annotations

from itertools import starmap

from ucbpe_app.files.site_index import own, page_of
from ucbpe_app.html import Html, joined
from ucbpe_app.lessons.inventory import FORMS, WORDS, Item, items

TITLE = "Concept inventory"
_ABOUT = (
    "Twelve questions on Gaussian processes and GP-UCB-PE. Nothing is sent: at the end you get "
    "your answers as a file."
)
_BODY = Html(
    '<nav aria-label="Form"><a href="#before">Before the lessons</a> '
    '<a href="#after">After the lessons</a></nav>\n'
    "<details open><summary>Words</summary><dl>{}</dl></details>\n"
    '{}<p id="end" role="status" tabindex="-1"></p>\n<script>\n{}</script>\n'
)
_WORD = Html("<dt>{}</dt><dd>{}</dd>\n")
# What a table program would take for a formula cannot be typed.
_TYPED = Html('pattern="[A-Za-z0-9]*" maxlength="20" title="letters and digits" autocomplete="off"')
_FORM = Html(
    '<form name="{0}" hidden>\n'
    '<label>Your code, the same both times <input name="code" required {1}></label>\n'
    '<label>Your group, if you have one <input name="group" {1}></label>\n'
    "<p>Leave out what you do not know.</p>\n{2}<button>Finish</button>\n</form>\n"
)
_ITEM = Html('<fieldset name="{}">\n<legend>{}. {}</legend>\n{}</fieldset>\n')
_CHOICE = Html(
    '<label><input type="radio" name="{}" value="{}"> '
    '<span>{} <span class="reason" hidden>{} {}</span></span></label>\n'
)


def page() -> str:
    """Both forms as one HTML file, which loads nothing and sends nothing."""
    asked = {form: joined(starmap(_fieldset, enumerate(items(form), 1))) for form in FORMS}
    forms = joined(_FORM.format(form, _TYPED, parts) for form, parts in asked.items())
    body = _BODY.format(joined(starmap(_WORD.format, WORDS)), forms, Html(own("inventory.js")))
    return page_of(TITLE, _ABOUT, body, own("inventory.css"))


def _fieldset(number: int, item: Item) -> Html:
    choices = (
        _CHOICE.format(item.slug, kind, one.text, "✓" if kind == "right" else "✗", one.reason)
        for kind, one in item.shuffled
    )
    return _ITEM.format(item.slug, number, item.question.text, joined(choices))


_QUIZ = Html('<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n{}</quiz>\n')
_CATEGORY = Html(
    '<question type="category"><category><text>$course$/top/{}: {}</text></category></question>\n'
)
_MULTICHOICE = Html(
    '<question type="multichoice">\n<name><text>{0}</text></name>\n'
    '<questiontext format="plain_text"><text>{2}</text></questiontext>\n'
    "<defaultgrade>1</defaultgrade><penalty>0</penalty><hidden>0</hidden>\n"
    "<idnumber>{0}-{1}</idnumber><single>true</single><shuffleanswers>true</shuffleanswers>\n"
    "<answernumbering>abc</answernumbering>\n{3}</question>\n"
)
_ANSWER = Html(
    '<answer fraction="{}" format="plain_text"><text>{}</text>\n'
    '<feedback format="plain_text"><text>{}</text></feedback></answer>\n'
)


def moodle() -> str:
    """Both forms in Moodle's XML format: two categories of questions with one right choice.

    Each choice has its reason as feedback, which a quiz can keep back until it is closed.
    """
    parts = list[Html]()
    for form in FORMS:
        parts += [_CATEGORY.format(TITLE, form), *(_multichoice(form, one) for one in items(form))]
    return _QUIZ.format(joined(parts))


def _multichoice(form: str, item: Item) -> Html:
    answers = (
        _ANSWER.format(100 if kind == "right" else 0, one.text, one.reason)
        for kind, one in item.shuffled
    )
    return _MULTICHOICE.format(item.slug, form, item.question.text, joined(answers))
