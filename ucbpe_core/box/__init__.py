"""GP-UCB-PE over a box: no list of candidates, any point of [low, high]^d may be asked for."""

from ucbpe_core.box.bandit import BoxBandit

__all__ = ["BoxBandit"]
