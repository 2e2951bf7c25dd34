"""Adapters for published translators: small files, each a model for writing one's own."""
