"""What the answers of a class come to: the places that it agrees on, points, and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.prior import parted
from ucbpe_app.run.sentences.texts import (
    coordinate,
    counted,
    number,
    percent,
    pick_label,
    place,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.classroom.room import Round
    from ucbpe_app.run.replay import Replay
    from ucbpe_core.support.validation import Floats

FEWEST = 2  # taps of a place that a class agrees on
_DRAWN = 2  # inputs; of more, no distance is told: their units differ
_PART = 0.1  # of an extent: how far a kernel without a lengthscale is taken to reach
_ROUNDING = 1e-9  # lengthscales


class Agreed(NamedTuple):
    """A candidate, and how many taps are within half a lengthscale of it."""

    candidate: int
    taps: int


class Told(NamedTuple):
    """What a room reads: a line, the result in large type, and the rest."""

    lead: str
    head: str
    text: str = ""


def reach(replay: Replay) -> Floats:
    """The lengthscale along each input, shape (d,); a tenth of its extent for a kernel of none."""
    kernel, _ = parted(replay.trace.gp.kernel)
    extents = replay.scene.extents
    lengthscale = getattr(kernel, "lengthscale", _PART * extents)
    return np.broadcast_to(np.asarray(lengthscale, dtype=float), extents.shape)


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
    if not taps:
        return ()
    units, places = candidates / lengthscale, np.unique(taps)
    near = cdist(units[places], units[list(taps)]) <= 0.5 + _ROUNDING
    found: list[Agreed] = []
    counts = np.count_nonzero(near, axis=1)
    for i in np.argsort(-counts, kind="stable"):
        here, count = int(places[i]), int(counts[i])
        if len(found) == K or count < FEWEST:
            break
        before = units[[one.candidate for one in found]].reshape(-1, units.shape[1])
        if (cdist(units[[here]], before) >= 1 - _ROUNDING).all():
            found.append(Agreed(here, count))
    return tuple(found)


def points(replay: Replay, index: int) -> tuple[int, ...]:
    """Of each candidate at event `index`, a pick: 100 times its share of the rule's criterion.

    0 where the rule does not look. A rule that gives candidates no value has 100 for its pick.
    """
    rule, event = criterion(replay, replay.frame(index)), replay.events[index]
    assert rule is not None, "a pick has a criterion"
    shares = rule.shares
    if shares is None:
        shares = np.zeros(len(rule.eligible))
        shares[replay.trace.decisions[event.t - 1].indices[event.k]] = 1.0
    return tuple(np.rint(100 * shares).astype(int).tolist())


def agreement(replay: Replay, votes: Sequence[Sequence[int]]) -> Told:
    """How far a class agrees after one vote or two, without a word of what the rule does."""
    first, last = (_fullest(replay, taps) for taps in (votes[0], votes[-1]))
    total = len(votes[-1])
    head = f"{last.taps} of {total} agree" if last else f"{total} taps, no two agree"
    text = f"on a place near {_where(replay, last.candidate)}." if last else ""
    if len(votes) == 1:
        return Told("Before talking", head, text)
    before = "Before, no two agreed."
    if first:
        where = _where(replay, first.candidate)
        before = f"Before, the most that agreed were {first.taps}, near {where}."
    return Told("After talking", head, f"{text} {before}".strip())


def closeness(replay: Replay, index: int, taps: Sequence[int]) -> Told:
    """How near a class came to the pick of event `index`."""
    event, scene = replay.events[index], replay.scene
    rule, pick = criterion(replay, replay.frame(index)), pick_label(event.k)
    assert rule is not None, "a pick has a criterion"
    if not taps:
        return Told("", "Nobody answered")
    at = int(replay.trace.decisions[event.t - 1].indices[event.k])
    tapped, x = scene.candidates[list(taps)], scene.candidates[at]
    shares = rule.shares
    way = "up" if rule.sign > 0 else "down"
    middle = ""
    if shares is not None:
        middle = f"{percent(float(np.median(shares[list(taps)])))} of the way {way}"
    near = int(np.count_nonzero(cdist(tapped / reach(replay), [x / reach(replay)]) <= 0.5))
    told = f"{near} of {len(taps)} are within half a lengthscale."
    if scene.dimension > _DRAWN:
        return Told("The middle one is", middle, told) if middle else Told("Near the pick", told)
    # The smallest distance that at least half of the taps are within.
    distance = float(np.sort(cdist(tapped, [x])[:, 0])[(len(taps) - 1) // 2])
    text = f"The middle one is {middle}; {told}" if middle else told
    head = f"within {number(distance)} of {pick}" if distance else f"at {pick} itself"
    return Told("Half of you are", head, text)


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


def class_run(replay: Replay, rounds: Sequence[Round]) -> ClassRun:
    """From the rounds of a room: those of this run that asked for a place and are revealed."""
    trace, scene, events = replay.trace, replay.scene, {one.text: one for one in replay.events}
    own = [
        one for one in rounds
        if one.kind == "place" and one.stage == "revealed" and one.run == trace.digest
    ]  # fmt: skip
    least, regrets, size = scene.start, [], trace.policy.batch_size
    places = tuple(_agreed(replay, list(one.votes[-1].values()), size) for one in own)
    for found in places:
        values = scene.truth[[one.candidate for one in found]]
        measured = [scene.sign * (scene.optimum - float(value)) for value in values]
        least = min([*measured, *([] if least is None else [least])], default=None)
        regrets.append(least)
    rule = tuple(float(scene.running[events[one.event].t - 1]) for one in own)
    return ClassRun(places, scene.start, tuple(regrets), rule)


def standing(replay: Replay, run: ClassRun) -> Told:
    """The class and the rule after so many rounds."""
    n, top = len(run.places), words_of(replay.trace).top
    lead = f"After {counted(n)} round{'s' * (n > 1)}"
    own, rule = run.regret[-1], run.rule[-1]
    if own is None:
        return Told(lead, "Nothing agreed on", "One game proves nothing.")
    values = f"{plain(own)} and {plain(rule)}. One game proves nothing."
    if own == rule:
        return Told(lead, "As far as the rule", f"from the {top}: {values}")
    ratio = number(max(own, rule) / min(own, rule)) if min(own, rule) else ""
    if own > rule:
        return Told(
            lead, f"{ratio or 'Many'} times as far", f"from the {top} as the rule: {values}"
        )
    return Told(lead, f"{ratio or 'Many'} times as near", f"to the {top} as the rule: {values}")


def plain(regret: float) -> str:
    """Two significant digits without an exponent: a room compares lengths at a glance."""
    return np.format_float_positional(regret, 2, fractional=False, trim="-")


def counts(run: ClassRun, K: int) -> str:
    """On how many places the class agreed in its rounds, and how many the rule measured."""
    found = sorted({len(one) for one in run.places})
    agreed = f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"
    places = "place" if found == [1] else "places"
    return f"The class agreed on {agreed} {places} in each round; the rule measured {K}."


def listed(replay: Replay, found: Sequence[Agreed]) -> list[tuple[str, int]]:
    """Places as a table has them, each with its taps."""
    scene = replay.scene
    return [(place(scene.candidates, one.candidate, scene.extents), one.taps) for one in found]


def _agreed(replay: Replay, taps: Sequence[int], K: int) -> tuple[Agreed, ...]:
    return agreed(taps, replay.scene.candidates, reach(replay), K)


def _fullest(replay: Replay, taps: Sequence[int]) -> Agreed | None:
    return next(iter(_agreed(replay, taps, 1)), None)


def _where(replay: Replay, index: int) -> str:
    """A place to two digits, as it is one of several near it."""
    scene = replay.scene
    if scene.dimension > _DRAWN:
        return place(scene.candidates, index)
    pairs = zip(scene.candidates[index].tolist(), scene.extents.tolist(), strict=True)
    where = ", ".join(coordinate(*pair, digits=2) for pair in pairs)
    return f"{scene.axes[0]} = {where}" if scene.dimension == 1 else f"({where})"
