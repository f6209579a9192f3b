"""What a notebook shows: the stepper, single events, studies, and whether an answer is right."""

from ucbpe_app.notebook.exercises import Verdict, check
from ucbpe_app.notebook.pictures import picture, studied
from ucbpe_app.notebook.stepping import Stepper, stepper

__all__ = ["Stepper", "Verdict", "check", "picture", "stepper", "studied"]
