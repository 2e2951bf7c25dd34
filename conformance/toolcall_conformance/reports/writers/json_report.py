"""Reports in JSON: one document with every item; its schema is ``reports/report.schema.json``."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.visible_text import visible_json
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.files import ReportError
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.summary import COUNTS, count_matrix, count_name, loss_rows
from toolcall_conformance.reports.writers import Writer

FORMAT = "1"
_NODEID = re.compile("toolcall::.+::.+::.+", re.DOTALL)
SCHEMA_PATH = Path(__file__).parents[1] / "report.schema.json"


def document(run: RunRecord) -> dict[str, Any]:
    """Return the report as JSON; ``footer`` is last, so that a truncated report has none."""
    counts = Counter(count_name(item) for item in run.items)
    counts["not_applicable"] += len(run.not_applicable)
    bodies = Bodies()
    items = [bodies.replace_by_digests(item.to_json()) for item in run.items]
    return {
        "format": FORMAT,
        **run.header,
        "counts": {name: counts[name] for name in COUNTS},
        "matrix": count_matrix(run),
        "roots": [root.to_json() for root in run.roots],
        "losses": [asdict(row) for row in loss_rows(run.items)],
        "stale_known_failures": list(run.stale),
        "not_applicable": [item.nodeid for item in run.not_applicable],
        "items": items,
        **({"bodies": bodies.by_digest} if bodies.by_digest else {}),
        "footer": {"complete": run.is_complete, "items": len(run.items)},
    }


class Bodies:
    """Bodies by a digest of their content: many items have the same bodies."""

    def __init__(self) -> None:
        self.by_digest: dict[str, Any] = {}

    def replace_by_digests(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return an item with digests in place of its bodies, and store the bodies."""
        if "bodies" not in item:
            return item
        return {**item, "bodies": [{**body, "parts": self._digests(body["parts"])} for body in item["bodies"]]}

    def _digests(self, parts: Mapping[str, Any]) -> dict[str, str]:
        return {name: self._digest(body) for name, body in parts.items()}

    def _digest(self, body: Any) -> str:
        name = hashlib.sha256(json.dumps(body).encode()).hexdigest()[:16]
        self.by_digest[name] = body
        return name


_JSON_TYPES = {
    "string": str,
    "array": list,
    "object": dict,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": type(None),
}


def text(run: RunRecord, _corpus: Corpus) -> str:
    """Return the text of the report file."""
    return visible_json(json.dumps(document(run), indent=1, ensure_ascii=True)) + "\n"


def is_json(path: Path) -> bool:
    """Whether a file of this name is a JSON report."""
    return path.name.lower().endswith(WRITER.suffix)


def read(path: Path) -> dict[str, Any]:
    """Read a report file. Raises ReportError if it is missing, truncated or not a report."""
    try:
        report: dict[str, Any] = foreign_files.parse_json(foreign_files.read_text(path))
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise ReportError(f"{path}: not JSON; the report is truncated or not a report, run pytest again") from None
    footer = report.get("footer") if isinstance(report, dict) else None
    items = report.get("items") if isinstance(report, dict) else None
    if not isinstance(footer, dict) or not isinstance(items, list) or footer.get("items") != len(items):
        raise ReportError(
            f"{path}: the footer is missing or counts other items; the report is truncated, run pytest again"
        )
    for what in _report_faults(report):
        raise ReportError(f"{path}: {what}; it is no report of this tool, or was edited, run pytest again")
    return report


def _report_faults(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a report. Of items, which may be many, only keys and types are checked."""
    import jsonschema

    schema = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    for error in jsonschema.Draft202012Validator(schema).iter_errors({**report, "items": []}):
        if error.validator != "additionalProperties":  # a later version may have more members
            yield f"{join('', *error.absolute_path) or 'the report'}: {error.message:.200}"
    keys = set(schema["$defs"]["item"]["required"])
    for number, item in enumerate(report["items"]):
        if not isinstance(item, dict) or not keys <= item.keys():
            yield f"/items/{number}: the keys of an item are not there"
        elif not _NODEID.match(str(item["nodeid"])):
            yield f"/items/{number}/nodeid: {item['nodeid']!r:.200} is no item's node id"
        else:
            yield from _type_faults(f"/items/{number}", item, schema["$defs"]["item"], schema["$defs"])
    for number, nodeid in enumerate(report.get("not_applicable", ())):
        if not _NODEID.match(str(nodeid)):
            yield f"/not_applicable/{number}: {nodeid!r:.200} is no item's node id"


def _is_of_type(value: Any, names: Sequence[str]) -> bool:
    return any(isinstance(value, _JSON_TYPES[name]) or (name == "number" and isinstance(value, int)) for name in names)


def _type_faults(place: str, value: Mapping[str, Any], schema: Any, defs: Mapping[str, Any]) -> Iterator[str]:
    """Yield the members of an object that have another JSON type than in the schema, and such entries of lists."""
    for key, member_schema in schema["properties"].items():
        about = defs[member_schema["$ref"].rpartition("/")[2]] if "$ref" in member_schema else member_schema
        if key not in value or "type" not in about:
            continue
        names = [about["type"]] if isinstance(about["type"], str) else about["type"]
        if not _is_of_type(value[key], names):
            yield f"/{place[1:]}/{key}: it is no {' or '.join(names)}"
        elif isinstance(value[key], list) and "items" in about:
            entry = about["items"]
            entry = defs[entry["$ref"].rpartition("/")[2]] if "$ref" in entry else entry
            for number, item in enumerate(value[key] if entry.get("type") == "object" else ()):
                if not isinstance(item, dict) or not set(entry.get("required", ())) <= item.keys():
                    yield f"{place}/{key}/{number}: its keys are not there"


WRITER = Writer(".json", text)
