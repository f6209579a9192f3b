"""The texts of the site: the project's Markdown files, with links as the site has them.

They stand where people read them, in `docs`, `notebooks` and at the top. A link to another of them
leads to its page; one to a file that has no page, such as a module, becomes plain words; and one
that leads nowhere is an error, whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from posixpath import dirname, relpath
from shutil import copyfile

from ucbpe_core.errors import InputError

ROOT = Path(__file__).parents[2]
PICTURES = (".png", ".svg")
# Code is left as it is: fenced or indented blocks, and words between backticks.
_LINK_OR_CODE = re.compile(
    r"""^```.*?^```$ | ^(?:[ ]{4}[^\n]*\n)+
    | (?P<picture>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)
    | `[^`\n]+`""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_MADE = re.compile(r"<!-- made: (\w+) -->")


@cache
def places() -> Mapping[Path, str]:
    """Where the site has each of the texts."""
    found = {path: path.name for path in ROOT.glob("docs/*.md")}
    found |= {path: f"chapters/{path.name}" for path in ROOT.glob("notebooks/[0-9]-*.md")}
    found |= {path: f"benchmarks/{path.name}" for path in ROOT.glob("benchmarks/results/*.md")}
    found |= {path: f"project/{path.name.lower()}" for path in ROOT.glob("*.md")}
    found |= {path: f"project/{path.parent.name}.md" for path in ROOT.glob("tools/*/README.md")}
    found |= {path: f"project/{path.name}" for path in ROOT.glob("tests/*.md")}
    # What GitHub shows first is for those who have no site; the site begins with docs/index.md.
    found[ROOT / "README.md"] = "index.md"
    return found


def write(folder: Path, made: Mapping[str, str]) -> None:
    """Write all texts; `made` is what replaces comments such as ``<!-- made: lessons -->``."""
    for path, place in places().items():
        if path == ROOT / "README.md":
            continue
        text = rewritten(
            path.read_text(encoding="utf-8"), path, lambda picture: _copy(picture, folder)
        )
        text = _MADE.sub(lambda found: made[found[1]], text)
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def rewritten(text: str, path: Path, keep: Callable[[Path], str]) -> str:
    """A text of this file with the site's links; `keep` copies a picture and tells its place.

    Raises
    ------
    InputError
        For a link to a file that is not there.
    """
    known = places()
    here = dirname(known[path]) or "."

    def link(found: re.Match[str]) -> str:
        target = found["target"] or ""
        name, _, anchor = target.partition("#")
        if not name or re.match(r"[a-z]+:", name):
            return found[0]
        aim = (path.parent / name).resolve()
        if not aim.exists():
            raise InputError(f"{path.name} to link to a file", target, "correct the link")
        if aim.is_dir():
            aim /= "README.md"
        aim = aim.with_suffix(".md") if aim.suffix == ".ipynb" else aim
        if aim in known:
            end = f"#{anchor}" if anchor else ""
            return f"[{found['words']}]({relpath(known[aim], here)}{end})"
        if aim.suffix in PICTURES:
            return f"{found['picture']}[{found['words']}]({relpath(keep(aim), here)})"
        return found["words"]

    return _LINK_OR_CODE.sub(link, text)


def _copy(picture: Path, folder: Path) -> str:
    place = f"pictures/{picture.relative_to(ROOT).as_posix().replace('/', '-')}"
    target = folder / place
    target.parent.mkdir(parents=True, exist_ok=True)
    copyfile(picture, target)
    return place
