"""How many false alarms the judge gives: every legal notation of a right body is tried, and none may fail.

Which spellings are legal, and who says so, stands in ``corpus/mutations/variants.json``.
"""

from __future__ import annotations
