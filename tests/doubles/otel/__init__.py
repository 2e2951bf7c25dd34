"""Doubles of instrumentations."""
