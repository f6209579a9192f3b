"""What the words on screen mean, a sentence each; and in a sentence, those whose mark is drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Word(NamedTuple):
    """A word, what it means, and how labels that are about it begin (a pattern)."""

    name: str
    meaning: str
    labels: str


# In an order to read them in. Of a label the first word is taken that it begins with.
GLOSSARY: tuple[Word, ...] = (
    Word("f, truth", "The function whose maximum is sought. In practice it is never seen.",
         r"truth|true f|true curve|f(?:\(\w+\))?$|True f"),
    Word("data", "The measurements so far: values of f, with noise.",
         r"data|new data|measurement|result"),
    Word("mean μ", "The best guess of f at each point, given the measurements.",
         r"mean|best guess"),
    Word("standard deviation σ", "How uncertain the mean is at each point, in units of f.",
         r"std|standard deviation|Std|σ"),
    Word("measurement band", "Where a measurement would lie: the band, widened by the noise.",
         r"Measurement band|thin: measurements|band of a measurement"),
    Word("band", "Where f probably lies: the mean ± √β standard deviations.",
         r"band|Confidence|Band: .*"),
    Word("upper, lower", "The confidence bounds: the top and the bottom of the band.",
         r"upper|lower|Upper bound"),
    Word("draw of f", "A function drawn at random from the prior or posterior: what f could be.",
         r"Draws of|one draw|draw of|thin: eight|grey: draws|orange: draws"),
    Word("told by f(x)", "How far f moves with f(x), at most σ: covariance / σ(x). Dotted: down.",
         r"told by|dashed: by"),
    Word("covariance", "How two values of f vary together; of a value with itself, it is σ².",
         r"covariance|Covariance"),
    Word("updated bounds", "The band with the picks so far counted as measured, without results.",
         r"updated|dashed"),
    Word("posterior", "What the measurements say about f: its mean and std at each point.",
         r"posterior|what we know"),
    Word("batch", "The K points that are measured together, before any result is in.",
         r"Batch"),
    Word("UCB pick x⁰", "The first pick of a batch: where the upper bound is highest.",
         r"UCB|x⁰|line of equal"),
    Word("y•", "The greatest lower bound: if f is inside the band, its maximum is at least y•.",
         r"y•|top is above|bottom is below"),
    Word("certificate", "The most that you can still gain, if f is in its band: max upper − y•.",
         r"May I stop|at most|in truth"),
    Word("R⁺", "The extended relevant region, for all other picks: where mean + 2 √β σ reaches y•.",
         r"R⁺|in R⁺|edge of R⁺|rule out|picks allowed|known after"),
    Word("R", "The relevant region: where the upper bound reaches y•. The maximum can be there.",
         r"R$|in R$|outside|Relevant|top can be|where the top"),
    Word("PE pick x¹, x² …", "Pure exploration: where σ is largest in R⁺, given the picks before.",
         r"PE|x[¹²³⁴-⁹]"),
    Word("observe", "All results of the batch come in, and the mean moves.",
         r"observe|measure$"),
    Word("kernel", "How values of f at two points are related: the covariance of the prior.",
         r"Kernel|k\(r\)|prior"),
    Word("lengthscale", "The distance over which f changes.", r"Lengthscale"),
    Word("period", "The distance after which f repeats.", r"Period"),
    Word("mixture α", "The smaller, the more lengthscales f has at once.", r"Mixture"),
    Word("noise variance", "The noise of a measurement, in squared units of f.", r"Noise variance"),
    Word("β", "Sets the width of the band, √β standard deviations to each side.", r"β$"),
    Word("β schedule", "How β grows from batch to batch; the scale c multiplies it.",
         r"β schedule|Scale c"),
    Word("decision plane", "Each dot is a point x, at its σ and its mean; every choice is a line.",
         r"Decision plane"),
    Word("regret", "How far a point, or the best so far, is below the maximum of f.",
         r"Regret|Cumulative|best|every pick|iteration|Log regret"),
    Word("Theorem 1", "The upper bound on the cumulative regret that the paper proves.",
         r"Theorem 1|printed|proved"),
    Word("acquisition", "A rule's score of each candidate, such as the upper bound.",
         r"acquisition|score"),
    Word("hallucinate", "To count a pick as measured before its result: σ shrinks, μ stays.",
         r"hallucinated"),
    Word("event", "A step of a run that can be shown: posterior, region, a pick, observe.",
         r"event"),
    Word("information gain γ", "What measurements tell about f: ½ log det(I + K / noise variance).",
         r"gain|γ"),
    Word("candidate", "A point that can be measured; its numbers are in the table.",
         r"Candidate|x$|x\d$|y$|\d.* not shown"),
    Word("rank", "The place of this candidate among all, by the current rule; 1 is the best.",
         r"rank|distance"),
    Word("predict", "The page asks for a place before it shows the next pick.", r"Predict"),
    Word("pin this run, compare", "Keep this run on screen, to compare it with another.",
         r"Pin this run|Compare|pinned|before"),
    Word("keep these data", "Keep the measurements: settings change only what follows from them.",
         r"Keep these data"),
)  # fmt: skip


@lru_cache(maxsize=512)
def explain(label: str) -> str:
    """What the word that a label begins with means; empty for one that is not in the list."""
    meanings = (word.meaning for word in GLOSSARY if re.match(word.labels, label))
    return next(meanings, "")


# What pictures draw, by the name that captions have for it.
MARKS = ("mean", "band", "truth", "std", "upper", "y_dot", "region", "region_plus", "data")
# As sentences call them; of a mark the first word in a sentence is the term.
_WORDS = {
    "upper": "(?<!least )upper bound|(?<!greatest )lower bound",
    "band": "band",
    "mean": "mean|best guess",
    "y_dot": "y•",
    "region_plus": "R⁺",
    "region": r"R(?![\w⁺])",
    "std": "standard deviations|σ|std",
    "data": "measurements?|results?",
}
PATTERN = "|".join(f"(?P<{name}>{words})" for name, words in _WORDS.items())
_FOUND = re.compile(PATTERN)


@dataclass(frozen=True)
class Part:
    """Words in a row: plain, or the term of a mark."""

    words: str
    mark: str = ""


def parts(sentence: str) -> Iterator[Part]:
    """A sentence in parts that together are the sentence."""
    end, seen = 0, set[str]()
    for match in _FOUND.finditer(sentence):
        name = str(match.lastgroup)
        if name in seen:
            continue
        seen.add(name)
        yield Part(sentence[end : match.start()])
        yield Part(match[0], name)
        end = match.end()
    yield Part(sentence[end:])
