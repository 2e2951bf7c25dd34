"""What a run shows: the terminal, the texts of failures, the bodies."""
