"""Translation of streams while they arrive."""
