"""Secrets in a recording: found, replaced, searched for again."""
