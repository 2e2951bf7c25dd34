"""Names of tools: which the target accepts, how a provider calls declared ones, and what undeclared ones become."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_conformance.basics.reading import Tool
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.schemas.normal_schemas import may_be_text
from toolcall_conformance.judge.translation.tools.similar_names import are_similar


def is_legal_name(sides: Sides, tool_name: str) -> bool:
    """Whether the target's provider accepts a tool's name unchanged, as does the format between, if there is one."""
    formats = [sides.output.format, sides.through] if sides.through else [sides.output.format]
    return all(_accepts_name(sides.corpus.format(each), tool_name) for each in formats)


def _accepts_name(data: Mapping[str, Any], tool_name: str) -> bool:
    limit, pattern = data.get("name_limit"), data.get("name_pattern")
    if limit is not None and len(tool_name) > limit:
        return False
    return pattern is None or re.fullmatch(pattern, tool_name) is not None


def undeclared_names(pair: Pair) -> Mapping[str, str]:
    """Return the output's names for tools that no declaration pairs and whose names the target refuses.

    The output's own choice counts, if it is made of the tool's name and is no other tool's; else a legal name is made.
    """
    enough = int(pair.corpus.alignment.parameters["name_beginning"])
    names: dict[str, str] = {}
    for left, right in sorted(pair.call_pairs.items()):
        name, got = pair.source.calls[left].name, pair.output.calls[right].name
        if not name or got == name or name in pair.tool_names or name in names or is_legal_name(pair, name):
            continue  # whether the target takes an unchanged name is a rule of its own
        reserved_names = {*names.values(), *pair.tool_names.values()}
        fits = got and got not in reserved_names and is_legal_name(pair, got) and are_similar(name, got, enough)
        names[name] = (
            got if got and fits else _make_legal_name(pair.corpus.format(pair.output.format), name, reserved_names)
        )
    return names


def _make_legal_name(target: Mapping[str, Any], tool_name: str, reserved_names: set[str]) -> str:
    """Make a legal name of a tool's name: without refused characters, not too long, and not another tool's."""
    limit = target.get("name_limit") or len(tool_name)
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", tool_name)
    candidate, number = plain[:limit], 1
    while candidate in reserved_names:
        number += 1
        candidate = f"{plain[: limit - len(str(number)) - 1]}_{number}"
    return candidate


class DeclaredNames(dict[str, str]):
    """The declared names of tools by the golden ones.

    ``members``: where golden and declared tool each take one text and nothing else, the declared member's name by the
    golden one's. So a tool of free text is declared where a format has functions alone; its member may have any name.
    ``parameters``: what a policy says of the parameters of a tool, by its golden name. ``conversions``: from the golden
    schemas of tools to the declared ones, by the golden names.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        twins: Iterable[tuple[Tool, Tool]],
        conversions: Mapping[str, ArgumentConversion] | None = None,
    ) -> None:
        super().__init__(names)
        self.conversions = conversions or {}
        member_pairs = ((_only_text_member(golden), _only_text_member(declared)) for golden, declared in twins)
        self.members = {old: new for old, new in member_pairs if old is not None and new is not None and old != new}
        self.parameters: Mapping[str, Mapping[str, str]] = {}

    def with_golden_names(self, names: Mapping[str, str], parameters: Mapping[str, Mapping[str, str]]) -> DeclaredNames:
        """Return the same tools under other golden names.

        ``parameters`` are the declared names of their parameters, by tool.
        """
        declared = DeclaredNames(names, ())
        mapped = {name for words in parameters.values() for name in (*words, *words.values())}
        declared.members = {old: new for old, new in self.members.items() if not mapped & {old, new}}
        declared.parameters = parameters
        golden = {declared: name for name, declared in names.items()}
        declared.conversions = {
            golden.get(self.get(name, name), name): conversion for name, conversion in self.conversions.items()
        }
        return declared


def _only_text_member(tool: Tool) -> str | None:
    """Return the name of a tool's only parameter if it takes one text and nothing else, or None."""
    properties = tool.schema.get("properties") if isinstance(tool.schema, dict) else None
    if not isinstance(properties, dict) or len(properties) != 1:
        return None
    ((name, schema),) = properties.items()
    return name if isinstance(schema, dict) and "type" in schema and may_be_text(schema) else None
