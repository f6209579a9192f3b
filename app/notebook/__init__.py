"""What a notebook shows: the stepper, single events, studies, and whether an answer is right."""

from app.notebook.exercises import Verdict, check
from app.notebook.pictures import picture, studied
from app.notebook.stepping import Stepper, stepper

__all__ = ["Stepper", "Verdict", "check", "picture", "stepper", "studied"]
