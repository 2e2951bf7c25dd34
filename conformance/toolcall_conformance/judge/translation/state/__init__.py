"""Opaque state, stored conversations, and the steps of a provider's own."""
