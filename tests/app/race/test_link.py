"""A race as a query: every race comes back, and a bad field changes only itself."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

from ucbpe_app.links import Moment, encode, usual
from ucbpe_app.pictures.looks import PolicyLook, policy_looks
from ucbpe_app.race.link import START, RaceMoment, decode_race, encode_race, restore_race
from ucbpe_app.race.race import run_race
from ucbpe_app.race.setup import Configuration, Setup, Unit, race_of
from ucbpe_app.run.settings import KERNELS, SCHEDULES, RunSpec
from ucbpe_app.widgets.comparing import Measure
from ucbpe_core import UCBPEError
from ucbpe_core.policies import POLICIES

LABELS = ("", "wide band", "<b>&amp;=1", "ν ≠ ℓ")


def any_moment(rng: np.random.Generator) -> RaceMoment:
    """A race of random configurations at a random place."""
    problem = str(rng.choice(["multimodal", "himmelblau", "generated_gp_1d"]))
    common = {
        "problem_seed": int(rng.integers(100)),
        "batches": int(rng.integers(1, 8)),
        "initial": int(rng.integers(0, 20)),
        "seed": int(rng.integers(1000)),
    }
    configurations = tuple(
        Configuration(
            replace(
                usual(problem),
                **common,
                policy=str(rng.choice(list(POLICIES))),
                kernel=str(rng.choice(list(KERNELS))),
                lengthscale=float(rng.lognormal()),
                noise_variance=float(rng.lognormal()),
                mean=float(rng.normal()),
                schedule=str(rng.choice(list(SCHEDULES))),
                scale=float(rng.lognormal()),
                batch_size=int(rng.integers(1, 12)),
            ),
            str(rng.choice(LABELS)),
        )
        for _ in range(rng.integers(2, 5))
    )
    return RaceMoment(
        Setup(configurations, Unit(str(rng.choice(list(Unit))))),
        int(rng.integers(0, 90)),
        Measure(str(rng.choice(list(Measure)))),
        frozenset(rng.choice(["truth", "log", "noisy"], rng.integers(3)).tolist()),
        "0123456789abcdef"[:: int(rng.choice([1, -1]))],
    )


@pytest.mark.parametrize("seed", range(50))
def test_every_race_comes_back(seed: int) -> None:
    moment = any_moment(np.random.default_rng(seed))
    query = encode_race(moment)
    assert query.startswith("page=race&")
    assert decode_race(query) == (moment, ())
    assert decode_race(f"?{query}") == (moment, ())


def test_an_empty_query_opens_the_usual_race() -> None:
    moment, errors = decode_race("")
    assert errors == ()
    assert moment == decode_race(START)[0]
    assert moment.setup.common["problem"] == "himmelblau"
    assert moment.value == 3
    assert [one.settings.policy for one in moment.setup.configurations] == [
        "GP-UCB-PE", "GreedyUCB", "GP-BUCB", "GP-UCB"
    ]  # fmt: skip


def test_a_runs_link_opens_a_race_of_it_at_its_batch(spec: RunSpec) -> None:
    for event, batches in (("3.region", 2), ("3.observe", 3), ("1.posterior", 1), ("2.pick.1", 1)):
        query = encode(Moment(spec, digest="ab" * 8)).replace("event=1.posterior", f"event={event}")
        moment, errors = decode_race(query)
        assert errors == ()
        assert moment.setup == race_of(spec)
        assert (moment.value, moment.digest) == (batches, "")


def test_what_is_left_out_is_as_in_the_first() -> None:
    moment, errors = decode_race("problem=himmelblau&scale=0.2&K=7&b.policy=greedyucb&d.K=3")
    assert errors == ()
    first, second, third = moment.setup.configurations
    assert second == first.taking(policy="GreedyUCB")
    assert third == first.taking(batch_size=3)
    assert (first.settings.scale, first.batch_size) == (0.2, 7)


@pytest.fixture
def good(spec: RunSpec) -> RaceMoment:
    setup = replace(race_of(spec), unit=Unit.EVALUATIONS)
    return RaceMoment(setup, 8, Measure.EVERY, frozenset({"truth", "log"}), "ab" * 8)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("c.lengthscale", "wide", "got c.lengthscale=wide; the link opens with c.lengthscale=0.65"),
        ("unit", "seconds", "unit to be one of iterations, evaluations, time; got seconds"),
        ("at", "-1", "at to be an integer, at least 0; got -1"),
        ("race", "zz", "hexadecimal digits; got zz"),
        ("c.label", "x" * 33, "got c.label=xxx"),
        ("b.seed", "3", "a field that links have; got b.seed"),
    ],
)
def test_a_bad_field_changes_only_itself(good: RaceMoment, name: str, text: str, said: str) -> None:
    fields = dict(parse_qsl(encode_race(good)))
    usual_fields = {key: value for key, value in fields.items() if key != name}
    moment, errors = decode_race(urlencode({**fields, name: text}))
    assert len(errors) == 1
    assert said in str(errors[0])
    expected, none = decode_race(urlencode(usual_fields))
    assert none == ()
    assert moment == expected


def test_each_can_be_had_and_not_all_together(spec: RunSpec) -> None:
    query = encode_race(RaceMoment(race_of(replace(spec, batches=100)))) + "&b.K=11"
    moment, errors = decode_race(query)
    assert [error.got for error in errors] == ["b.K=11"]
    assert "at most 1000 picks" in errors[0].expected
    assert moment.setup == race_of(replace(spec, batches=100))


def test_a_race_too_long_for_equal_evaluations_opens_at_equal_iterations(spec: RunSpec) -> None:
    long = RaceMoment(replace(race_of(replace(spec, batches=51)), unit=Unit.EVALUATIONS), 40)
    moment, errors = decode_race(encode_race(long))
    assert moment.setup == replace(long.setup, unit=Unit.ITERATIONS)
    assert [error.remedy for error in errors] == ["the link opens with unit=iterations"]
    assert "at most 200 batches of configuration D" in errors[0].expected


def of(spec: RunSpec, *changes: dict[str, object]) -> Setup:
    return Setup(tuple(Configuration(replace(spec, **one)) for one in changes))


def test_where_the_race_is_not_that_of_its_link(setup: Setup) -> None:
    _, _, errors = restore_race(RaceMoment(setup, 7, digest="0" * 16))
    assert [error.got for error in errors] == ["7", f"race {run_race(setup).digest[:16]}"]
    assert errors[0].expected == "at to be at most 6, where this race ends"


def test_a_configuration_at_fault_gets_a_usual_setting(spec: RunSpec) -> None:
    """GP-BUCB cannot be initialised without noise; the others keep all of theirs."""
    setup = of(spec, {"scale": 0.3}, {"policy": "GP-BUCB", "noise_variance": 0.0}, {"seed": 1})
    with pytest.raises(UCBPEError):
        run_race(setup)
    moment, race, errors = restore_race(RaceMoment(setup))
    assert len(errors) == 1
    assert errors[0].got.endswith("of configuration B")
    first, second, third = moment.setup.configurations
    assert (first, third) == (setup.configurations[0], setup.configurations[2])
    assert second.settings != setup.configurations[1].settings
    assert len(race.runners) == 3


def test_the_race_of_eight_rules_has_eight_looks() -> None:
    """That of docs/compare.md: no marker twice, and colours far apart."""
    text = (Path(__file__).parents[3] / "docs" / "compare.md").read_text(encoding="utf-8")
    (query,) = re.findall(r"/\?page=race&(\S*h\.policy\S*)", text)
    moment, errors = decode_race(query)
    assert errors == ()
    policies = [one.settings.policy for one in moment.setup.configurations]
    assert len(set(policies)) == 8
    looks = policy_looks(policies)
    assert len({(look.mark.marker, look.filled) for look in looks}) == 8
    apart = [np.linalg.norm(a - b) for a, b in combinations(map(_lab, looks), 2)]
    assert min(apart) > 33  # in CIE L*a*b*, where 2.3 is just noticeable side by side


def _lab(look: PolicyLook) -> np.ndarray:
    """L*, a*, b* of a colour, for white D65."""
    s = np.array([int(look.mark.color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(s > 0.04045, ((s + 0.055) / 1.055) ** 2.4, s / 12.92)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    f = np.cbrt(np.array(to_xyz) @ linear / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_what_the_first_run_cannot_have_no_run_has(spec: RunSpec) -> None:
    """More initial points than candidates: all take the usual number."""
    setup = of(replace(spec, initial=500), {}, {"policy": "GreedyUCB"}, {"policy": "GP-UCB"})
    moment, race, errors = restore_race(RaceMoment(setup))
    assert [error.got for error in errors] == ["initial=500 of configuration A"]
    used = moment.setup.common["initial"]
    assert used < 500
    assert {runner.replay.trace.initial for runner in race.runners} == {used}
