"""Faults that are only told: the evidence carries no more than a SHOULD."""
