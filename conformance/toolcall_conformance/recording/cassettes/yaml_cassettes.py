"""Read YAML cassettes of Python and Ruby as plain data; never creates objects of either language."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.extras import import_problem
from toolcall_conformance.recording.cassettes import yaml_limits
from toolcall_conformance.recording.cassettes.interactions import CassetteError


def parse_yaml(path: Path, text: str) -> Any:
    """Parse a YAML file. Raises CassetteError, also if the library is missing."""
    try:
        import yaml
    except ImportError as error:
        raise CassetteError(
            f"{path}: reading YAML needs PyYAML, which {import_problem('yaml', error)}; "
            "pip install 'toolcall-conformance[cassettes]'"
        ) from None
    try:
        loader = _loader(yaml)
        yaml_limits.verify(yaml, text, loader)
        return yaml.load(text, loader)  # noqa: S506 - a safe loader that reads no dates
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        why = getattr(error, "problem", None) or "it cannot be parsed"
        raise CassetteError(
            f"{path}: neither JSON nor YAML{where} ({why}); it is truncated or was edited; record it again, or take it "
            "out of the folder"
        ) from None


def _loader(yaml: Any) -> Any:
    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Dates stay text; tags of language objects are ignored, their data is read as plain data."""

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            """A value; one that is not of its type is an error with its line."""
            try:
                return super().construct_object(node, deep)
            except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                problem = f"a value that is no {node.tag.removeprefix('tag:yaml.org,2002:')}: {error}"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None

    Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node))
    Loader.add_constructor("tag:yaml.org,2002:python/object/new:_io.BytesIO", _bytes_io)
    Loader.add_constructor("!binary", lambda loader, node: base64.b64decode(loader.construct_scalar(node)))
    Loader.add_multi_constructor("!", _plain)
    Loader.add_multi_constructor("tag:yaml.org,2002:python/", _plain)
    return Loader


def _bytes_io(loader: Any, node: Any) -> bytes:
    """A request body that older vcrpy wrote as a file object; its content is in ``state``."""
    state = loader.construct_mapping(node, deep=True).get("state") or (b"",)
    content = state[0]
    return content.encode() if isinstance(content, str) else bytes(content or b"")


def _plain(loader: Any, _tag: str, node: Any) -> Any:
    kind = type(node).__name__
    if kind == "MappingNode":
        return loader.construct_mapping(node, deep=True)
    if kind == "SequenceNode":
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)
