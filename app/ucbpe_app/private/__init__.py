"""Undocumented features of libraries that the app uses, a module for each library.

`tests/app/test_private_api.py` fails when a library changes any of it, and when another module
uses a private name.
"""
