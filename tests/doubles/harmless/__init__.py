"""Differences that no judge may fail."""
