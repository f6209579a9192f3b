"""Heights of the regret plots on a page where the window is filled.

They take what a tall window leaves below the other pictures, and at least 190 px. In rem, as the
names of the axes grow with the text of the page.
"""

from __future__ import annotations

LEAST_HEIGHT = "11.875rem"

# By the inputs of the problem; 3 stands for more too, whose large decision plane takes a part of
# the height itself.
HEIGHTS = {
    1: f"clamp({LEAST_HEIGHT}, 100vh - 890px, 25rem)",
    2: f"clamp({LEAST_HEIGHT}, 100vh - 660px, 26.25rem)",
    3: f"clamp({LEAST_HEIGHT}, 22vh - 45px, 25rem)",
}
