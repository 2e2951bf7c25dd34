"""The figures of docs/trust.md: taken from result files into docs/figures, and written from there into the page."""
