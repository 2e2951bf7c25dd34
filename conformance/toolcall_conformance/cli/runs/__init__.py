"""The subcommands that play cases: against a translator, or against a real API."""
