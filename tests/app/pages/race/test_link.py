"""A race as a query: every race comes back, and a bad field changes only itself."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

from ucbpe_app.links import Moment, decode, encode, usual
from ucbpe_app.pages.race.link import START, RaceMoment, decode_race, encode_race
from ucbpe_app.pages.race.measures import Measure
from ucbpe_app.pages.race.setup import LETTERS, Configuration, Setup, Unit, race_of
from ucbpe_app.run.settings import KERNELS, SCHEDULES, RunSpec
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
        frozenset(rng.choice(["truth", "log", "noisy"], 2).tolist()),
        "0123456789abcdef"[:: int(rng.choice([1, -1]))],
    )


@pytest.mark.parametrize("seed", range(50))
def test_every_race_comes_back(seed: int) -> None:
    moment = any_moment(np.random.default_rng(seed))
    query = encode_race(moment)
    assert query.startswith("page=race&")
    assert decode_race(query) == (moment, ())
    assert decode_race(f"?{query}") == (moment, ())


def test_no_layers_is_not_the_usual_layers(setup: Setup) -> None:
    moment = RaceMoment(setup, layers=frozenset())
    assert decode_race(encode_race(moment))[0].layers == frozenset()


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
    for event, batches in (("3.region", 2), ("3.observe", 3), ("1.fit", 0), ("2.pick.1", 1)):
        query = encode(Moment(spec, digest="ab" * 8)).replace("event=1.fit", f"event={event}")
        moment, errors = decode_race(query)
        assert errors == ()
        assert moment.setup == race_of(spec)
        assert (moment.value, moment.digest) == (batches, "")


def test_the_first_configuration_is_read_like_a_run(spec: RunSpec) -> None:
    """Leaving out what only races have, the query opens the first run on the Step page."""
    query = encode_race(RaceMoment(race_of(spec)))
    of_a_run = [pair for pair in parse_qsl(query) if "." not in pair[0]]
    others = ("page", "unit", "regret", "at", "race", "label")
    moment, errors = decode(urlencode([pair for pair in of_a_run if pair[0] not in others]))
    assert errors == ()
    assert moment.settings == spec


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
        ("b.policy", "magic", "got b.policy=magic; the link opens with b.policy=gp-ucb-pe"),
        ("c.lengthscale", "wide", "got c.lengthscale=wide; the link opens with c.lengthscale=0.65"),
        ("unit", "seconds", "unit to be one of iterations, evaluations; got seconds"),
        ("at", "-1", "at to be an integer, at least 0; got -1"),
        ("at", "x" * 50, "got " + "x" * 39 + "…"),
        ("race", "zz", "hexadecimal digits; got zz"),
        ("c.label", "x" * 33, "got c.label=xxx"),
        ("b.seed", "3", "a field that links have; got b.seed"),
        ("colour", "red", "a field that links have; got colour"),
        ("scale", "0", "got scale=0; the link opens with scale=1.0"),
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
    if name == "b.policy":  # the configuration is there, with the first one's policy
        first = expected.setup.configurations[0]
        three = expected.setup.configurations
        expected = replace(
            expected,
            setup=Setup((first, first, *three[-2:]), Unit.EVALUATIONS),
        )
    if name == "scale":  # of a run: with another it is another run
        assert moment.setup == good.setup
        return
    assert moment == expected


def test_a_field_given_twice_is_left_out(good: RaceMoment) -> None:
    moment, errors = decode_race(encode_race(good) + "&at=4&c.K=2&c.K=3")
    assert [error.expected for error in errors] == ["at once", "c.K once"]
    assert moment == replace(good, value=0)


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


def test_more_fields_than_any_link_has() -> None:
    moment, errors = decode_race("&".join(f"x{i}=1" for i in range(101)))
    assert [error.expected for error in errors] == ["at most 100 fields"]
    assert len(moment.setup.configurations) == len(LETTERS)
