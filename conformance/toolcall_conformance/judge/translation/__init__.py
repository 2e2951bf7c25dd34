"""The laws between formats: what of a body must be found again in its translation, and where."""
