"""The report as one HTML page, which needs no network: causes first, then the matrix, every item, and the losses.

``page`` fills the template, ``cause_cards`` has a card per cause, ``data`` packs what the page's script shows on
demand.
"""

from __future__ import annotations

from toolcall_conformance.reports.html.page import page

__all__ = ["page"]
