"""Writes every double to ``corpus/verdicts/``, for judges in any language: ``python -m doubles.export``.

Run it in ``tests/`` with ``conformance`` and ``reference_impl`` importable. Files whose double is gone are taken away.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from doubles.catalogue import Double, doubles
from doubles.places import Changed, Place
from doubles.running import changed
from doubles.sessions.model import SessionDouble, session_doubles
from doubles.sessions.running import Heard, heard
from doubles.streams import export as streams
from toolcall_conformance.jsonstyle import written
from toolcall_conformance.library import load_corpus


def root() -> Path:
    return load_corpus().root / "verdicts"


def path_of(double: Double | SessionDouble) -> Path:
    return root() / f"{double.name}.json"


def exported_sessions() -> list[SessionDouble]:
    """The session doubles whose fault stands in a request; a crash or a lost reply has no body to judge."""
    return [double for double in session_doubles() if heard(double) is not None]


def representative(double: Double) -> Changed:
    """The smallest of all places where a double changes something, of the corpus's cases if there is one."""
    return min(changed(double), key=_weight)


def _weight(found: Changed) -> tuple[bool, int, str]:
    place = found.place
    size = len(json.dumps([place.source, found.output, place.asked]))
    return place.case.startswith("translation/"), size, str(place)


def verdict(double: Double, place: Place, output: Any) -> dict[str, Any]:
    """The content of a double's file."""
    found: dict[str, Any] = {
        "name": double.name,
        "kind": double.kind,
        "title": double.title,
        "direction": place.check,
        "client": place.client,
        "upstream": place.upstream,
        "client_model": place.client_model,
        "upstream_model": place.upstream_model,
        "case": place.case,
        "exchange": place.number,
        "source": place.source,
        "output": output,
        "expect": list(double.rules) if double.kind == "broken" else [],
        "may_warn": list(double.rules if double.kind == "warning" else double.warns),
        "since": load_corpus().version,
    }
    if place.check == "response":
        found["request"] = place.asked
    return found


def session_verdict(double: SessionDouble, found: Heard) -> dict[str, Any]:
    """The content of a session double's file: what it sent upstream in the course of the loop."""
    return {
        "name": double.name,
        "kind": double.kind,
        "title": double.title,
        "direction": "loop",
        "client": double.client,
        "upstream": double.upstream,
        "client_model": found.route.client_model,
        "upstream_model": found.route.upstream_model,
        "case": double.case,
        "exchange": found.number,
        "variant": found.variant,
        "seen_first": found.first,
        "source": found.golden,
        "request": found.request,
        "output": found.output,
        "expect": list(double.rules) if double.kind == "broken" else [],
        "may_warn": list(double.rules if double.kind == "warning" else double.warns),
        "since": load_corpus().version,
    }


def text_of(content: dict[str, Any]) -> str:
    return written(content)


def content_of(double: Double | SessionDouble) -> str:
    """The text of a double's file."""
    if isinstance(double, SessionDouble):
        said = heard(double)
        assert said is not None
        return text_of(session_verdict(double, said))
    found = representative(double)
    return text_of(verdict(double, found.place, found.output))


def main() -> int:
    """Write all files; prints how many changed."""
    files = {path_of(each): content_of(each).encode() for each in [*doubles(), *exported_sessions()]}
    for double in streams.exported():
        files |= streams.files_of(double)
    count = 0
    for path, content in files.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            count += 1
    for path in root().glob("*/**/*"):
        if path.is_file() and path not in files:
            path.unlink()
            count += 1
    for folder in sorted(root().glob("*/**"), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    print(f"{sum(path.suffix == '.json' for path in files)} verdicts, {count} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
