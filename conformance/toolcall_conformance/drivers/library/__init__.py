"""Libraries that translate, send and translate back in one call."""
