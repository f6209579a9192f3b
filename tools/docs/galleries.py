"""What the galleries show: a card for each lesson, and the same moment chosen by each policy."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ucbpe_app.files.site_index import summary
from ucbpe_app.lessons import offered
from ucbpe_app.notebook import picture
from ucbpe_app.run.glossary import GLOSSARY
from ucbpe_core import Policy, problems, simulate
from ucbpe_core.policies import GPBUCB, GPUCB, POLICIES

if TYPE_CHECKING:
    from pathlib import Path

NO_LESSONS = "`make docs` adds the lessons; this build has left them out."
_K, _INITIAL, _SEED = 5, 9, 2
_PLAYGROUND = """\
<iframe class="playground" src="gallery/playground.html" title="The playground"></iframe>
<p><a href="gallery/playground.html">The playground by itself</a>, one file to keep</p>"""
_CARD = """\
<li><a href="gallery/lessons/{slug}.html">
<img src="gallery/pictures/{slug}.png" alt="" loading="lazy">
<strong>{title}</strong></a>
<p>{summary}</p></li>"""


def lessons() -> str:
    """A card for each lesson of the laboratory, which `ucbpe site` writes into `gallery`."""
    cards = [
        _CARD.format(slug=one.slug, title=escape(one.title), summary=summary(one.caption))
        for one in offered()
    ]
    return "\n".join(["```{raw} html", '<ol class="cards">', *cards, "</ol>", "```"])


def glossary() -> str:
    """A section for each word that the laboratory explains, headed as people type it, too."""
    parts = "\n\n".join(f"## {word.name}\n\n{word.meaning}" for word in GLOSSARY)
    return parts.replace("## β", "## β (beta)").replace("## R⁺", "## R⁺ (R+)")


def playground() -> str:
    """The playground in a frame, live, and a link to the file."""
    return f"```{{raw}} html\n{_PLAYGROUND}\n```"


def policies(folder: Path) -> str:
    """A section for each policy; its picture is written into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for name, policy in POLICIES.items():
        trace = simulate(
            problems.multimodal(), _made(policy), batches=1, initial=_INITIAL, seed=_SEED
        )
        last = trace.policy.batch_size - 1
        shown = picture(trace, f"1.pick.{last}")
        file = folder / f"policy-{policy.__name__}.png"
        file.write_bytes(shown.png)
        rules = [f"- {rule}" for rule in policy.rules.values()]
        entry = f"`{trace.policy!r}`: {{py:obj}}`reference <ucbpe_core.{policy.__name__}>`."
        image = f"![{escape(shown.words)}]({folder.name}/{file.name})"
        parts += [f"### {name}", "\n".join(rules), entry, image]
    return "\n\n".join(parts)


def _made(policy: type[Policy]) -> Policy:
    """One that shows what its rule is: GP-BUCB's first batches are pure exploration else."""
    if policy is GPUCB:
        return GPUCB()
    if policy is GPBUCB:
        return GPBUCB(batch_size=_K, C=0.5, initialization=False)
    return policy(batch_size=_K)
