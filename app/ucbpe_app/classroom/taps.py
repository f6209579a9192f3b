"""What the taps of a class come to: places that it agrees on, points, words, a run of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from ucbpe_app.run.criterion import Criterion, criterion
from ucbpe_app.run.prior import parted
from ucbpe_app.run.sentences.texts import coordinate, counted, number, percent, pick_label, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.classroom.room import Round
    from ucbpe_app.run.replay import Replay
    from ucbpe_core.support.validation import Floats

# A line, the result in large type, and the rest.
Told: TypeAlias = tuple[str, str, str]

_FEWEST = 2  # taps of a place that a class agrees on
_PART = 0.1  # of an extent: how far a kernel without a lengthscale is taken to reach
_ROUNDING = 1e-9  # lengthscales
_ONE = "One game proves nothing."
_DIGITS = 2  # of a place that others are near


class Agreed(NamedTuple):
    """A candidate, and how many taps are within half a lengthscale of it."""

    candidate: int
    taps: int


def reach(replay: Replay) -> Floats:
    """The lengthscale along each input, shape (d,); a tenth of its extent for a kernel of none."""
    kernel, _ = parted(replay.trace.gp.kernel)
    extents = replay.scene.extents
    lengthscale = np.asarray(getattr(kernel, "lengthscale", _PART * extents), dtype=float)
    return np.broadcast_to(lengthscale, extents.shape)


def agreed(
    taps: Sequence[int], candidates: Floats, lengthscale: Floats | float, K: int
) -> tuple[Agreed, ...]:
    """The places that most taps are at, the fullest first, and of as many the lowest index.

    Parameters
    ----------
    taps : indices of candidates, one for each phone
    candidates : shape (M, d)
    lengthscale : of all inputs, or of each, shape (d,). Places are candidates that were tapped, at
        least so far apart, each with at least two taps within half of it
    K : the most places
    """
    units, places = candidates / lengthscale, np.unique(np.asarray(taps, dtype=np.intp))
    near = cdist(units[places], units[list(taps)]) <= 0.5 + _ROUNDING
    counts = np.count_nonzero(near, axis=1)
    found: list[Agreed] = []
    for i in np.argsort(-counts, kind="stable"):
        before = units[[one.candidate for one in found]].reshape(-1, units.shape[1])
        is_apart = (cdist(units[places[[i]]], before) >= 1 - _ROUNDING).all()
        if is_apart and counts[i] >= _FEWEST and len(found) < K:
            found.append(Agreed(int(places[i]), int(counts[i])))
    return tuple(found)


def points(replay: Replay, index: int) -> tuple[int, ...]:
    """Of each candidate at event `index`, a pick: 100 times its share of the rule's criterion.

    0 where the rule does not look. A rule that gives candidates no value has 100 for its pick.
    """
    rule, pick = _rule_at(replay, index)
    alone = np.arange(len(rule.eligible)) == pick
    shares = alone if rule.shares is None else rule.shares
    return tuple(np.rint(100 * shares).astype(int).tolist())


def agreement(replay: Replay, votes: Sequence[Sequence[int]]) -> Told:
    """How far a class agrees after one vote or two, without a word of what the rule does."""
    first, last = (_fullest(replay, taps) for taps in (votes[0], votes[-1]))
    total = len(votes[-1])
    head = f"{last.taps} of {total} agree" if last else f"{total} taps, no two agree"
    text = f"on a place near {_where(replay, last.candidate)}." if last else ""
    if len(votes) == 1:
        return "Before talking", head, text
    before = "Before, no two agreed."
    if first:
        where = _where(replay, first.candidate)
        before = f"Before, the most that agreed were {first.taps}, near {where}."
    return "After talking", head, f"{text} {before}".strip()


def closeness(replay: Replay, index: int, taps: Sequence[int]) -> Told:
    """How near a class came to the pick of event `index`."""
    if not taps:
        return "", "Nobody answered", ""
    rule, pick = _rule_at(replay, index)
    tapped, x = replay.scene.candidates[list(taps)], replay.scene.candidates[[pick]]
    # The smallest distance that at least half of the taps are within.
    distance = float(np.sort(cdist(tapped, x)[:, 0])[(len(taps) - 1) // 2])
    near = np.count_nonzero(cdist(tapped / reach(replay), x / reach(replay)) <= 0.5)
    told = f"{near} of {len(taps)} are within half a lengthscale."
    if rule.shares is not None:
        share = percent(float(np.median(rule.shares[list(taps)])))
        told = f"The middle one is {share} of the way {'up' if rule.sign > 0 else 'down'}; {told}"
    return "Half of you are", f"within {number(distance)} of {pick_label(rule.k)}", told


class ClassRun(NamedTuple):
    """The class as a rule: what it agreed on is measured, at most K places a round.

    Attributes
    ----------
    places : of each round
    start : the regret of the best initial point; None without one
    regret, rule : the least regret so far after each round, of the class and of the run's rule at
        the end of the same batch; None where nothing is measured yet
    """

    places: tuple[tuple[Agreed, ...], ...]
    start: float | None
    regret: tuple[float | None, ...]
    rule: tuple[float, ...]


def class_run(replay: Replay, rounds: Iterable[Round]) -> ClassRun:
    """From the rounds of a room: those of this run that asked for a place and are revealed."""
    trace, scene, batches = replay.trace, replay.scene, {e.text: e.t for e in replay.events}
    wanted = "place", "revealed", trace.digest
    own = [one for one in rounds if (one.kind, one.stage, one.run) == wanted]
    least, regrets, places = scene.start, [], []
    for one in own:
        taps = list(one.votes[-1].values())
        places.append(_agreed(replay, taps, trace.policy.batch_size))
        values = scene.truth[[found.candidate for found in places[-1]]]
        measured = (scene.sign * (scene.optimum - values)).tolist()
        least = min(measured if least is None else [*measured, least], default=None)
        regrets.append(least)
    rule = tuple(float(scene.running[batches[one.event] - 1]) for one in own)
    return ClassRun(tuple(places), scene.start, tuple(regrets), rule)


def standing(replay: Replay, run: ClassRun) -> Told:
    """The class and the rule after so many rounds."""
    n, own, rule = len(run.places), run.regret[-1], run.rule[-1]
    lead, top = f"After {counted(n)} round{'s' * (n > 1)}", words_of(replay.trace).top
    values = f"{plain(own)} and {plain(rule)}"
    if not own or not rule or own == rule:
        return lead, values, f"from the {top}: class and rule. {_ONE}"
    way, to = ("far", "from") if own > rule else ("near", "to")
    ratio = number(max(own, rule) / min(own, rule))
    return lead, f"{ratio} times as {way}", f"{to} the {top} as the rule: {values}. {_ONE}"


def counts(run: ClassRun, K: int) -> str:
    """On how many places the class agreed in its rounds, and how many the rule measured."""
    found = sorted({len(one) for one in run.places})
    agreed = " to ".join(str(count) for count in dict.fromkeys((found[0], found[-1])))
    places = "place" if found == [1] else "places"
    return f"The class agreed on {agreed} {places} in each round; the rule measured {K}."


def plain(regret: float | None) -> str:
    """Two significant digits without an exponent: a room compares lengths at a glance."""
    if regret is None:
        return "nothing"
    return np.format_float_positional(regret, _DIGITS, fractional=False, trim="-")


def _where(replay: Replay, candidate: int) -> str:
    """A place to two digits, as it is one of several near it: x = 4.2 or (3, 2)."""
    x, extents = replay.scene.candidates[candidate].tolist(), replay.scene.extents.tolist()
    where = ", ".join(coordinate(*pair, digits=_DIGITS) for pair in zip(x, extents, strict=True))
    return f"{replay.scene.axes[0]} = {where}" if len(x) == 1 else f"({where})"


def _agreed(replay: Replay, taps: Sequence[int], K: int) -> tuple[Agreed, ...]:
    return agreed(taps, replay.scene.candidates, reach(replay), K)


def _fullest(replay: Replay, taps: Sequence[int]) -> Agreed | None:
    return next(iter(_agreed(replay, taps, 1)), None)


def _rule_at(replay: Replay, index: int) -> tuple[Criterion, int]:
    """The criterion of the pick that event `index` makes, and that pick."""
    rule, event = criterion(replay, replay.frame(index)), replay.events[index]
    assert rule is not None, "a pick has a criterion"
    return rule, int(replay.trace.decisions[event.t - 1].indices[event.k])
