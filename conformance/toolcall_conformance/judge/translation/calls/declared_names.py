"""How a provider calls what a translator declared: by the declared names, with the declared members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolcall_conformance.basics.reading import Tool
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.judge.translation.schemas.spelling import may_be_text


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
        member_pairs = ((_only_member(golden), _only_member(declared)) for golden, declared in twins)
        self.members = {old: new for old, new in member_pairs if old is not None and new is not None and old != new}
        self.parameters: Mapping[str, Mapping[str, str]] = {}

    def under(self, names: Mapping[str, str], parameters: Mapping[str, Mapping[str, str]]) -> DeclaredNames:
        """The same tools under other golden names; ``parameters``: the declared names of their parameters by tool."""
        declared = DeclaredNames(names, ())
        mapped = {name for words in parameters.values() for name in (*words, *words.values())}
        declared.members = {old: new for old, new in self.members.items() if not mapped & {old, new}}
        declared.parameters = parameters
        golden = {declared: name for name, declared in names.items()}
        declared.conversions = {
            golden.get(self.get(name, name), name): conversion for name, conversion in self.conversions.items()
        }
        return declared


def _only_member(tool: Tool) -> str | None:
    """The name of a tool's one parameter, if it takes one text and nothing else."""
    properties = tool.schema.get("properties") if isinstance(tool.schema, dict) else None
    if not isinstance(properties, dict) or len(properties) != 1:
        return None
    ((name, schema),) = properties.items()
    return name if isinstance(schema, dict) and "type" in schema and may_be_text(schema) else None
