"""The Chromium of the tests in a browser."""

from tests.browser.conftest import browser_type_launch_args

__all__ = ["browser_type_launch_args"]
