"""The difference of two reports: causes that are new, changed or fixed, and why."""
