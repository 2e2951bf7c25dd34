"""What both ends of a conversation send: the ideal client, and golden replies."""
