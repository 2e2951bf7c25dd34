"""Merges the reports of a run's parts into the report that one run of all items would have written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.reports import timing
from toolcall_conformance.reports.causes.examples import keep_example_bodies
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.files import ReportError
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import (
    NotApplicable,
    RunRecord,
    report_header,
    report_items,
    split_nodeid,
    unsupported_item,
)

# The members that reports of one run's parts have in common.
_SHARED_HEADER_KEYS = ("tool", "corpus", "suite", "translator", "against", "generated", "policy", "strict")
_CONFLICTS_SHOWN = 3

SortKey = Callable[[str], Any]
Documents = Mapping[str, Mapping[str, Any]]


def merge_reports(documents: Documents, harm: Harm, order: SortKey) -> RunRecord:
    """Merge reports, by the names of their files, into one run. Raises ReportError if they are not of one run.

    ``order`` returns the sort key of a node id, as ``nodeid_order`` makes it.
    """
    header = _merge_headers(documents)
    items = _merge_items(documents)
    skipped = _merge_skipped(documents)
    _refuse_conflicts(
        (nodeid, f"{document} has it as not done by the translator")
        for nodeid, (document, _) in skipped.items()
        if nodeid in items
    )
    records = keep_example_bodies(
        sorted((record for _, record in items.values()), key=lambda record: order(record.nodeid))
    )
    complete = all(document["footer"]["complete"] for document in documents.values())
    return RunRecord(
        header=header,
        items=records,
        not_applicable=sorted((item for _, item in skipped.values()), key=lambda item: order(item.nodeid)),
        stale=list(
            dict.fromkeys(entry for document in documents.values() for entry in document["stale_known_failures"])
        ),
        expected=len(records) + (not complete),
        roots=find_root_causes(records, harm),
    )


def _merge_headers(documents: Documents) -> dict[str, Any]:
    """Return the header of the whole run. Raises ReportError if parts differ in what they must have in common."""
    (first, header), *others = ((name, report_header(document)) for name, document in documents.items())
    for name, other in others:
        for key in _SHARED_HEADER_KEYS:
            if _comparable(header.get(key)) != _comparable(other.get(key)):
                raise ReportError(
                    f"{name}: another `{key}` than in {first}: {_value_text(other.get(key))}, "
                    f"not {_value_text(header.get(key))}; "
                    "merge reports of one translator, suite and policy"
                )
    for key in ("python", "pytest"):
        header[key] = ", ".join(dict.fromkeys([str(header[key]), *(str(other[key]) for _, other in others)]))
    recordings = [header["recordings"] for _, header in others if "recordings" in header]
    merged = timing.merge([header, *(other for _, other in others)])
    header.pop("run", None)
    return {
        **header,
        **merged,
        **_merge_recordings([*([header["recordings"]] if "recordings" in header else []), *recordings]),
    }


def _comparable(value: Any) -> Any:
    """Return a header value to compare: of private folders the names only, for their paths differ by machine."""
    if isinstance(value, Mapping) and "private" in value:
        return {**value, "private": [str(path).replace("\\", "/").rpartition("/")[2] for path in value["private"]]}
    return value


def _value_text(value: Any) -> str:
    if isinstance(value, Mapping) and "code" in value:
        return f"corpus {value['corpus'][:8]} with code {value['code'][:8]}"
    if isinstance(value, Mapping) and "version" in value:
        return " ".join(str(value[key]) for key in ("name", "version", "spec") if value.get(key))
    return "none" if value is None else "one" if isinstance(value, Mapping) else str(value).lower()


def _merge_recordings(recordings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge what parts say of their cassettes: equal entries count once, others are summed."""
    different = [recording for number, recording in enumerate(recordings) if recording not in recordings[:number]]
    if not different:
        return {}
    skipped = Counter[str]()
    for recording in different:
        skipped.update(recording["skipped"])
    counts = {key: sum(recording[key] for recording in different) for key in ("exchanges", "cassettes")}
    return {"recordings": {**counts, "skipped": dict(skipped)}}


def _merge_items(documents: Documents) -> dict[str, tuple[str, ItemRecord]]:
    """Return the items by node id, each with the name of its report. Raises ReportError if reports disagree."""
    records: dict[str, tuple[str, ItemRecord]] = {}
    differing = []
    for name, document in documents.items():
        for record in report_items(document):
            before, other = records.setdefault(record.nodeid, (name, record))
            if record.bodies and not other.bodies:
                records[record.nodeid] = name, record
            if _verdict_key(record) != _verdict_key(other):
                ends = f"{other.verdict} in {before}, {record.verdict} in {name}"
                same = other.verdict == record.verdict
                message = f"other findings in {before} than in {name}" if same else ends
                differing.append((record.nodeid, message))
    _refuse_conflicts(differing)
    return records


def _verdict_key(record: ItemRecord) -> tuple[Any, ...]:
    """Return what two runs of an item must have in common; values may differ: many translators invent ids."""
    findings = [
        tuple(finding[key] for key in ("rule", "level", "body", "pointer", "signature")) for finding in record.findings
    ]
    return record.verdict, record.outcome, findings, record.losses, record.left_out


def _merge_skipped(documents: Documents) -> dict[str, tuple[str, NotApplicable]]:
    """Return the items that do not apply to the translator, by node id, each with the name of its report."""
    items: dict[str, tuple[str, NotApplicable]] = {}
    for name, document in documents.items():
        nodeids = document.get("not_applicable", ())
        played = sum(item["verdict"] == "not applicable" for item in document["items"])
        if document["counts"]["not_applicable"] != len(nodeids) + played:
            raise ReportError(
                f"{name}: it does not name the items that were not played; write it anew with this version"
            )
        for nodeid in nodeids:
            items.setdefault(nodeid, (name, unsupported_item(nodeid)))
    return items


def _refuse_conflicts(differing: Iterable[tuple[str, str]]) -> None:
    """Raise ReportError if reports disagree on items; ``differing`` are node ids with messages."""
    conflicts = list(differing)
    if conflicts:
        lines = "".join(f"\n  {nodeid}: {message}" for nodeid, message in conflicts[:_CONFLICTS_SHOWN])
        more = f"\n  and {len(conflicts) - _CONFLICTS_SHOWN} more" if len(conflicts) > _CONFLICTS_SHOWN else ""
        raise ReportError(
            f"the reports disagree on {len(conflicts)} of their items; run these again in one run, "
            f"with --toolcall-repeat if they are unstable:{lines}{more}"
        )


def nodeid_order(checks: Sequence[str], variants: Mapping[str, Sequence[str]], formats: Sequence[str]) -> SortKey:
    """Return a sort key for node ids in the order of a run: by case, check, client, upstream and variant.

    Recorded exchanges come first, in the order of their first appearance, their formats in that of the corpus.
    """
    met: dict[str, int] = {}

    def sort_key(nodeid: str) -> tuple[Any, ...]:
        case, check, client, upstream, variant = split_nodeid(nodeid)
        recorded = case.startswith("recorded/")
        return (
            not recorded,
            met.setdefault(case, len(met)) if recorded else case,
            _sort_index(checks, check),
            *(_sort_index(formats if recorded else (), name) for name in (client, upstream)),
            _sort_index(variants.get(check, ()), variant),
        )

    return sort_key


def _sort_index(names: Sequence[str], name: str) -> tuple[int, str]:
    """Return the sort key of a name by its position in ``names``; unknown names come last, by name."""
    return (names.index(name) if name in names else len(names)), name


def summary_lines(run: RunRecord, parts: int) -> Iterator[str]:
    """Yield the lines that say what was merged."""
    failed = sum(item.outcome == "failed" for item in run.items)
    items, causes = pluralize(len(run.items), "item"), pluralize(len(run.roots), "cause")
    yield f"{pluralize(parts, 'report')}, {items}, {failed:,} failed, {causes}"
    if not run.is_complete:
        yield "a part was stopped before its end"
