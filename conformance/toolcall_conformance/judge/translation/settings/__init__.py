"""Settings: choice of tools, limits, sampling, thinking, the cache."""
