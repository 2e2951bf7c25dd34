"""The subcommands that read reports: convert, merge and compare them."""
