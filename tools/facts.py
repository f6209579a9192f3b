"""Whether the texts agree with their sources: ``python -m tools.facts``.

Each of `FACTS` is what a text says, with a number or word in it, and what computes that. Every
place in the README, the documentation, the chapters and the licence files is compared, not one: a
sentence that is copied to another page is bound there, too. Costs, tables of the reproduction and
medians of the optimisers are whole blocks, which their own writers make again.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import _costs
from tools.reproduction import paper, summary, write
from ucbpe_app.lessons import offered
from ucbpe_app.lessons.inventory import items
from ucbpe_app.links import SHOWN
from ucbpe_app.main import PAGES
from ucbpe_app.problem.sheets import limits
from ucbpe_app.problem.sheets.limits import MOST
from ucbpe_app.race.link import RACE
from ucbpe_core.policies import POLICIES

ROOT = Path(__file__).parents[1]
COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
COUNTS += ["eleven", "twelve"]
_COUNT = f"({'|'.join(COUNTS[1:])})"
OTHERS = ("README.md", "CONTRIBUTING.md", "CITATION.cff", "Makefile")
FOLDERS = ("docs", "notebooks")
RECORD = "benchmarks/results/optimisers.md"
RECORDS = (RECORD, *(f"benchmarks/results/{name}.md" for name in ("public", "tables", "challenge")))


class Fact(NamedTuple):
    """What a text says: a pattern whose groups are numbers or words, and what they have to be."""

    pattern: str
    true: tuple[str, ...]
    page: str = ""  # where it has to stand at least once; else anywhere


def texts() -> dict[str, str]:
    """By path: lines are joined, as a sentence may be broken anywhere."""
    paths = [*OTHERS, *(f"{path.relative_to(ROOT)}" for one in FOLDERS for path in _pages(one))]
    return {path: re.sub(r"\s+", " ", _read(path)) for path in paths}


def _pages(folder: str) -> Iterator[Path]:
    return (ROOT / folder).glob("*.md")


def facts() -> list[Fact]:
    """All of them; what is computed is computed here."""
    return [*_of_the_project(), *_of_counts(), *_of_limits(), *_of_records(), *_of_results()]


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _of_the_project() -> list[Fact]:
    project = tomllib.loads(_read("pyproject.toml"))["project"]
    code, words = project["license"].split(" AND ")
    whole = "every test but the slow ones"
    return [
        Fact(r"Python (\d\.\d+) or newer", (project["requires-python"][2:],), "docs/install.md"),
        Fact(r"version: ([\d.]+) license", (project["version"],), "CITATION.cff"),
        Fact(r"license: (\S+) #", (code,), "CITATION.cff"),
        Fact(r"documentation are under (CC-\S+)\.", (words,), "CITATION.cff"),
        Fact(r"code is (?:under the )?(\S+?-\d-\w+)", (code,), "README.md"),
        Fact(
            r"make test(?:`|\s+#|: \S+ ##) (?:runs? )?([\w ]*tests?\b[\w ]*)", (whole,), "README.md"
        ),
        Fact(r"function is least known inside (R⁺|\w+)", ("R⁺",), "docs/index.md"),
    ]


def _of_counts() -> list[Fact]:
    chapters = len(list((ROOT / "notebooks").glob("[0-9]-*.md")))
    method = sum(one.shelf == "method" for one in offered())
    return [
        Fact(r"\b(\d+) policies\b", (str(len(POLICIES)),), "README.md"),
        Fact(r"\b(\d+) other policies", (str(len(POLICIES) - 1),), "docs/index.md"),
        Fact(rf"\b{_COUNT} chapters", (COUNTS[chapters],), "docs/index.md"),
        Fact(rf"\b{_COUNT} questions before", (COUNTS[len(items("before"))],), "docs/index.md"),
        Fact(rf"\b{_COUNT} lessons of \*The method", (COUNTS[method],), "docs/syllabus.md"),
        Fact(rf"dashboard has {_COUNT} pages", (COUNTS[len(PAGES)],), "docs/tour.md"),
    ]


def _of_limits() -> list[Fact]:
    rows, made = f"{MOST.rows:_}".replace("_", " "), str(limits.MOST_MADE)
    columns, inputs = str(limits.MOST_COLUMNS), str(limits.MOST_INPUTS)
    table, saved = f"{limits.MOST_BYTES / 1e6:g}", f"{limits.MOST_FILE_BYTES / 1e6:g}"
    return [
        Fact(r"\| rows \| ([\d ]+); (\d+) of", (rows, made), "docs/files.md"),
        Fact(r"list of at most (\d+) settings", (made,), "docs/your-experiment.md"),
        Fact(r"columns of a file \| (\d+), of which (\d+)", (columns, inputs), "docs/files.md"),
        Fact(r"CSV or Excel file \| (\d+) MB", (table,), "docs/files.md"),
        Fact(r"table to (\d+) MB", (table,), "docs/deploy.md"),
        Fact(r"measurements \| (\d+):", (str(limits.MOST_MEASUREMENTS),), "docs/files.md"),
        Fact(r"saved experiment \| (\d+) MB", (saved,), "docs/files.md"),
    ]


def _of_records() -> list[Fact]:
    """What one page measured, and others repeat."""
    install = _read("docs/install.md")
    uvx, make = re.findall(r"in a checkout \| (\d+) MB", install)
    play = re.findall(r"one file \| ([\d.]+) MB", install)[0]
    status = dict(re.findall(r"(?m)^\| ([a-z ]+) \| (\d+) \|$", _read("tests/accessibility.md")))
    met = (status["supported"], status["partially supported"], status["not applicable"])
    reached = re.findall(r"together .*?([\d.]+ %).*?([\d.]+ %)", _read("tests/reliability.md"))[0]
    here = "docs/developers.md"
    return [
        Fact(r"downloads (\d+) MB", (make,), "README.md"),
        Fact(r"(\d+) MB to install", (uvx,), "docs/index.md"),
        Fact(r"file of ([\d.]+) MB", (play,), "README.md"),
        Fact(r"(\d+) are supported, (\d) in part.*? and (\d+) do not apply", met, here),
        Fact(r"([\d.]+ %) of the statements and ([\d.]+ %) of", reached, here),
    ]


def _of_results() -> list[Fact]:
    gained = r"gained (\S+) where it said (\S+) with noise, and (\S+) where it said (\S+) without"
    power = r"K to the power (\S+) \[(\S+), (\S+)\] .*? and (\S+) \[(\S+), (\S+)\]"
    least = rf"has the least median on {_COUNT} problems"
    return [
        Fact(gained, worth(), "docs/your-experiment.md"),
        Fact(power, exponents(), "docs/reproduction.md"),
        Fact(least, (COUNTS[least_medians()],), "docs/optimisers.md"),
    ]


def worth() -> tuple[str, ...]:
    """Of *Recommended* with a known prior: gained and said, with noise and without."""
    text = _read("benchmarks/results/worth.md")
    found = []
    for noise in ("0.1", "0.0001"):
        row = re.findall(rf"\| Recommended, {noise}, known.*? \| ([\d.]+) .*? \| ([\d.]+) ", text)
        said, gained = (f"{float(one):.3f}" for one in row[0])
        found += [gained, said]
    return tuple(found)


def exponents() -> tuple[str, ...]:
    """How regret falls with the batch size, with limits, from the record of the reproduction."""
    text = _read("tools/reproduction/README.md")
    rows = re.findall(r"\| Generated GP, noise variance .*\| (\S+) \[(\S+), (\S+)\] \|", text)
    return tuple(number for row in rows for number in row)


def least_medians() -> int:
    """On how many problems without noise *Recommended* has the least median, and alone."""
    table = _medians(_read(RECORD)).split("With noise:")[0]
    rows = [row.split(" | ") for row in re.findall(r"(?m)^\| (.*) \|$", table)]
    columns = zip(*(row[1:] for row in rows if row[0] != "method"), strict=True)
    regrets = [[float(one.strip("*")) for one in column if one != "–"] for column in columns]
    return sum(ours < min(others) for ours, *others in regrets)


def contradictions() -> list[str]:
    """A line for each place where a text differs from its source."""
    found, read = list[str](), texts()
    for fact in facts():
        met = False
        for path, text in read.items():
            for match in re.finditer(fact.pattern, text):
                met |= fact.page in ("", path)
                if match.groups() != fact.true:
                    found.append(f"{path}: '{match[0]}' should say {', '.join(fact.true)}")
        if not met:
            found.append(f"{fact.page} says nothing like /{fact.pattern}/")
    return [*found, *_blocks()]


def _blocks() -> Iterator[str]:
    """Documents with blocks that a program writes, where it would write others."""
    summaries = {name: summary.read(summary.RESULTS / name) for name in paper.STUDIES}
    records = "\n".join(_medians(_read(path)) for path in RECORDS)
    rows = {match[1] for match in re.finditer(r"(?m)^(\| .* \|)$", records)}
    links = _read("docs/links.md")
    fields = ["page", "preset", "v", *(one.name for one in (*SHOWN, *RACE))]
    yield from (f"links.md does not name {one}=" for one in fields if f"`{one}=`" not in links)
    for path in sorted(
        {*_pages("docs"), ROOT / "README.md", ROOT / "tools/reproduction/README.md"}
    ):
        text = path.read_text(encoding="utf-8")
        if _costs.written(text) != text:
            yield f"{path.name}: other costs than those in benchmarks/results"
        if write.fill(text, summaries) != text:
            yield f"{path.name}: other tables than those of tools/reproduction/results"
        if path.name == "optimisers.md":
            shown = re.findall(r"(?m)^(\| (?!method)\w.* \|)$", text)
            yield from (f"{path.name}: in no record: {row}" for row in shown if row not in rows)


def _medians(record: str) -> str:
    """A record without quartiles, intervals, times and seeds."""
    return re.sub(r" \[[^]]*\](?: \([^)]*\))?", "", record)


def main() -> int:
    """Print the contradictions; 1 if there are any."""
    found = contradictions()
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(facts())} facts, {len(found)} contradictions")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
