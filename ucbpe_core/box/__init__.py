"""GP-UCB-PE over a box: any point of [low, high]^d can be picked, without a list of candidates."""

from ucbpe_core.box.bandit import BoxBandit

__all__ = ["BoxBandit"]
