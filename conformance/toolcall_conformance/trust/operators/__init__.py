"""Operators: each puts one fault into a body."""
