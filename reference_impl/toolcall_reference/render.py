"""Renders the wire files of a scenario: ``python -m toolcall_reference.render CORPUS_DIR [CASE…]``.

CORPUS_DIR is the corpus or a folder of private cases, which may use the corpus's tools in addition to its own. A file
that ``files`` of ``scenario.json`` lists, as typed or recorded, is never changed, and none is ever deleted. Without
``files``, the origin of existing files is unknown: they are never changed either.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolcall_reference import formats
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.target import Target
from toolcall_reference.rendering.jsonfile import json_text
from toolcall_reference.rendering.scenario import ScenarioBuilder, render_error

#: The errors that rendering a broken case raises.
RENDER_ERRORS = (ValueError, LookupError, TypeError, AttributeError, OSError)
#: The prefix of temporary files; readers of a corpus ignore them.
TEMPORARY_PREFIX = ".rendering-"
# The corpus in a checkout, and in an installation.
_CORPUS_FOLDERS = (Path(__file__).parents[2] / "corpus", Path(__file__).parents[1] / "toolcall_conformance" / "corpus")


def render(scenario: dict[str, Any], tools: dict[str, dict[str, Any]], format_name: str) -> dict[str, Body]:
    """Complete wire bodies by file name: ``01-request.json``, ``01-response.json``, ``02-request.json``, …

    ``tools`` are the declarations by name. Raises ValueError or KeyError if the scenario is not well formed.
    """
    wire_format = formats.get(format_name)
    model = scenario.get("models", {}).get(format_name, wire_format.provider.default_model)
    builder = ScenarioBuilder(scenario, tools, wire_format, model)
    notations = _notations(scenario, format_name)
    if notations - wire_format.notations:
        raise ValueError(f"{format_name} cannot be spelt {', '.join(sorted(notations - wire_format.notations))}")
    hosted = scenario.get("hosted_tools", {}).get(format_name, [])
    bodies: dict[str, Body] = {}
    for number, (conversation, reply) in enumerate(builder.exchanges(), start=1):
        target = Target(model, exact=True, notations=notations)
        request = wire_format.encode_request(conversation, target)
        if hosted:
            wire_format.provider.declare_hosted(request, copy.deepcopy(hosted))
        _merge_members(request, scenario.get("own_settings", {}).get(format_name, {}))
        for pointer, members in scenario.get("marks", {}).get(format_name, {}).items():
            place = _object_at(request, pointer)
            if place is not None:
                _merge_members(place, members)
        if "item-references" in notations:
            wire_format.provider.put_references(
                request, [body for name, body in bodies.items() if name.endswith("-response.json")]
            )
        bodies[f"{number:02}-request.json"] = request
        if scenario.get("upstream_error", {}).get("exchange") == number:
            bodies[f"{number:02}-error.json"] = render_error(scenario, wire_format)
        if reply is None:
            continue
        response = wire_format.encode_response(reply, Target(model, exact=True, is_reply=True, client_request=request))
        bodies[f"{number:02}-response.json"] = wire_format.provider.dress_reply(response, reply.key, request)
    return bodies


def _object_at(body: Any, pointer: str) -> Any:
    """The object at a JSON Pointer; None if there is none."""
    for step in pointer.split("/")[1:]:
        if isinstance(body, list):
            body = body[int(step)] if step.isdigit() and int(step) < len(body) else None
        else:
            body = body.get(step) if isinstance(body, dict) else None
    return body if isinstance(body, dict) else None


def _merge_members(body: Body, members: Body) -> None:
    """Merge members into a body, recursively for objects that exist in both."""
    for key, value in members.items():
        if isinstance(value, dict) and isinstance(body.get(key), dict):
            _merge_members(body[key], value)
        else:
            body[key] = copy.deepcopy(value)


def _notations(scenario: dict[str, Any], format_name: str) -> frozenset[str]:
    """The notations of ``declare`` (of tools) and ``spell`` (of all else) for one format."""
    declared = scenario.get("declare", {}).get(format_name)
    words = [*([declared] if declared else []), *scenario.get("spell", {}).get(format_name, [])]
    return frozenset(words)


def _render_files(
    case: Path, scenario: dict[str, Any], tools: dict[str, dict[str, Any]], format_name: str
) -> dict[str, str]:
    """The files of one format by name: its bodies, and each reply as the provider streams it.

    A stream is made from the corpus's reply, even if it is typed or recorded. The stream of a compatible vendor cannot
    be derived.
    """
    text_by_name: dict[str, str] = {}
    for name, body in render(scenario, tools, format_name).items():
        text_by_name[name] = json_text(body)
        if not name.endswith("-response.json") or format_name in scenario.get("dialect", ()):
            continue
        key = f"{format_name}/{name}"
        reply = json.loads((case / key).read_text(encoding="utf-8")) if key in scenario["files"] else body
        stream = formats.get(format_name).provider.render_stream(reply, f"{scenario['id']}/{name}")
        text_by_name[name.replace("-response.json", "-response.sse")] = stream.decode()
    return text_by_name


def texts(scenario: dict[str, Any], tools: dict[str, dict[str, Any]], format_name: str) -> dict[str, str]:
    """All files of one format of a scenario without files: text by file name."""
    return _render_files(Path(), {**scenario, "files": {}}, tools, format_name)


def rendered_files(case: Path, tools: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The expected texts of one case's rendered files, by path inside the case. Writes nothing.

    If ``scenario.json`` has no ``files`` yet, it is the first, with empty ``files``. Raises one of ``RENDER_ERRORS``
    for a scenario that is not well formed, and for a file in the way: an unlisted file of a case that was not rendered
    yet, or a file that the scenario does not have.
    """
    if not (case / "scenario.json").is_file():
        raise ValueError("there is no such case: it has no scenario.json")
    scenario = json.loads((case / "scenario.json").read_text(encoding="utf-8"))
    for name in {*scenario.get("tools", []), *itertools.chain(*scenario.get("tools_in", {}).values())} - tools.keys():
        raise ValueError(f"the tool {name!r} has no file; add tools/{name}.json or correct the name")
    is_new = "files" not in scenario
    by_hand = scenario.setdefault("files", {})
    text_by_key: dict[str, str] = {}
    for format_name in scenario.get("models") or formats.names():
        for name, text in _render_files(case, scenario, tools, format_name).items():
            key = f"{format_name}/{name}"
            if key in by_hand:
                continue
            if is_new and (case / key).exists() and (case / key).read_bytes() != text.encode():
                raise ValueError(
                    f"{key} is there, but `files` of scenario.json does not list it: list it as typed or recorded, "
                    "or delete it to have it rendered"
                )
            text_by_key[key] = text
    for key in _wire_files(case):
        if key not in text_by_key and key not in by_hand:
            raise ValueError(
                f"{key} is there, but the scenario has no such exchange: delete it, or list it in `files` as typed or "
                "recorded"
            )
    return {"scenario.json": json_text(scenario), **text_by_key} if is_new else text_by_key


def _wire_files(case: Path) -> list[str]:
    """The existing wire files, by path inside the case."""
    paths = [*case.glob("*/[0-9][0-9]-*.json"), *case.glob("*/[0-9][0-9]-*.sse")]
    return sorted(path.relative_to(case).as_posix() for path in paths)


def write_file(case: Path, key: str, text: str) -> bool:
    """Replace one file of a case atomically. Returns False if it has this text already.

    The temporary file is in the case's own folder, where readers of the corpus ignore it; ``remove_temporary_files``
    deletes those of killed runs.
    """
    path = case / key
    if path.exists() and path.read_bytes() == text.encode():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = case / f"{TEMPORARY_PREFIX}{os.getpid()}.tmp"
    try:
        with temporary.open("wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())  # the contents are on the disk before the name is
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def remove_temporary_files(corpus: Path) -> None:
    """Delete the temporary files of killed runs; those of running processes stay."""
    for left in corpus.glob(f"scenarios/*/*/{TEMPORARY_PREFIX}*.tmp"):
        if not _is_running(left.name.removeprefix(TEMPORARY_PREFIX).partition("-")[0].partition(".")[0]):
            left.unlink(missing_ok=True)


def _is_running(number: str) -> bool:
    """Whether another process with this id is running; False where that cannot be asked."""
    if os.name != "posix" or not number.isdecimal() or int(number) == os.getpid():
        return False
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def load_tools(corpus: Path) -> dict[str, dict[str, Any]]:
    """The declarations in ``tools/`` by file name, in addition to those of the corpus."""
    folders = (*(root / "tools" for root in _CORPUS_FOLDERS), corpus / "tools")
    paths = {path.stem: path for folder in folders for path in sorted(folder.glob("*.json"))}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}


def main(arguments: Iterable[str]) -> int:
    """Render the cases named (``family/case``), or all; prints what changed."""
    corpus, *names = list(arguments) or [""]
    root = Path(corpus) / "scenarios"
    if not corpus or not root.is_dir():
        print("usage: python -m toolcall_reference.render CORPUS_DIR [CASE…]", file=sys.stderr)
        return 2
    remove_temporary_files(Path(corpus))
    tools = load_tools(Path(corpus))
    cases = [root / name for name in names] or sorted(path.parent for path in root.glob("*/*/scenario.json"))
    failed = 0
    for case in cases:
        try:
            rendered = rendered_files(case, tools)
        except RENDER_ERRORS as error:
            failed += 1
            print(f"{case}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        for key, text in rendered.items():
            try:
                if write_file(case, key, text):
                    _print_path(case / key)
            except OSError as error:
                failed += 1
                print(f"{case / key}: not written ({error.strerror or error}); it is as before", file=sys.stderr)
                break
    return 1 if failed else 0


def _print_path(path: Path) -> None:
    """Print the name of a written file; a closed pipe is ignored."""
    try:
        print(path, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
