"""The texts of lessons whose words are plain: those that need no word of the field.

Each takes the place of the text of the same name; all others stay as they are.
"""

from __future__ import annotations

from types import MappingProxyType

PLAIN = MappingProxyType(
    {
        "item.fit": "what we know",
        "item.region": "rule out",
        "item.observe": "measure",
        # What is known.
        "heading.fit": "What we know",
        "fit.status": "what we know from {count} measurements",
        "fit.status.one": "what we know from {count} measurement",
        "prior": "Nothing is measured yet: the band is what we assume, ± {half} at x = {x}.",
        "posterior": "Near the {count} measurements we know the curve well. Away from them we do "
                     "not: there the band is wide, up to ± {half} at x = {x}.",
        "posterior.one": "Near the one measurement we know the curve well. Away from it we do "
                         "not: there the band is wide, up to ± {half} at x = {x}.",
        "fit": "{evidence}",
        # Picks.
        "pick.status": "{pick}: x = {x}, std {std}",
        "repeat_learns": ": as no measurement is exact, measuring again can tell the most",
        "known": " The curve is known there already, so its result tells nothing new.",
        "ucb": "Of all places, {pick} = {x} is where the band reaches {highest}: {value}, the best "
               "guess {mean} {plus} {multiplier} × std {std}. Std is how unsure we are.",
        "least_known": "Of the places not ruled out, {pick} = {x} is where we are least sure"
                       "{given}: std {std}.",
        "blind": " No result is needed to know this: std depends on where we measure, not on what "
                 "comes out.",
        # What is ruled out.
        "heading.region": "What is ruled out",
        "region.status": "rule out {out}: the {top} is {at_least} {y_dot}",
        "region": "If the curve stays inside the band, its {top} is {at_least} {y_dot}{kept}"
                  "{exhausted}",
        "region.part": ", and it is not where even a wider band stays {short_of} that: {out} is "
                       "ruled out. The rest of the batch is chosen from what is left.",
        "region.all": ". A wider band reaches that everywhere, so nothing is ruled out yet.",
        "exhausted": " The curve is known everywhere there, so no result tells anything new.",
        # The results.
        "heading.observe": "What came out",
        "results": "{count} results",
        "results.one": "{count} result",
        "news": "The {count} results are in",
        "observe.status": "{results}: the best is {simple} {short_of} the {top}, the best so far "
                          "{running}",
        "observe": "{news} and the best guess moves for the first time in this batch. Its best "
                   "point is {simple} {short_of} the {top} of the curve; the best so far, "
                   "{running}.",
        "moved": "{n} values were moved by hand: the best guess and the points chosen follow. The "
                 "width of the band stands still: it depends only on where we measured.",
        "moved.one": "A value was moved by hand: the best guess and the points chosen follow. The "
                     "width of the band stands still: it depends only on where we measured.",
        # Labels in pictures.
        "label.mean": "mean: best guess",
        "label.truth": "true curve f",
        "label.y_dot": "top is above {y_dot}",
        "label.y_dot.minimize": "bottom is below {y_dot}",
        "label.region": "top can be: {share}",
        "label.region_plus": "picks allowed: {share}",
        "label.region.unknown": "where the top can be:",
        "label.region_plus.unknown": "known after x⁰",
        "label.std": "std: how unsure we are",
        "label.before": "dotted: before {pick} was taken",
        "label.outside": "faint: ruled out",
        # The algorithm.
        "line.fit": "Know: best guess and band",
        "line.fit_value": "{n} points measured",
        "line.fit_value.one": "{n} point measured",
        "line.y_dot": "",
        "line.region": "Rule out: where even the band is too {low}",
        "line.region_value": "{out} out",
        "line.pick": "{loop}: {rule}",
        "line.first": "First point",
        "line.single": "Next one",
        "line.loop": "Next {count}",
        "rule.ucb": "where the band reaches {highest}",
        "rule.pe": "where the band is widest",
        "line.measure": "Measure {all}",
        "line.all": "all {size}",
        "line.both": "both",
        "line.it": "it",
        "line.measure_value": "best {simple} {short_of}",
    }
)  # fmt: skip
