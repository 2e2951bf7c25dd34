"""Adapters for published translators: small files to copy for your own."""
