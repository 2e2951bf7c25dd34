"""A badge of a report: the share of passed items, as an SVG or as the data of an endpoint of shields.io.

The data: https://shields.io/badges/endpoint-badge
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from toolcall_conformance.basics.visible_text import pluralize, visible

# White text is readable on each of them: its contrast is 4.5 at least (WCAG 2.2, 1.4.3).
_GREEN, _AMBER, _RED, _GREY, _DARK = "#2e7d32", "#b45309", "#b91c1c", "#616161", "#424242"
_AMBER_SHARE = 95
_JUDGED_COUNTS = ("passed", "warned", "failed", "known", "unstable", "refused")
_MAX_LABEL = 60
# The widths of characters in a sans-serif of 11 pixels.
_CHARACTER_WIDTHS = (("ijl|'.,:; !", 3.5), ("frt()[]-/1", 5.0), ("mwMW%@—", 10.5))
_USUAL, _CAPITAL, _WIDE = 6.6, 7.8, 11.0
_PADDING, _HEIGHT = 6, 20


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge. ``sentence`` is its text for readers without the picture; ``is_conclusive``: the report has a result."""

    label: str
    message: str
    colour: str
    sentence: str
    is_conclusive: bool = True

    @classmethod
    def of(cls, document: Mapping[str, Any], label: str) -> Badge:
        """Make the badge of a JSON report."""
        label = visible(label)[:_MAX_LABEL]
        translator = document["translator"]
        name = visible(" ".join(str(translator[key]) for key in ("name", "version") if translator.get(key)))
        counts = document["counts"]
        judged, passed = sum(counts[key] for key in _JUDGED_COUNTS), counts["passed"] + counts["warned"]
        if not judged:
            return cls(label, "nothing judged", _GREY, f"{label}: nothing was judged of {name}", is_conclusive=False)
        if not document["footer"]["complete"]:
            return cls(
                label,
                "incomplete",
                _GREY,
                f"{label}: the run of {name} was stopped before its end",
                is_conclusive=False,
            )
        share = 100 * passed // judged  # rounded down: 100% means that all passed
        fails = any(item["outcome"] in ("failed", "error") for item in document["items"])
        colour = _GREEN if not fails else _AMBER if share >= _AMBER_SHARE else _RED
        version = visible(document["corpus"]["version"])
        message = f"{label}: {passed} of {pluralize(judged, 'item')} passed ({name}, corpus {version})"
        return cls(label, f"{share}%", colour, message)

    def endpoint(self) -> str:
        """Return the JSON of an endpoint for shields.io."""
        endpoint = {"schemaVersion": 1, "label": self.label, "message": self.message, "color": self.colour}
        return json.dumps({**endpoint, **({} if self.is_conclusive else {"isError": True})}, indent=1) + "\n"

    def svg(self) -> str:
        """Return the picture, with the sentence as its title."""
        left, right = (_text_width(text) + 2 * _PADDING for text in (self.label, self.message))
        title = escape(self.sentence)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img" '
            f"aria-label={quoteattr(self.sentence)}>\n"
            f"<title>{title}</title>\n"
            f'<clipPath id="r"><rect width="{left + right}" height="{_HEIGHT}" rx="3"/></clipPath>\n'
            f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="{_DARK}"/>'
            f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{self.colour}"/></g>\n'
            f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">\n'
            f"{_text_element(self.label, _PADDING)}\n{_text_element(self.message, left + _PADDING)}\n</g>\n</svg>\n"
        )


def _text_element(text: str, x: int) -> str:
    return (
        f'<text x="{x}" y="14" textLength="{_text_width(text)}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )


def _text_width(text: str) -> int:
    """Return the estimated width of a text in pixels; ``textLength`` then makes it exact."""
    return max(1, round(sum(map(_character_width, text))))


def _character_width(character: str) -> float:
    for characters, width in _CHARACTER_WIDTHS:
        if character in characters:
            return width
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return _WIDE
    return _CAPITAL if character.isupper() else _USUAL
