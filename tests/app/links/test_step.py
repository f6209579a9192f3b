"""A link is one exact moment: whole, readable, and no field of it spoils another."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ucbpe_app.lessons import find, offered
from ucbpe_app.links import DIGEST_DIGITS, Moment, decode, encode, usual
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.notation import SETTING_CODES
from ucbpe_app.run.screen import CONTROLS, GROUPS, LAYERS, SECTIONS
from ucbpe_app.run.settings import (
    JOINED,
    KERNELS,
    MEASURED,
    ONE_BY_ONE,
    PROBLEM_NAMES,
    SCHEDULES,
    SETTINGS,
    TOGETHER,
    RunSpec,
    Settings,
)
from ucbpe_core.history.workers import DURATIONS
from ucbpe_core.policies import POLICIES

SPEC = RunSpec(
    problem="thin_peak",
    problem_seed=3,
    policy="Local penalization",
    kernel="Matérn",
    nu=2.5,
    lengthscale=0.1 + 0.2,
    degree=3,
    offset=0.5,
    variance=1e-7,
    mean=-1.5,
    noise_variance=0.0,
    schedule="Compact cube",
    delta=0.05,
    beta=9.0,
    scale=0.2,
    batch_size=7,
    batches=12,
    initial=0,
    seed=41,
)
MOMENT = Moment(
    SPEC,
    Event(3, Kind.PICK, 2),
    frozenset({"truth", "log"}),
    frozenset({"Belief", "batch_size"}),
    "thin-peak",
    "0123456789abcdef",
)
# What version 1 writes. Links that people keep are like this one, so it must open for ever.
VERSION_1 = (
    "v=1&preset=thin-peak&problem=thin_peak&problem_seed=3&policy=local-penalization&kernel=matern"
    "&nu=2.5&lengthscale=0.30000000000000004&degree=3&offset=0.5&variance=1e-07&mean=-1.5"
    "&noise_variance=0.0&schedule=compact-cube&delta=0.05&beta=9.0&scale=0.2&K=7&T=12&initial=0"
    "&seed=41&event=3.pick.2&show=log,truth&hide=Belief,K&run=0123456789abcdef"
)


def positive(most: float = 1e12) -> st.SearchStrategy[float]:
    return st.floats(1e-12, most)


specs = st.builds(
    RunSpec,
    problem=st.sampled_from([name for name in PROBLEM_NAMES if name != "abalone"]),
    problem_seed=st.integers(0, 9999),
    policy=st.sampled_from(list(POLICIES)),
    kernel=st.sampled_from(list(KERNELS)),
    nu=positive(1000),
    lengthscale=positive(),
    period=positive(),
    alpha=positive(),
    degree=st.integers(1, 8),
    offset=positive(),
    variance=positive(),
    stretch=positive(),
    second=st.sampled_from(["none", *JOINED]),
    second_lengthscale=positive(),
    second_period=positive(),
    second_variance=positive(),
    mean=st.floats(-1e12, 1e12),
    noise_variance=st.one_of(st.just(0.0), positive()),
    schedule=st.sampled_from(list(SCHEDULES)),
    delta=st.floats(1e-12, 1, exclude_max=True),
    beta=positive(),
    scale=positive(),
    batch_size=st.integers(1, 5),
    batches=st.integers(1, 200),
    initial=st.integers(0, 500),
    seed=st.integers(0, 9999),
    results=st.sampled_from([TOGETHER, ONE_BY_ONE]),
    durations=st.sampled_from(list(DURATIONS)),
)
events = st.one_of(
    st.builds(
        Event, st.integers(1, 200), st.sampled_from([Kind.POSTERIOR, Kind.REGION, Kind.OBSERVE])
    ),
    st.builds(Event, st.integers(1, 200), st.just(Kind.PICK), st.integers(0, 49)),
)
moments = st.builds(
    Moment,
    settings=specs,
    event=events,
    layers=st.frozensets(st.sampled_from(LAYERS)),
    hidden=st.frozensets(st.sampled_from(sorted({*GROUPS, *CONTROLS}))),
    preset=st.sampled_from(["", *(lesson.slug for lesson in offered())]),
    digest=st.text("0123456789abcdef", min_size=DIGEST_DIGITS, max_size=DIGEST_DIGITS),
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None, derandomize=True)
@given(moments)
def test_any_moment_comes_back_the_same(moment: Moment) -> None:
    again, errors = decode(encode(moment))
    assert errors == ()
    assert again == moment
    assert all(type(a) is type(b) for a, b in zip(*map(_values, (again, moment)), strict=True))


def _values(moment: Moment) -> list[Any]:
    return list(asdict(moment.settings).values())


@pytest.mark.slow
@settings(max_examples=50, deadline=None, derandomize=True)
@given(moments, specs)
def test_so_do_all_settings_of_held_data(moment: Moment, other: RunSpec) -> None:
    own = replace(moment.settings, results=TOGETHER)
    shared = {name: getattr(own, name) for name in ("batch_size", "results", *MEASURED)}
    data = replace(other, **shared)
    held = data if data != own and own.can_hold(data) else None
    moment = replace(moment, settings=own, data=held)
    assert decode(encode(moment)) == (moment, ())


def test_a_link_of_version_1_means_what_it_meant() -> None:
    written = parse_qsl(encode(MOMENT))
    assert [pair for pair in written if pair in parse_qsl(VERSION_1)] == parse_qsl(VERSION_1)
    assert decode(VERSION_1) == (MOMENT, ())
    assert decode("?" + VERSION_1) == (MOMENT, ())


def test_a_link_has_every_setting_and_nothing_that_needs_escaping() -> None:
    names = [name for name, _ in parse_qsl(encode(MOMENT), keep_blank_values=True)]
    unused = [name for name, one in SETTINGS.items() if one.optional]
    assert unused == [
        *("stretch", "second_lengthscale", "second_period", "second_variance"),
        "shared",
    ]
    written = [name for name in SETTING_CODES if name not in unused]
    assert [name for name in names if name in SETTING_CODES] == written
    assert len(SETTING_CODES) == len(fields(RunSpec))
    for policy in POLICIES:
        for schedule in SCHEDULES:
            settings = replace(SPEC, policy=policy, schedule=schedule)
            assert "%" not in encode(replace(MOMENT, settings=settings))


def test_no_layer_at_all_is_not_the_same_as_no_word_about_layers() -> None:
    nothing = replace(MOMENT, layers=frozenset())
    assert decode(encode(nothing))[0].layers == frozenset()
    assert decode("preset=figure-1")[0].layers == {"noisy"}
    assert decode("problem=figure1")[0].layers == {"truth"}


def test_whether_picks_are_asked_is_as_the_lesson_says_unless_the_link_does() -> None:
    assert decode("preset=start")[0].predict == ""
    for text in ("on", "off"):
        moment, errors = decode(f"preset=start&predict={text}")
        assert (moment.predict, errors) == (text, ())
        assert f"predict={text}" in encode(moment)
    moment, (error,) = decode("preset=start&predict=maybe")
    assert moment.predict == ""
    assert str(error) == "expected predict to be on or off; got maybe; the lesson decides"


def test_what_is_left_out_is_as_in_the_lesson_or_as_the_problem_suggests() -> None:
    lesson = find("himmelblau")
    assert lesson is not None
    moment, errors = decode("preset=himmelblau&hide=Belief,K")
    assert errors == ()
    assert moment.settings == lesson.spec()
    assert moment.event == lesson.event
    assert moment.hidden == {"Belief", "batch_size"}
    moment, errors = decode("problem=himmelblau&K=10")
    assert errors == ()
    assert moment.settings == replace(usual("himmelblau"), batch_size=10)
    assert moment.settings.build_gp() == moment.settings.build_problem().gp
    assert moment.preset == ""


@pytest.mark.parametrize(
    "query", ["", "?", "theme=dark", "hide=Policy", "preset=none", "what=this"]
)
def test_without_a_setting_it_is_the_first_lesson(query: str) -> None:
    moment, _ = decode(query)
    assert moment.preset == offered()[0].slug
    assert moment.settings == offered()[0].spec()


# (field, text, what its notice says, the one attribute of the moment that it may change)
BAD = [
    ("lengthscale", "long", "Lengthscale to be a number above 0; got lengthscale=long", "settings"),
    ("lengthscale", "nan", "got lengthscale=nan", "settings"),
    ("delta", "1", "below 1; got delta=1", "settings"),
    ("K", "2.5", "Batch size K to be an integer from 1 to 250", "settings"),
    ("seed", "9" * 5000, "got seed=999", "settings"),
    ("problem", "rosenbrock", "Problem to be one of figure1, ", "settings"),
    ("event", "0.posterior", "event as in 3.posterior", "event"),
    ("show", "log,truth,all", f"show to name some of {', '.join(LAYERS)}; got all", ""),
    ("hide", "Belief,K,belief", "hide to name some of Start, ", ""),
    ("run", "0123", "run to be 8 to 64 hexadecimal digits; got 0123", "digest"),
    ("preset", "thick-peak", "preset to be one of start, ", "preset"),
    ("v", "2", "a link of version 1 or before; got v=2; what this version knows is opened", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "said", "changed"), BAD, ids=[f"{b[0]}={b[1][:9]}" for b in BAD]
)
def test_a_bad_field_changes_only_itself(name: str, text: str, said: str, changed: str) -> None:
    whole = dict(parse_qsl(VERSION_1))
    moment, errors = decode("&".join(f"{k}={v}" for k, v in {**whole, name: text}.items()))
    assert len(errors) == 1
    assert said in str(errors[0])
    assert len(errors[0].got) < 60
    different = {
        f.name for f in fields(Moment) if getattr(moment, f.name) != getattr(MOMENT, f.name)
    }
    if changed == "settings":  # and then it is another run, of another digest
        assert moment.digest == ""
        different -= {"digest"}
        setting = {"K": "batch_size", "T": "batches"}.get(name, name)
        expected = getattr(usual(SPEC.problem, "thin-peak"), setting)
        if setting == "problem":
            expected = "thin_peak"
        assert moment.settings == replace(SPEC, **{setting: expected})
        assert different <= {"settings"}
    else:
        assert different == ({changed} if changed else set())


def test_settings_that_do_not_go_together_lose_the_last_ones() -> None:
    moment, (error,) = decode("problem=figure1&K=50&T=200")
    assert moment.settings == replace(usual("figure1"), batch_size=50)
    assert "at most 1000 picks" in error.expected
    assert error.got == "T=200"
    # Together they can be had, in whatever order one would come to them.
    for query in ("T=200&K=5&preset=himmelblau", "K=50&T=20"):
        assert decode(query)[1] == ()


def test_a_problem_that_cannot_be_had_changes_only_the_problem(without_abalone: object) -> None:
    whole = dict(parse_qsl(VERSION_1))
    query = "&".join(f"{k}={v}" for k, v in {**whole, "problem": "abalone"}.items())
    moment, (error,) = decode(query)
    assert moment == replace(MOMENT, digest="")
    assert str(without_abalone) in error.expected
    assert error.got == "problem=abalone"
    moment, (error,) = decode("problem=abalone&K=3")
    assert moment.settings == replace(usual("multimodal"), batch_size=3)
    assert error.remedy == "the link opens with problem=multimodal"


def test_every_setting_has_a_place_in_the_settings_column() -> None:
    placed = [name for rows in SECTIONS.values() for row in rows for name in row]
    assert sorted(placed) == sorted(field.name for field in fields(RunSpec))
    assert not set(GROUPS) & CONTROLS
    assert set(vars(Settings().spec())) < CONTROLS


def test_the_settings_of_held_data_are_written_where_they_differ() -> None:
    data = replace(SPEC, lengthscale=2.0, schedule="Constant", mean=0.0)
    moment = replace(MOMENT, data=data)
    query = encode(moment)
    written = VERSION_1.replace("&degree", "&period=2.0&alpha=1.0&degree")
    written = written.replace("&mean", "&second=none&mean")
    written = written.replace("&event", "&results=in-batches&durations=exponential&event")
    assert query == (written + "&data.lengthscale=2.0&data.mean=0.0&data.schedule=constant")
    assert decode(query) == (moment, ())
    assert decode(VERSION_1 + "&data.lengthscale=0.30000000000000004")[0].data is None


def test_held_data_keep_what_neither_kernel_uses_of_the_other() -> None:
    own = replace(SPEC, second="plus Periodic", second_period=3.0)
    usual_period = RunSpec.second_period
    data = replace(own, second="none", second_period=usual_period)
    for first, second in ((own, data), (data, own)):
        moment = replace(MOMENT, settings=first, data=second)
        assert decode(encode(moment)) == (moment, ())


@pytest.mark.parametrize("changes", [{}, {"lengthscale": 2.0, "seed": 7, "policy": "GreedyUCB"}])
def test_a_pinned_run_is_part_of_the_link(changes: dict[str, Any]) -> None:
    moment = replace(MOMENT, pinned=replace(SPEC, **changes))
    query = encode(moment)
    assert query.count("pin") == 1 + len(changes)
    assert decode(query) == (moment, ())
    moment, errors = decode(VERSION_1 + "&pin.lengthscale=-1")
    assert moment.pinned == SPEC
    assert [error.got for error in errors] == ["pin.lengthscale=-1"]


def test_what_held_data_cannot_have_is_left_out() -> None:
    moment, errors = decode(VERSION_1 + "&data.lengthscale=-1&data.scale=3&data.seed=4")
    assert moment.data == replace(SPEC, scale=3.0)
    assert [error.got for error in errors] == ["data.seed", "data.lengthscale=-1"]
    assert "data.lengthscale=0.30000000000000004" in errors[1].remedy
