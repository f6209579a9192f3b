"""Few batches against many: the cells of all its studies as tables, and in sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tools.reproduction import paper, tables
from tools.reproduction.claims import FOUND
from tools.reproduction.paper import REFERENCE
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tools.reproduction.summary import Summary
    from ucbpe_app.study.records import Statistic

# The studies of each number of batches T, and the mark of their tables in the document.
STUDIES = {
    4: ("few_batches_4", "phases"),
    10: ("few_batches_10",),
    20: ("few_batches_20",),
    50: ("few_batches_50",),
    100: ("few_batches_100",),
}
NAMES = tuple(name for names in STUDIES.values() for name in names)
MARK = "few_batches"
_NONE = "–"


class Cells:
    """Every problem, number of batches and rule that was run, and the summary that has it."""

    def __init__(self, summaries: Mapping[str, Summary]) -> None:
        self._found: dict[tuple[str, int, str], Summary] = {}
        for T, names in STUDIES.items():
            for one in (summaries[name] for name in names):
                for problem in one.problems:
                    for rule in one.policies:
                        self._found.setdefault((problem, T, rule), one)
        seen = {problem for problem, _, _ in self._found}
        self.problems = [label for label, _ in paper.TASKS if label in seen]
        self.rules = list(dict.fromkeys(rule for _, _, rule in self._found))
        self.rivals = self.rules[1:]

    def __iter__(self) -> Iterator[tuple[str, int, str]]:
        return iter(self._found)

    def __contains__(self, cell: tuple[str, int, str]) -> bool:
        return cell in self._found

    def of(self, problem: str, T: int, rule: str) -> Summary:
        return self._found[problem, T, rule]

    def numbers(self, problem: str, rule: str) -> list[int]:
        """The numbers of batches with which the rule was run there, ascending."""
        return [T for T in STUDIES if (problem, T, rule) in self._found]

    def regret(self, problem: str, T: int, rule: str) -> Statistic:
        """R_TK / (T K)."""
        return self.of(problem, T, rule).statistic("mean_regret", problem, rule)


def every_pick(cells: Cells) -> str:
    """R_TK / (T K) of the reference, and paired differences from it."""
    return _table(
        cells,
        lambda problem, T: cells.regret(problem, T, REFERENCE).text,
        lambda problem, T, rule: tables.paired(cells.of(problem, T, rule), problem, rule),
    )


def best_regret(cells: Cells) -> str:
    """The best regret of the run of the reference, and paired differences from it."""

    def base(problem: str, T: int) -> str:
        one = cells.of(problem, T, REFERENCE)
        return number(one.curve("running_minimum", problem, REFERENCE).mean[-1])

    def difference(problem: str, T: int, rule: str) -> str:
        found = tables.beside(cells.of(problem, T, rule), "running_minimum")[problem, rule]
        return f"{found.sign} {found.text}"

    return _table(cells, base, difference)


def found(cells: Cells) -> str:
    """In how many replicates a run measured the maximum."""

    def count(problem: str, T: int, rule: str) -> str:
        return tables.measured(cells.of(problem, T, rule), problem, rule)

    return _table(cells, lambda problem, T: count(problem, T, REFERENCE), count)


def _table(
    cells: Cells, base: Callable[[str, int], str], other: Callable[[str, int, str], str]
) -> str:
    """A row for each problem and number of batches."""
    rows = [
        [
            problem,
            f"{T} × {paper.EVALUATIONS // T}",
            base(problem, T),
            *(
                other(problem, T, rule) if (problem, T, rule) in cells else _NONE
                for rule in cells.rivals
            ),
        ]
        for problem in cells.problems
        for T in cells.numbers(problem, REFERENCE)
    ]
    return tables.table(["problem", "T × K", REFERENCE, *cells.rivals], rows)


def sentences(cells: Cells) -> str:
    """What the tables say, as a list."""
    several = [rule for rule in cells.rules if len({T for _, T, own in cells if own == rule}) > 1]
    lines = [_more(cells, rule) for rule in several]
    lines += [_against(cells, rule) for rule in cells.rivals]
    lines += [_least(cells, rule) for rule in cells.rivals]
    lines += [_maximum(cells, rule) for rule in cells.rules]
    return "\n".join(f"- {line}" for line in lines)


def _more(cells: Cells, rule: str) -> str:
    """Regret with the fewest batches over that with the most, where the intervals are apart."""
    parts, alike = list[str](), list[str]()
    for problem in cells.problems:
        if len(numbers := cells.numbers(problem, rule)) > 1:
            few, many = (cells.regret(problem, T, rule) for T in (numbers[0], numbers[-1]))
            apart = few.low > many.high or many.low > few.high
            said = f"{problem} {number(few.mean / many.mean)} times ({numbers[0]}/{numbers[-1]})"
            (parts if apart else alike).append(said)
    text = f"**{rule}**, mean regret with the fewest batches over that with the most: "
    text += "; ".join(parts) if parts else "nowhere do the intervals lie apart"
    return text + (f". Intervals that overlap: {'; '.join(alike)}." if alike else ".")


def _against(cells: Cells, rule: str) -> str:
    signs = Counter(
        tables.paired(cells.of(*cell), cell[0], rule)[0] for cell in cells if cell[2] == rule
    )
    return f"**{rule}**, mean regret of all evaluations against {REFERENCE}: {_counts(signs)}."


def _least(cells: Cells, rule: str) -> str:
    found = {
        cell[:2]: tables.beside(cells.of(*cell), "running_minimum")[cell[0], rule].sign
        for cell in cells
        if cell[2] == rule
    }
    text = f"**{rule}**, best regret of the run: {_counts(Counter(found.values()))}"
    for sign, what in (("▲", "Higher"), ("▼", "Lower")):
        listed = [
            f"{problem} (T = {', '.join(map(str, numbers))})"
            for problem in cells.problems
            if (numbers := [T for T in STUDIES if found.get((problem, T)) == sign])
        ]
        text += f". {what} on {'; '.join(listed)}" if listed else ""
    return text + "."


def _maximum(cells: Cells, rule: str) -> str:
    """The least and the greatest share over the numbers of batches, for each problem."""
    parts = []
    for problem in cells.problems:
        shares = [
            cells.of(problem, T, rule).statistic(FOUND, problem, rule).mean
            for T in cells.numbers(problem, rule)
        ]
        if shares:
            least, most = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
            parts.append(f"{problem} {least}" + (f" to {most} %" if most != least else " %"))
    return f"**{rule}** measured the maximum in this share of replicates: {', '.join(parts)}."


def _counts(signs: Counter[str]) -> str:
    lower, higher, same = signs["▼"], signs["▲"], signs["≈"]
    return f"lower in {lower} of {signs.total()} cells, higher in {higher}, open in {same}"


TABLES: dict[str, Callable[[Cells], str]] = {
    made.__name__: made for made in (every_pick, best_regret, found, sentences)
}
