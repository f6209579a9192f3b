"""A link restores the study on screen, and no field of it spoils another."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.study.conftest import spec_of
from ucbpe_app.links import Moment, encode, usual
from ucbpe_app.run.settings import WHOLE
from ucbpe_app.study.plan import (
    StudyMoment,
    StudySettings,
    StudySpec,
    decode_study,
    encode_study,
    of_a_run,
)
from ucbpe_core.errors import InputError
from ucbpe_core.history.workers import DURATIONS
from ucbpe_core.policies import POLICIES

USUAL = StudySettings().spec()
OWN = StudyMoment(spec_of(scale=0.1 + 0.2, seed=17), reference="Random search")


def refused(query: str) -> list[InputError]:
    return list(decode_study(query)[1])


@st.composite
def specs(draw: st.DrawFn) -> StudySpec:
    """Any study that the page takes: on a curve none is too large."""
    policies = draw(st.sets(st.sampled_from(list(POLICIES)), min_size=1))
    whole = policies & set(WHOLE)
    spec = StudySpec(
        problem=draw(st.sampled_from(["multimodal", "thin_peak", "tsunami"])),
        policies=tuple(name for name in POLICIES if name in policies),
        batch_size=draw(st.integers(1, 50)),
        batches=draw(st.integers(1, 12)),
        initial=draw(st.integers(0, 400)),
        replicates=draw(st.integers(1, 64)),
        durations=draw(st.sampled_from(DURATIONS)),
        results=draw(st.sampled_from(["in batches", *([] if whole else ["one by one", "both"])])),
        seed=draw(st.integers(0, 9999)),
        scale=draw(st.floats(1e-9, 1e9)),
    )
    spec.check()
    return spec


@given(specs(), st.data())
@settings(max_examples=60, deadline=None)
def test_an_own_study_comes_back_exactly(spec: StudySpec, data: st.DataObject) -> None:
    reference = data.draw(st.sampled_from(["", *(one.label for one in spec.plans)]))
    moment = StudyMoment(spec, reference, over_time=data.draw(st.booleans()))
    assert decode_study(encode_study(moment)) == (moment, ())


def test_the_address_is_readable() -> None:
    assert encode_study(OWN) == (
        "page=study&problem=thin_peak&policies=gp-ucb-pe,gp-bucb,random-search&K=3&T=5&initial=4"
        "&results=in-batches&durations=exponential&replicates=3&seed=17&scale=0.30000000000000004&minus=random-search"
    )


def test_a_run_brings_its_settings() -> None:
    run = replace(usual("himmelblau"), policy="EI-PE", batch_size=7, batches=9, scale=0.2, seed=3)
    moment, errors = decode_study("?" + encode(Moment(run)))
    assert not errors
    spec = moment.settings
    assert (spec.problem, spec.batch_size, spec.batches) == ("himmelblau", 7, 9)
    assert (spec.scale, spec.seed, spec.initial) == (0.2, 3, run.initial)
    assert spec.policies == ("GP-UCB-PE", "GreedyUCB", "EI-PE", "Random search")


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("K", "0"), ("T", "2.5"), ("replicates", "999"), ("scale", "nan"), ("problem", "moon"),
        ("policies", "gp-ucb-pe,<b>x</b>"), ("minus", "nobody"),
    ],
)  # fmt: skip
def test_a_bad_field_changes_only_itself(field: str, text: str) -> None:
    fields = {**dict(parse_qsl(encode_study(OWN))), field: text}
    if field == "policies":
        del fields["minus"]  # of a policy that is no longer there
    moment, errors = decode_study(urlencode(fields))
    assert len(errors) == 1
    assert field in errors[0].got or field in errors[0].expected
    names = {"K": "batch_size", "T": "batches"}
    if field == "minus":
        assert moment == replace(OWN, reference="")
    else:
        name = names.get(field, field)
        expected = replace(OWN.settings, **{name: getattr(USUAL, name)})
        assert moment.settings == expected


def test_of_values_that_do_not_go_together_the_first_are_taken() -> None:
    moment, errors = decode_study("policies=gp-ucb-pe&problem=multimodal&K=40&T=30&initial=0")
    assert (moment.settings.batch_size, moment.settings.batches) == (40, USUAL.batches)
    assert moment.settings.initial == 0
    assert ["T=30" in error.got for error in errors] == [True]


def test_a_field_of_earlier_versions_is_told() -> None:
    (error,) = refused("study=section5")
    assert error.expected.startswith("a field that links have")


def test_other_pages_get_what_they_understand() -> None:
    query = "page=study&study=anchor&on=x&minus=a&policies=b&replicates=4&K=3&event=2.posterior"
    assert of_a_run("?" + query) == "K=3&event=2.posterior"
    run = encode(Moment(usual("himmelblau")))
    assert dict(parse_qsl(of_a_run(run))) == dict(parse_qsl(run))
