"""What can be set: inputs with names, kinds and ranges, and the candidates made of them.

inputs  numbers, whole numbers and categories, with their ranges
space   a box of inputs, and the coordinates that a kernel sees
design  what the rows of a table stand for, and tables made of ranges
"""

from ucbpe_core.spaces.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.spaces.space import Space

__all__ = ["Category", "Integer", "Real", "Space", "SumConstraint"]
