"""Annotations of GitHub Actions: lines that its runner shows beside the change.

The form of the line and what is escaped: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.blocks import Again, command, consequence, many, new_roots, place_of, rest, title
from toolcall_conformance.reports.model import ItemRecord
from toolcall_conformance.reports.root_cause import RootCause

# The runner shows no more of a kind for one step.
_MOST = 10
_KINDS = (("MUST", "error"), ("SHOULD", "warning"))


def lines(
    roots: Sequence[RootCause], rules: Mapping[str, Rule], again: Again, run: Sequence[ItemRecord]
) -> Iterator[str]:
    """A line for each root cause that is not expected: MUSTs as errors, SHOULDs as warnings, ten of each.

    ``again`` makes the command for node ids; ``run`` are all items that were played.
    """
    for level, kind in _KINDS:
        for root in [one for one in new_roots(roots) if one.level == level][:_MOST]:
            heading = f"{root.rule} ({many(len(root.items), 'item')})"
            where = "\n".join(f"{name}: {text}" for name, text in place_of(root, rules))
            said = f"{consequence(root, rules)}\n{title(root.example.item)}\n{where}"
            more = f"\n{rest(root)}" if len(root.items) > 1 else ""
            said += f"{more}\nrun: {command(root, again, run)}"
            yield f"::{kind} {_file(root)}title={_property(heading)}::{_data(said)}"


def _file(root: RootCause) -> str:
    """Where the annotation stands in the user's code: where the translator raised, if it did."""
    file, _, line = str(root.example.finding.get("code", "")).rpartition(":")
    return f"file={_property(file)},line={line}," if file else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
