"""Faults that every judge must fail, by theme."""
