"""The engine of live lessons against the core, by a thousand random runs, in Chromium.

Every pick, mask of R and R+ and digest is the core's. `tests.live.cases` makes the runs; ten
thousand were compared once. Of a Matérn kernel any smoothness is the core's.
Then its numbers: logarithms, the normal distribution, how they read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.special
from playwright.sync_api import Page
from scipy.interpolate import CubicSpline

from tests.live.cases import case, decided
from tests.live.modules import Modules
from ucbpe_app.engine.tables import engine_settings, plain
from ucbpe_app.run.atlas import SEEDS, SIDE, Atlas
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import TEXTS, percent
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.step.atlas import tables_of
from ucbpe_core import Matern, theory
from ucbpe_core.policies.schedules import rounded_log
from ucbpe_core.support import streams

RUNS, _FEW = 1000, 40
SMOOTHNESS = (3.0, 0.7, 4.5, 1.0, 0.3, 10.2, 60.0)
# In a run without noise whose candidates are all measured, scores can differ by the tolerance of a
# tie to within rounding: 10 of the ten thousand.
_MOST_UNDECIDED = 5
_CELLS = """async ({cells}, {tables, settings, scales}) => {
  const {problemOf} = await import("/tests/live/check.js")
  return cells(problemOf(tables), settings, scales)
}"""


def all_agree(differing: list[str], smoothness: tuple[float, ...] = ()) -> bool:
    """Whether what differs is what the core itself does not decide."""
    numbers = [int(line.partition(":")[0].removeprefix("case ")) for line in differing]
    return len(numbers) <= _MOST_UNDECIDED and not any(
        decided(number, smoothness) for number in numbers
    )


def test_a_few_runs_are_those_of_the_core(page: Page) -> None:
    given = [case(number) for number in range(_FEW)]
    assert {len(one["problem"]["columns"]) for one in given} == {1, 2}
    modules = Modules(page)
    assert modules.differing(given) == []
    given[3]["picks"][1][0] += 1  # the comparison can fail
    assert modules.differing(given[3:4]) == ["case 3: picks"]


@pytest.mark.parametrize(
    ("runs", "smoothness"),
    [(_FEW, SMOOTHNESS), pytest.param(RUNS, (), marks=pytest.mark.slow)],
    ids=["of any smoothness", "a thousand"],
)
def test_runs_are_those_of_the_core(page: Page, runs: int, smoothness: tuple[float, ...]) -> None:
    given = [case(number, smoothness) for number in range(runs)]
    assert {one["settings"].get("nu") for one in given} >= set(smoothness)
    found = Modules(page).differing(given)
    assert all_agree(found, smoothness), found


def of_each(page: Page, file: str, function: str, given: list[float]) -> list[Any]:
    """What a function of the engine makes of each number."""
    each = f"(module, given) => given.map((one) => module.{function}(one))"
    return Modules(page).call(file, each, given)


@pytest.mark.parametrize(("seed", "t"), [(0, 1), (3451799802, 7)])
def test_normal_numbers_are_those_of_numpys_stream(page: Page, seed: int, t: int) -> None:
    draw = """({createNormal}, [seed, t, count]) => {
      const normal = createNormal(seed, t)
      return Array.from({length: count}, normal)
    }"""
    found = np.array(Modules(page).call("random.js", draw, [seed, t, 100_000]))
    known = streams.policy(seed, t).standard_normal(len(found))
    assert np.abs(known).max() > 3.7  # beyond the last layer
    np.testing.assert_allclose(found, known, rtol=4e-16, atol=0)


def engine_inputs(spec: RunSpec) -> dict[str, Any]:
    """What the engine computes a run from."""
    parts = spec.build_gp(), spec.build_policy(), spec.build_schedule()
    settings = engine_settings(*parts, spec.batches)
    return {"tables": plain(tables_of(spec, spec.seed)), "settings": settings}


def test_draws_have_the_covariance_of_the_posterior(page: Page) -> None:
    spec = RunSpec(problem="multimodal", batches=2)
    trace = spec.simulate()
    given = engine_inputs(spec)
    make = """async ({factor}, {tables, settings}) => {
      const {problemOf} = await import("/tests/live/check.js")
      const {simulate} = await import("/app/ucbpe_app/engine/run.js")
      const {p, end} = simulate(problemOf(tables), settings)
      return factor(p, p.n, end.std).map((row) => [...row])
    }"""
    rows = np.array(Modules(page).call("draws.js", make, given))
    some = np.arange(0, rows.shape[1], 7)
    known = trace.before(3).covariance(some)[:, some]
    np.testing.assert_allclose(rows[:, some].T @ rows[:, some], known, atol=3e-8 * 2.3)


def test_draws_over_a_grid_have_the_covariance_of_the_posterior(page: Page) -> None:
    spec = RunSpec(problem="himmelblau", batches=1, initial=6, lengthscale=2.0, variance=3e4)
    trace = spec.simulate()
    given = engine_inputs(spec)
    make = """async ({factor}, {tables, settings}) => {
      const {problemOf} = await import("/tests/live/check.js")
      const {simulate} = await import("/app/ucbpe_app/engine/run.js")
      const {spread} = await import("/app/ucbpe_app/engine/spline.js")
      const {p, end} = simulate(problemOf(tables), settings)
      const [first, second] = tables.grid.map((n) => spread(n, 8))
      const places = first.flatMap((i) => second.map((j) => i * tables.grid[1] + j))
      return [places, factor(p, p.n, end.std, places).map((row) => [...row])]
    }"""
    places, rows = map(np.array, Modules(page).call("draws.js", make, given))
    assert len(places) == 64
    known = trace.before(2).covariance(places)[:, places]
    np.testing.assert_allclose(rows.T @ rows, known, atol=3e-8 * spec.variance)


def test_a_spline_over_a_grid_is_scipys(page: Page) -> None:
    rng = np.random.default_rng(3)
    sides = [np.sort(rng.uniform(-2, 3, n)) for n in (23, 31)]
    known = [np.array([0, 3, 4, 9, 15, 22]), np.array([0, 1, 8, 9, 17, 21, 30])]
    values = rng.standard_normal([len(one) for one in known])
    rows = CubicSpline(sides[1][known[1]], values, axis=1, bc_type="natural")(sides[1])
    expected = CubicSpline(sides[0][known[0]], rows, axis=0, bc_type="natural")(sides[0])
    parts = [values.ravel().tolist(), *([one.tolist() for one in two] for two in (known, sides))]
    make = "({splined}, parts) => [...splined(...parts)]"
    found = np.array(Modules(page).call("spline.js", make, parts)).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_a_logarithm_is_the_one_of_the_schedules(page: Page) -> None:
    numbers = np.exp(np.random.default_rng(1).uniform(-30, 60, 2000)).tolist()
    numbers += [1.0, 2.0, 5e-324, 1.7e308, 2204.72838279134]
    assert of_each(page, "exact.js", "log", numbers) == [rounded_log(x) for x in numbers]


def test_the_normal_distribution_is_scipys(page: Page) -> None:
    far = np.geomspace(0.7, 1e5, 800)
    erfcx = of_each(page, "special.js", "erfcx", far.tolist())
    np.testing.assert_allclose(erfcx, scipy.special.erfcx(far), rtol=4e-15)
    near = np.linspace(-1, 9, 500)
    ndtr = of_each(page, "special.js", "ndtr", near.tolist())
    np.testing.assert_allclose(ndtr, scipy.special.ndtr(near), rtol=4e-15)


@pytest.mark.parametrize("nu", [0.02, 0.7, 3.0, 19.9, 20.3, 1000.0])
def test_matern_kernels_of_any_smoothness_are_those_of_the_core(page: Page, nu: float) -> None:
    r = np.concatenate([[0.0], np.geomspace(1e-140, 1e-3, 100), np.geomspace(1e-3, 1e6, 500)])
    found = np.array(of_each(page, "matern.js", f"matern({nu})", r.tolist()), dtype=float)
    assert found[0] == 1.0
    known = Matern(nu=nu).profile(r)
    np.testing.assert_allclose(found, known, rtol=0, atol=2e-13)
    s = np.sqrt(2 * nu) * r[1:]
    with np.errstate(all="ignore"):
        front = 2 ** (1 - nu) / scipy.special.gamma(nu)
        by_definition = front * s**nu * scipy.special.kv(nu, s)
    sound = np.isfinite(by_definition) & (by_definition > 1e-200) & (s < 600)
    assert sound.sum() > 200 or nu > 100  # where K_nu overflows for most
    np.testing.assert_allclose(found[1:][sound], by_definition[sound], rtol=1e-12)


def test_numbers_are_written_as_by_python(page: Page) -> None:
    rng = np.random.default_rng(2)
    sizes = 10 ** rng.uniform(-9, 9, 3000) * rng.choice([-1, 1], 3000)
    ties = [0.125, 1.125, 2.125, 0.0625, 10.25, 10.35, 1000.5, 1001.5, 2.5e-7, 999.5, 999500.0]
    numbers = [*sizes.tolist(), *ties, 0.0, -0.0, 1e-4, 1e-5, 123456.0, 1e6]
    assert of_each(page, "words.js", "number", numbers) == [number(x) for x in numbers]
    shares = [*rng.uniform(0, 1, 500).tolist(), 0.0, 1.0, 0.099999, 0.1, 0.005, 0.125, 0.025]
    assert of_each(page, "words.js", "percent", shares) == [percent(x) for x in shares]


def test_what_cannot_be_computed_is_said_each_time(page: Page) -> None:
    ask = """({answer}, texts) => {
      const tables = {columns: [[0, 1]], values: [1, 2], start: [0], startY: [1], sign: 1,
        noise: [[0]], noiseStd: 0, draws: [[0]]}
      const settings = {kernel: "rbf", lengthscale: 1, variance: 1, mean: 0, noise_variance: 0,
        policy: "GP-BUCB", K: 2, T: 1, C: 2, widening: 2, initialization: true,
        second: "none", stretch: 1, schedule: "constant", beta: 4, scale: 1}
      answer({kind: "open", live: {tables, lexicon: {texts}}})
      const asked = {kind: "show", settings, own: [], layers: {}}
      return [answer(asked).error, answer(asked).error]
    }"""
    said = Modules(page).call("answers.js", ask, dict(TEXTS))
    assert len(set(said)) == 1
    assert said[0].startswith("GP-BUCB needs a noise variance above 0")


def test_of_a_code_only_numbers_are_taken_and_measurements_that_the_run_has(page: Page) -> None:
    read = """({read}, texts) => {
      const lesson = {policy: "GP-UCB-PE", K: 2, T: 3, noise_variance: 1}
      const bounds = {low: 0, high: null, closed: [true, true]}
      const controls = {K: {low: 1, high: 20, closed: [true, true], whole: true},
        noise_variance: bounds}
      const limits = {controls, layers: {}, size: 9, mostOwn: 4, initial: 3}
      return texts.map((text) => {
        const {state: {settings, own, moved}, refused} = read(text, lesson, limits)
        return [settings.K, settings.noise_variance, own, moved, refused]
      })
    }"""
    known: dict[str, list[Any]] = {
        "K=3&noise_variance=2.5e-1": [3, 0.25, [], [], []],
        "K=0x3": [2, 1, [], [], ["K = 0x3"]],
        "noise_variance=%20": [2, 1, [], [], ["noise_variance =  "]],
        "noise_variance=": [2, 1, [], [], ["noise_variance = "]],
        "own=8,0": [2, 1, [8, 0], [], []],
        "own=": [2, 1, [], [], ["own"]],
        "own=1,,9": [2, 1, [1], [], ["own"]],
        "moved=0_-1.5,8_out": [2, 1, [], [[0, -1.5], [8, None]], []],
        "moved=9_out": [2, 1, [], [], ["moved"]],  # 3 + 2 * 3 are measured
        "moved=9_1&own=4": [2, 1, [4], [[9, 1]], []],
        "moved=_1": [2, 1, [], [], ["moved"]],
        "moved=1_2_3": [2, 1, [], [], ["moved"]],
    }
    assert Modules(page).call("state.js", read, [*known]) == [*known.values()]


def test_a_difference_from_python_is_named(page: Page) -> None:
    differs = """({differenceOf}, texts) => {
      const run = {initial: 1, y: [0.5, 1, 2], iterations: [
        {t: 1, beta: 3, picks: [{index: 4}]}, {t: 2, beta: 5, picks: [{index: 7}]}]}
      const same = {y: [0.5, 1, 2], beta: [3, 5], picks: [[4], [7]]}
      const others = [{}, {y: [0.4, 1, 2]}, {beta: [3, 6]}, {picks: [[4], [8]]},
        {y: [0.5, 1, 3]}]
      return others.map((other) => differenceOf(run, {...same, ...other}, texts))
    }"""
    assert Modules(page).call("answers.js", differs, dict(TEXTS)) == [
        "",
        "initial measurement 1 is 0.5, not 0.4",
        "β of batch 2 is 5, not 6",
        "x⁰ of batch 2 is candidate 7, not 8",
        "the result of x⁰ of batch 2 differs",
    ]


def test_cells_of_the_atlas_are_those_of_the_core(page: Page) -> None:
    spec = RunSpec(problem="multimodal", batches=5, initial=2, seed=9998)
    cells = Atlas.of(replace(spec, kernel="Matérn", nu=1.5))
    rng = np.random.default_rng(0)
    for column in (0, 4, 7, 12):
        seed = int(rng.integers(SEEDS))
        spec = cells.at((0, column), seed)
        given = {**engine_inputs(spec), "scales": cells.scales.tolist()}
        found = Modules(page).call("cell.js", _CELLS, given)
        for row in rng.choice(SIDE, 5, replace=False):
            trace = cells.at((int(row), column), seed).simulate()
            run = theory.diagnose(trace)
            regions = [one.region_plus.mean() for one in trace.decisions]
            expected = [
                np.min(trace.simple_regret),
                np.count_nonzero(run.outside),
                regions[-1],
                regions.count(1.0),
            ]
            assert found[row] == expected, (row, column)
