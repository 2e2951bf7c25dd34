"""A translator as people write it in an afternoon, to see what a report says to its author."""
