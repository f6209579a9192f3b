"""Where the maps of a function of two inputs stand: side by side, or one large and three small."""

from __future__ import annotations

from ucbpe_app.figures.field.panel import BARE_WIDER_THAN_HIGH, WIDER_THAN_HIGH

# Their names for assistive technology; the posterior mean is what stands for the function.
MAPS = {
    "truth": "Truth",
    "mean": "Function",
    "std": "Standard deviation",
    "upper": "Upper bound",
}
_GAP = 8
_WORDS = "3.5rem"  # the legend and the note, where they stand above the maps
# The small maps in one column, and the legend above all: for a picture that is high and not wide.
ONE_COLUMN = f"""
    --small-columns: 1;
    --small-rows: 3;
    --large-map: 64cqw;
    --large-area: 2 / 1 / 5 / 2;
    --words-area: 1 / 1 / 2 / -1;
    --words-height: {_WORDS};
""".strip()
_NAMES = 46  # px above two maps that are compared: what each is called
# The width of the view, not of the window, decides how many squares fit side by side. Heights
# follow from widths here, as Bokeh can make figures square but not their frames.
# Two rows of squares fit a window as low as 720 px, above the timeline, without scrolling. In
# Present, where a rem is larger, labels take more of a square, which is as much larger itself.
_LEAST_SIDE = "15.625rem"  # 250 px
_TWO_ROWS = f"min(var(--share), max({_LEAST_SIDE}, (100vh - 330px) / 2 + {WIDER_THAN_HIGH}px))"
_FEATURED = ", ".join(f":host(.lab-featured-{name}) .lab-field-{name}" for name in MAPS)
_OTHERS = ", ".join(
    f":host(.lab-field-alone.lab-featured-{name}) .lab-field-square:not(.lab-field-{name})"
    for name in MAPS
)
VIEW = ":host(.lab-field) { container-type: inline-size; }"
MAPS_IN_PLACE = f"""
:host(.lab-field-squares) {{
  --columns: 1;
  --share: calc((100cqw - (var(--columns) - 1) * {_GAP}px) / var(--columns));
  --side: var(--share);
  display: grid !important;
  grid-template-columns: repeat(var(--columns), var(--side));
  justify-content: space-evenly;
  gap: {_GAP}px;
}}
.lab-field-square {{ height: calc(var(--side) - {WIDER_THAN_HIGH}px) !important; }}
:host(.lab-field-featured) .lab-field-square {{
  height: calc(var(--side) - {BARE_WIDER_THAN_HIGH}px) !important;
}}
.lab-field-words {{ order: -2; grid-column: 1 / -1; }}
{_FEATURED} {{ order: -1; height: calc(var(--side) - {WIDER_THAN_HIGH}px) !important; }}
:host(.lab-field-three) .lab-field-truth {{ display: none !important; }}
@container (min-width: 480px) {{
  :host(.lab-field-squares) {{ --columns: 2; --side: {_TWO_ROWS}; }}
  :host(.lab-field-three) .lab-field-upper {{
    grid-column: 1 / -1;
    justify-self: center;
    width: var(--side) !important;
  }}
}}
@container (min-width: 800px) {{
  :host(.lab-field-three) {{ --columns: 3; --side: var(--share); }}
  :host(.lab-field-three) .lab-field-upper {{ grid-column: auto; }}
}}
@container (min-width: 65rem) {{
  :host(.lab-field-squares:not(.lab-field-three, .lab-field-featured)) {{
    --columns: 4;
    --side: var(--share);
  }}
}}
/* One map is as high as the others, which stand beside it: in two columns, where the legend has the
   place that no map takes, or in one. */
@container (min-width: 560px) {{
  :host(.lab-field-featured) {{
    --beside: var(--small-columns, 2);
    --rows: var(--small-rows, 2);
    --tall: calc(var(--field-height, 400px) - var(--words-height, 0px));
    --large: min(var(--tall) + {WIDER_THAN_HIGH}px, var(--large-map, 56cqw));
    --side: clamp(
      0px,
      (100cqw - var(--large)) / var(--beside) - {_GAP}px,
      (var(--tall) - (var(--rows) - 1) * {_GAP}px) / var(--rows) + {BARE_WIDER_THAN_HIGH}px
    );
    grid-template-columns: var(--large) repeat(var(--beside), var(--side));
    justify-content: start;
  }}
  :host(.lab-field-featured) .lab-field-words {{
    --note-height: var(--field-note, 4lh);
    grid-area: var(--words-area, 2 / 3);
    align-self: center;
  }}
  :host(.lab-field-featured.lab-field-three) {{
    {ONE_COLUMN}
    --small-rows: 2;
  }}
  :host(.lab-field-featured.lab-field-three) .lab-field-upper {{
    grid-column: 2;
    width: var(--side) !important;
  }}
  :host(.lab-field-featured) .lab-field-square {{ visibility: var(--small-maps, visible); }}
  {_FEATURED} {{
    visibility: visible !important;
    grid-area: var(--large-area, 1 / 1 / 3 / 2) !important;
    width: auto !important;
    height: calc(var(--large) - {WIDER_THAN_HIGH}px) !important;
  }}
}}
@container (min-width: 560px) and (max-width: 639px) {{
  :host(.lab-field-featured) {{
    {ONE_COLUMN}
  }}
}}
/* Beside that of another run, one map alone. */
:host(.lab-field-alone) {{
  --words-area: 1 / 1;
  --side: min(
    100cqw, var(--field-height, 400px) - {_WORDS} + {WIDER_THAN_HIGH - _NAMES}px
  ) !important;
  grid-template-columns: var(--side) !important;
}}
:host(.lab-field-alone) .lab-field-square {{
  grid-area: 2 / 1 !important;
  width: auto !important;
  height: calc(var(--side) - {WIDER_THAN_HIGH}px) !important;
}}
{_OTHERS} {{ display: none !important; }}
"""
