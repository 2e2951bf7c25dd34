"""The intermediate form between the formats: a conversation and its parts."""
