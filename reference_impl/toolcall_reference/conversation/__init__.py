"""The form between the formats: one conversation, and what it is made of."""
