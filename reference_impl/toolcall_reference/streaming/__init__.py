"""From one stream to another, as it comes."""
