"""The concept inventory as a page that a browser opens, and as a file for Moodle."""

from __future__ import annotations

from itertools import starmap

from ucbpe_app.files.site_index import own, page_of
from ucbpe_app.html import Html, joined
from ucbpe_app.lessons.inventory import FORMS, WORDS, items

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
_ITEM = Html('<fieldset name="{slug}">\n<legend>{number}. {text}</legend>\n{choices}</fieldset>\n')
_CHOICE = Html(
    '<label><input type="radio" name="{slug}" value="{kind}"> '
    '<span>{text} <span class="reason" hidden>{sign} {reason}</span></span></label>\n'
)


def page() -> str:
    """Both forms as one HTML file, which loads nothing and sends nothing."""
    forms = joined(_FORM.format(form, _TYPED, _asked(form, _ITEM, _CHOICE)) for form in FORMS)
    body = _BODY.format(joined(starmap(_WORD.format, WORDS)), forms, Html(own("inventory.js")))
    return page_of(TITLE, _ABOUT, body, own("inventory.css"))


_QUIZ = Html('<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n{}</quiz>\n')
_CATEGORY = Html(
    '<question type="category"><category><text>$course$/top/{}: {}</text></category></question>\n'
)
_MULTICHOICE = Html(
    '<question type="multichoice">\n<name><text>{slug}</text></name>\n'
    '<questiontext format="plain_text"><text>{text}</text></questiontext>\n'
    "<defaultgrade>1</defaultgrade><penalty>0</penalty><hidden>0</hidden>\n"
    "<idnumber>{slug}-{form}</idnumber><single>true</single><shuffleanswers>true</shuffleanswers>\n"
    "<answernumbering>abc</answernumbering>\n{choices}</question>\n"
)
_ANSWER = Html(
    '<answer fraction="{points}" format="plain_text"><text>{text}</text>\n'
    '<feedback format="plain_text"><text>{reason}</text></feedback></answer>\n'
)


def moodle() -> str:
    """Both forms in Moodle's XML format: two categories of questions with one right choice.

    Each choice has its reason as feedback, which a quiz can keep back until it is closed.
    """
    parts = (_CATEGORY.format(TITLE, form) + _asked(form, _MULTICHOICE, _ANSWER) for form in FORMS)
    return _QUIZ.format(joined(parts))


_MARKS = {True: ("✓", 100), False: ("✗", 0)}  # and points of a choice that is right, or not


def _asked(form: str, question: Html, choice: Html) -> Html:
    """The questions of a form, each and its choices by these templates."""
    parts = list[Html]()
    for number, item in enumerate(items(form), 1):
        slug, choices = item.slug, list[Html]()
        for kind, one in item.shuffled:
            sign, points = _MARKS[kind == "right"]
            texts = {"text": one.text, "reason": one.reason}
            choices.append(choice.format(slug=slug, kind=kind, sign=sign, points=points, **texts))
        text, shown = item.question.text, joined(choices)
        parts.append(question.format(slug=slug, form=form, number=number, text=text, choices=shown))
    return joined(parts)
