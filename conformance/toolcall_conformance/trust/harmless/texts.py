"""A text as a text or in parts, and in one part or in several."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal, resolve
from toolcall_conformance.trust.harmless.spelling import Site, Spelling, found, speller
from toolcall_conformance.trust.nodes import holder_of
from toolcall_conformance.trust.operators.spots import fit

_TEXT = "$text"


@speller(found)
def text_as_parts(spelling: Spelling, body: Any, site: Site) -> None:
    """``part`` is a part with ``$text`` where its text stands; ``member`` is where the text stands below a site."""
    holder, key = _member(spelling, body, site)
    fit(isinstance(holder.get(key), str) and holder[key])
    holder[key] = [_filled(spelling.raw["part"], holder[key])]


@speller(found)
def parts_as_text(spelling: Spelling, body: Any, site: Site) -> None:
    holder, key = _member(spelling, body, site)
    parts, part = holder.get(key), spelling.raw["part"]
    fit(isinstance(parts, list) and parts and isinstance(parts[0], dict))
    name = next(member for member, value in part.items() if value == _TEXT)
    text = parts[0].get(name) if isinstance(parts, list) else None
    fit(isinstance(text, str) and equal(parts, [_filled(part, str(text))]))
    holder[key] = text


def _member(spelling: Spelling, body: Any, site: Site) -> tuple[dict[str, Any], str]:
    owner = resolve(body, site.pointer)
    fit(isinstance(owner, dict))
    return owner, str(spelling.raw["member"])


def _filled(part: dict[str, Any], text: str) -> dict[str, Any]:
    return {key: text if value == _TEXT else deep_copy(value) for key, value in part.items()}


@speller(found)
def split_part(spelling: Spelling, body: Any, site: Site) -> None:
    """A part that is nothing but a text is two; neither is blank, as an API may refuse such."""
    holder, number = holder_of(body, site.pointer)
    part, key = holder[number], spelling.raw["text"]
    fit(isinstance(part, dict) and part.keys() <= set(spelling.raw["plain"]) and isinstance(part.get(key), str))
    text = part[key]
    middle = len(text) // 2
    cut = next((position for position in (text.rfind(" ", 1, middle), text.find(" ", middle)) if position > 0), middle)
    fit(bool(text[:cut].strip() and text[cut:].strip()))
    holder.insert(number + 1, {**deep_copy(part), key: text[cut:]})
    part[key] = text[:cut]
