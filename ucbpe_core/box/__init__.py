"""Batch bandits over a box: any setting of its inputs can be picked, without a candidate list."""

from ucbpe_core.box.bandit import BoxBandit
from ucbpe_core.inputs import Category, Integer, Real
from ucbpe_core.space import Space

__all__ = ["BoxBandit", "Category", "Integer", "Real", "Space"]
