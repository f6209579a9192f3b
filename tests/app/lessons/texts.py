"""A lesson as a teacher writes it, whole and with one field changed."""

from __future__ import annotations

import re

WHOLE = '''version = 1
slug = "mine"
title = "My own"
problem = "multimodal"
event = "2.pick.1"
show = ["truth", "log"]
hide = ["Belief", "K"]
caption = """Press Next. [There](event=1.region) it is, and [here](K=2&policy=gp-ucb-pe)."""
question = "Why?"
answer = "Because of that."

[settings]
K = 3
T = 4
policy = "greedyucb"
lengthscale = 1
'''


def without(text: str, *fields: str) -> str:
    """The text without the lines of these fields."""
    for field in fields:
        text, times = re.subn(rf"(?m)^{field} = .*\n", "", text)
        assert times == 1
    return text


def written(text: str, field: str, value: str) -> str:
    """The text with another value of one field, or with one more field."""
    line = f"{field} = {value}\n"
    text, times = re.subn(rf"(?m)^{field} = .*\n", lambda _: line, text)
    return text if times else line + text
