"""The official SDKs as witnesses: what their users send must be what our ideal clients send."""
