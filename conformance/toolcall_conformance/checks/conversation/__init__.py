"""The two ends of a conversation: the ideal client, and the provider's golden replies."""
