"""Explains why a library of an extra cannot be used: it is not installed, or it does not work."""

from __future__ import annotations


def import_problem(library: str, error: ImportError) -> str:
    """Why ``library`` cannot be imported: "is not installed", or the error of whatever failed beneath it."""
    if isinstance(error, ModuleNotFoundError) and error.name == library:
        return "is not installed"
    return f"is installed, but cannot be imported ({type(error).__name__}: {error})"
