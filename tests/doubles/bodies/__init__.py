"""Doubles of one body, by what the fault is about."""
