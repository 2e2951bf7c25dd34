"""How far the judge can be trusted, as numbers: faults made systematically, and what the judge says of each.

Nothing here knows a translator: the one whose output is damaged is loaded by its spec, as in a run.
"""

from __future__ import annotations
