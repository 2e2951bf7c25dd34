"""A run as a SARIF log: its rules, and one result per cause, in the order and the words of the other reports."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize, visible
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.sarif.places import BASE_ID, CodeLocations
from toolcall_conformance.reports.text.markdown import link, prose
from toolcall_conformance.reports.text.outline import Outline, evidence_url
from toolcall_conformance.reports.vocabulary import FIELDS

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"MUST": "error", "SHOULD": "warning", "NOTE": "note"}

# GitHub takes 25,000 results and 1,000 places of one, and shows so many:
# https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
MAX_RESULTS = 5_000
MAX_PLACES = 100
# It takes this many characters of a rule's descriptions:
# https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
MAX_DESCRIPTION = 1_024
# The length of a part of a message; other reports have longer values and commands.
MAX_TEXT = 1_000

_SEVERITIES = {"error": "error", "warning": "warning", "note": "recommendation"}
_FINGERPRINT = "toolcallCause/v1"


def document(run: RunRecord, rules: Mapping[str, Rule], directory: Path) -> dict[str, Any]:
    """Return the log of a run that was started in ``directory``."""
    translator = run.header.get("translator")
    translator_info: Mapping[str, Any] = translator if isinstance(translator, Mapping) else {}
    places = CodeLocations(directory, str(translator_info.get("spec", "")))
    roots = run.roots[:MAX_RESULTS]
    numbers = {rule: number for number, rule in enumerate(sorted({root.rule for root in roots}))}
    results = [
        _result_json(root, Outline.of(root, run, rules), numbers[root.rule], places, mark)
        for root, mark in zip(roots, fingerprints(roots), strict=True)
    ]
    log = {
        "tool": {
            "driver": {
                **_tool_json(run),
                "rules": [_rule_json(number_of_rule, rules, roots) for number_of_rule in numbers],
            }
        },
        # A later upload with the same text before the last slash replaces this one.
        "automationDetails": {"id": f"toolcall-conformance/{_category(translator_info)}/"},
        "originalUriBaseIds": {BASE_ID: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(run)],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [log]}


def fingerprints(roots: Sequence[RootCause]) -> list[str]:
    """Return the fingerprint of each cause, without items, numbers and lines: these change as others are mended.

    Causes that differ only in their signatures have the first signature in their fingerprints.
    """
    plain = ["\n".join([root.rule, root.element, *root.formats, root.place, root.direction]) for root in roots]
    first = [min(f"{occurrence.signature}\n{occurrence.feature}" for occurrence in root.occurrences) for root in roots]
    leading: dict[str, str] = {}
    for common, own in zip(plain, first, strict=True):
        leading[common] = min(own, leading.get(common, own))
    again = Counter[str]()
    marks = []
    for common, own in zip(plain, first, strict=True):
        name = common if leading[common] == own else f"{common}\n{own}"
        again[name] += 1
        marks.append(f"{hashlib.sha256(name.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}:{again[name]}")
    return marks


def _category(translator_info: Mapping[str, Any]) -> str:
    """Return the translator's name without slashes, or ``recordings``, whose runs have no translator."""
    return visible(str(translator_info.get("name") or "recordings")).replace("/", "-")


def _tool_json(run: RunRecord) -> dict[str, Any]:
    tool = run.header["tool"]
    return {"name": str(tool["name"]), "version": str(tool["version"])}


def _invocation(run: RunRecord) -> dict[str, Any]:
    """Return how the run ended: whether all items were played, and notifications that belong to no cause."""
    run_facts = run.header.get("run", {})
    left = len(run.roots) - MAX_RESULTS
    lines = [f"The run was stopped: {run.expected} items were to run."] if not run.is_complete else []
    lines += [f"{pluralize(left, 'more cause')} left out."] if left > 0 else []
    parts = {
        "startTimeUtc": run_facts.get("started"),
        "commandLine": visible(run_facts["command"]) if "command" in run_facts else None,
        "toolExecutionNotifications": [_notification(line) for line in lines],
        "toolConfigurationNotifications": [_notification(line) for line in run.stale],
    }
    return {"executionSuccessful": run.is_complete, **{name: part for name, part in parts.items() if part}}


def _notification(line: str) -> dict[str, Any]:
    return {"level": "warning", "message": {"text": _plain_text(line)}}


def _rule_json(rule_id: str, rules: Mapping[str, Rule], roots: Sequence[RootCause]) -> dict[str, Any]:
    """Return a rule with its reason, its repair, and its evidence."""
    if rule_id not in rules:
        return {"id": rule_id, "defaultConfiguration": {"level": LEVELS[_gravest_level(rule_id, roots)]}}
    rule, url = rules[rule_id], evidence_url(rule_id, rules)
    level = LEVELS[rule.level.value]
    parts = [(FIELDS["why"], rule.why), (FIELDS["fix"], rule.fix)]
    marked = [*(f"**{key}** {prose(text)}" for key, text in parts if text), *([link("evidence", url)] if url else [])]
    plain = [*(f"{key}: {text}" for key, text in parts if text), *([f"{FIELDS['evidence']}: {url}"] if url else [])]
    return {
        "id": rule_id,
        "shortDescription": {"text": _shorten(f"{rule.breach[:1].upper()}{rule.breach[1:]}.", MAX_DESCRIPTION)},
        "fullDescription": {"text": _shorten(rule.sentence, MAX_DESCRIPTION)},
        "help": {"text": "\n\n".join(plain), "markdown": "\n\n".join(marked)},
        **({"helpUri": url} if url else {}),
        "defaultConfiguration": {"level": level},
        "properties": {"problem.severity": _SEVERITIES[level], "tags": ["tool-calls", rule.element]},
    }


def _gravest_level(rule_id: str, roots: Sequence[RootCause]) -> str:
    """Return the gravest level of a rule that the corpus does not have; reports of other versions may have such."""
    return min((root for root in roots if root.rule == rule_id), key=lambda root: root.level_number).level


def _result_json(root: RootCause, outline: Outline, number: int, places: CodeLocations, mark: str) -> dict[str, Any]:
    """Return the result of a cause, with its place in the code; ``mark`` is its fingerprint."""
    lines = [place for code in root.code_lines if (place := places.code_location(code)) is not None][:MAX_PLACES]
    first = lines[0] if lines else places.translator_location
    result: dict[str, Any] = {
        "ruleId": root.rule,
        "ruleIndex": number,
        "level": LEVELS[root.level],
        "message": {"text": "\n".join(map(_plain_text, _message(outline)))},
        "locations": [{**first, "logicalLocations": [{"fullyQualifiedName": visible(root.example.item.nodeid)}]}],
        # The host tells causes of one line apart by the second fingerprint; without it only by the line.
        "partialFingerprints": {_FINGERPRINT: mark, "primaryLocationLineHash": mark},
        "occurrenceCount": outline.items,
        "suppressions": [_suppression(root)] if root.is_known else [],
    }
    return {**result, "relatedLocations": lines[1:]} if lines[1:] else result


def _message(outline: Outline) -> Iterator[str]:
    """Yield the lines of a message: the consequence, the items, the place, where else it occurs, the command."""
    yield outline.consequence
    yield f"{outline.count}, {FIELDS['item']} {outline.item}"
    yield from (f"{name}: {text}" for name, text in outline.place_fields)
    if outline.extent_text:
        yield f"{FIELDS['items']}: {outline.extent_text}"
    if len(outline.command) <= MAX_TEXT:  # a cut command would not run
        yield f"{FIELDS['command']}: {outline.command}"


def _suppression(root: RootCause) -> dict[str, Any]:
    """Return the suppression of a known cause, with the reason in the file of known failures."""
    return {"kind": "external", "status": "accepted", "justification": _plain_text(str(root.example.finding["known"]))}


def _plain_text(text: str) -> str:
    """Return foreign text as part of a plain message, in which ``[text](address)`` would be a link."""
    return _shorten(visible(text).replace("](", "] ("), MAX_TEXT)


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 2]} …"
