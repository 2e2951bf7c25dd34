"""Annotations of GitHub Actions: lines that its runner shows at the changed code.

The form of the line and what is escaped: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
The same causes, as Markdown for the job's summary or for a comment: ``writers/markdown_report.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import new_roots
from toolcall_conformance.reports.text.outline import Outline, outlines

# The runner shows at most this number of a kind per step.
_MAX_PER_KIND = 10
_KINDS = (("MUST", "error"), ("SHOULD", "warning"))


def annotation_lines(run: RunRecord, rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield a line for each new root cause: MUSTs as errors, SHOULDs as warnings, ten of each."""
    for level, kind in _KINDS:
        root_causes = [root for root in new_roots(run.roots) if root.level == level][:_MAX_PER_KIND]
        for outline in outlines(root_causes, run, rules):
            parts = [outline.consequence, outline.item, *(f"{name}: {text}" for name, text in outline.place_fields)]
            parts += [outline.extent_text] if outline.extent_text else []
            parts.append(f"run: {outline.command}")
            heading = _escape_property(f"{outline.rule} ({outline.count})")
            yield f"::{kind} {_file_property(outline)}title={heading}::{'%0A'.join(map(_escape_data, parts))}"


def _file_property(outline: Outline) -> str:
    """Return the annotation's place in the user's code: where the translator raised; empty if it did not."""
    file, _, line = outline.code.rpartition(":")
    return f"file={_escape_property(file)},line={line}," if file else ""


def _escape_data(text: str) -> str:
    return visible(text).replace("%", "%25")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
