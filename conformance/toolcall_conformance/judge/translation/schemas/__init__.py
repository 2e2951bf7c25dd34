"""Schemas of tools, keyword by keyword, and by probes where that does not decide."""
