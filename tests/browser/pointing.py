"""A mouse, a finger or the keyboard on candidates: where they are, and what is read of them."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from ucbpe_app.run.criterion import read, rows
from ucbpe_app.run.replay import Replay

# Where a place of the widest figure of a class is in the window.
_ON_SCREEN = """
([name, x, y]) => {
  const views = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
    .filter((model) => model.css_classes?.includes(name) && Bokeh.index.find_one(model))
    .map((model) => Bokeh.index.find_one(model))
  const view = views.reduce((one, other) => other.bbox.width > one.bbox.width ? other : one)
  view.el.scrollIntoView({block: "center"})
  const {left, top} = view.canvas_view.el.getBoundingClientRect()
  const {x_scale, y_scale, bbox} = view.frame
  return [left + x_scale.compute(x), top + (y === null ? bbox.y_center : y_scale.compute(y))]
}
"""
# What the marks of the candidate pointed at hold, in every figure that has one.
_SPOTS = """
() => Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  .filter((model) => model.type === "GlyphRenderer" && model.glyph.marker?.value === "circle_cross"
    && Bokeh.index.find_one(model))
  .filter(({data_source}, i, all) => all.findIndex((one) => one.data_source === data_source) === i)
  .map(({data_source: {data}}) => data instanceof Map ? data : new Map(Object.entries(data)))
  .map((columns) => ["x", "y", "mean", "std"].filter((name) => columns.has(name))
    .map((name) => [...columns.get(name)][0] ?? null))
"""


def place(page: Page, picture: str, x: float, y: float | None) -> tuple[float, float]:
    """Where a place of a picture ("curve", "field" or "plane") is in the window.

    At half the height of the picture where there is no y.
    """
    left, top = page.evaluate(_ON_SCREEN, [f"lab-at-{picture}", x, y])
    return left, top


def settled_place(page: Page, picture: str, x: float, y: float | None) -> tuple[float, float]:
    """Where it is once the page has stopped to move it: a page that opens is laid out in steps."""
    places = [place(page, picture, x, y)]
    while len(places) < 4 or len(set(places[-4:])) > 1:
        page.wait_for_timeout(250)
        places.append(place(page, picture, x, y))
    return places[-1]


def point_at(page: Page, picture: str, x: float, y: float) -> tuple[float, float]:
    """Move the mouse there."""
    at = place(page, picture, x, y)
    page.mouse.move(at[0] - 40, at[1])
    page.mouse.move(*at)
    return at


def number_field(page: Page) -> Locator:
    return page.get_by_role("spinbutton", name="Candidate", exact=True)


def spots(page: Page) -> list[list[float | None]]:
    """Where each mark is: as many of x, y, mean and std as it has, in this order."""
    return page.evaluate(_SPOTS)


def reads(page: Page, replay: Replay, i: int, index: int, *, truth: bool = True) -> None:
    """The readout tells candidate `index` at event i."""
    expect(number_field(page)).to_have_value(str(index))
    region = page.get_by_role("region", name="One candidate")
    told = rows(replay.scene, read(replay, replay.frame(i), index), truth=truth)
    for row in told:
        if row.kind != "input":  # which only a phone shows
            line = region.locator("div", has=page.get_by_text(row.name, exact=True)).last
            expect(line.locator("dd")).to_have_text(row.value)
    expect(region.locator("dl > div")).to_have_count(len(told))
