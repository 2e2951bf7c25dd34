"""Values in another notation: JSON in a text, numbers, base64, keys in the other case, ids under another scheme."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse, resolve
from toolcall_conformance.trust.harmless.notations import Notation, Site, matching_sites, rewriter, whole, with_choices
from toolcall_conformance.trust.nodes import holder_of, matches, nodes
from toolcall_conformance.trust.operators.spots import fit

_EXACT = 2**53
_JSON = {
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "spaced": {"separators": (" , ", " : "), "ensure_ascii": False},
    "indented": {"indent": 2, "ensure_ascii": False},
    "escaped": {"ensure_ascii": True},
    "sorted": {"sort_keys": True, "ensure_ascii": False},
}


@rewriter(with_choices(matching_sites, *_JSON))
def respell_json(_spelling: Notation, body: Any, site: Site) -> None:
    holder, key = holder_of(body, site.pointer)
    text = holder[key]
    fit(isinstance(text, str) and text[:1] in ("{", "["))
    try:
        value = parse(text)
    except JSONError:
        value = None
    fit(value is not None)
    written = json.dumps(value, **_JSON[site.choice])  # type: ignore[arg-type]
    fit(equal(parse(written), value))
    holder[key] = written


@rewriter(matching_sites)
def as_float(_spelling: Notation, body: Any, site: Site) -> None:
    holder, key = holder_of(body, site.pointer)
    number = holder[key]
    if isinstance(number, float) and number.is_integer():
        holder[key] = int(number)
    else:
        fit(isinstance(number, int) and not isinstance(number, bool) and abs(number) <= _EXACT)
        holder[key] = float(number)


@rewriter(matching_sites)
def as_digits(_spelling: Notation, body: Any, site: Site) -> None:
    holder, key = holder_of(body, site.pointer)
    fit(isinstance(holder[key], int) and not isinstance(holder[key], bool))
    holder[key] = str(holder[key])


@rewriter(with_choices(matching_sites, "url", "unpadded", "url-unpadded"))
def respell_base64(_spelling: Notation, body: Any, site: Site) -> None:
    holder, key = holder_of(body, site.pointer)
    fit(isinstance(holder[key], str))
    text = holder[key]
    if site.choice.startswith("url"):
        text = text.translate(str.maketrans("+/", "-_"))
    holder[key] = text.rstrip("=") if site.choice.endswith("unpadded") else text


@rewriter(with_choices(matching_sites, "lower", "upper"))
def respell_case(_spelling: Notation, body: Any, site: Site) -> None:
    holder, key = holder_of(body, site.pointer)
    fit(isinstance(holder[key], str))
    holder[key] = holder[key].lower() if site.choice == "lower" else holder[key].upper()


@rewriter(with_choices(whole, "camel", "snake"))
def respell_keys(notation: Notation, body: Any, site: Site) -> None:
    _respell(body, site.choice, frozenset(notation.raw["own"]))


def _respell(value: Any, case: str, user_keys: frozenset[str]) -> None:
    """All keys of the format's own objects; ``user_keys`` names the members whose keys are the user's."""
    if isinstance(value, list):
        for entry in value:
            _respell(entry, case, user_keys)
    elif isinstance(value, dict):
        members = [(_in_case(key, case), key, entry) for key, entry in value.items()]
        value.clear()
        for spelled, key, entry in members:
            value[spelled] = entry
            if key == "properties" and isinstance(entry, dict):
                _respell(list(entry.values()), case, user_keys)
            elif key not in user_keys:
                _respell(entry, case, user_keys)


def _in_case(key: str, case: str) -> str:
    if case == "snake":
        return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", key)
    return re.sub(r"_([a-z])", lambda letter: letter[1].upper(), key)


def _schemes(notation: Notation, _body: Any) -> Iterator[Site]:
    for number in range(len(notation.raw["schemes"])):
        yield Site("", str(number))


@rewriter(_schemes)
def rename_ids(notation: Notation, body: Any, site: Site) -> None:
    """All ids that link calls and results, each the same everywhere. ``{n}`` in a scheme is the number of the id."""
    scheme = notation.raw["schemes"][int(site.choice)]
    places = [node.pointer for node in nodes(body) if any(matches(path, node.pointer) for path in notation.paths)]
    places = [place for place in places if isinstance(resolve(body, place), str) and resolve(body, place)]
    fit(places)
    names: dict[str, str] = {}
    for place in places:
        holder, key = holder_of(body, place)
        holder[key] = names.setdefault(holder[key], scheme.format(n=len(names) + 1))
