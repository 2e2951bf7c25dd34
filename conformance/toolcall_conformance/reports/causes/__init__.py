"""Findings grouped by what mends them."""
