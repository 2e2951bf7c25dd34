"""Doubles at the borders of rules; see :mod:`doubles.border`."""
