"""Renders the wire files of a scenario: ``python -m toolcall_reference.render CORPUS_DIR [CASE…]``.

CORPUS_DIR is the corpus or a folder of private cases, which may declare the corpus's tools besides its own. A file that
``files`` of ``scenario.json`` lists, as typed or recorded, is never touched, and none is ever deleted. Where there is
no ``files`` yet, nobody has said whose the files are: those that are there are never touched either.
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
from toolcall_reference.rendering.jsonfile import text_of
from toolcall_reference.rendering.scenario import Builder, error_of

#: What rendering a broken case raises.
CANNOT_RENDER = (ValueError, LookupError, TypeError, AttributeError, OSError)
#: How the names of temporary files begin; no reader of a corpus looks at them.
TEMPORARY = ".rendering-"
# The corpus: beside this package in a checkout, beside it as an installed one.
_CORPORA = (Path(__file__).parents[2] / "corpus", Path(__file__).parents[1] / "toolcall_conformance" / "corpus")


def render(scenario: dict[str, Any], tools: dict[str, dict[str, Any]], format_name: str) -> dict[str, Body]:
    """Complete wire bodies by file name: ``01-request.json``, ``01-response.json``, ``02-request.json``, …

    ``tools`` are the declarations by name. Raises ValueError or KeyError where the scenario is not well formed.
    """
    spoken = formats.get(format_name)
    model = scenario.get("models", {}).get(format_name, spoken.provider.default_model)
    builder = Builder(scenario, tools, spoken, model)
    spelling = _spelling(scenario, format_name)
    if spelling - spoken.notations:
        raise ValueError(f"{format_name} cannot be spelt {', '.join(sorted(spelling - spoken.notations))}")
    hosted = scenario.get("hosted_tools", {}).get(format_name, [])
    bodies: dict[str, Body] = {}
    for number, (conversation, reply) in enumerate(builder.exchanges(), start=1):
        target = Target(model, exact=True, notations=spelling)
        request = spoken.encode_request(conversation, target)
        if hosted:
            spoken.provider.declare_hosted(request, copy.deepcopy(hosted))
        _add(request, scenario.get("own_settings", {}).get(format_name, {}))
        for pointer, members in scenario.get("marks", {}).get(format_name, {}).items():
            place = _at(request, pointer)
            if place is not None:
                _add(place, members)
        if "item-references" in spelling:
            spoken.provider.put_references(
                request, [body for name, body in bodies.items() if name.endswith("-response.json")]
            )
        bodies[f"{number:02}-request.json"] = request
        if scenario.get("upstream_error", {}).get("exchange") == number:
            bodies[f"{number:02}-error.json"] = error_of(scenario, spoken)
        if reply is None:
            continue
        response = spoken.encode_response(reply, Target(model, exact=True, is_reply=True, client_request=request))
        bodies[f"{number:02}-response.json"] = spoken.provider.dress_reply(response, reply.key, request)
    return bodies


def _at(body: Any, pointer: str) -> Any:
    """The object at a JSON Pointer; None where there is none."""
    for step in pointer.split("/")[1:]:
        if isinstance(body, list):
            body = body[int(step)] if step.isdigit() and int(step) < len(body) else None
        else:
            body = body.get(step) if isinstance(body, dict) else None
    return body if isinstance(body, dict) else None


def _add(body: Body, members: Body) -> None:
    """Put members into a body; objects that are there already get theirs besides."""
    for key, value in members.items():
        if isinstance(value, dict) and isinstance(body.get(key), dict):
            _add(body[key], value)
        else:
            body[key] = copy.deepcopy(value)


def _spelling(scenario: dict[str, Any], format_name: str) -> frozenset[str]:
    """The words of ``declare`` (how tools are declared) and ``spell`` (the rest) for one format."""
    declared = scenario.get("declare", {}).get(format_name)
    words = [*([declared] if declared else []), *scenario.get("spell", {}).get(format_name, [])]
    return frozenset(words)


def _texts(case: Path, scenario: dict[str, Any], tools: dict[str, dict[str, Any]], format_name: str) -> dict[str, str]:
    """The files of one format by name: its bodies, and each reply as the provider streams it.

    A stream is that of the reply which the corpus has, be it typed or recorded. What a compatible vendor would stream
    nobody can derive.
    """
    text_by_name: dict[str, str] = {}
    for name, body in render(scenario, tools, format_name).items():
        text_by_name[name] = text_of(body)
        if not name.endswith("-response.json") or format_name in scenario.get("dialect", ()):
            continue
        key = f"{format_name}/{name}"
        reply = json.loads((case / key).read_text(encoding="utf-8")) if key in scenario["files"] else body
        stream = formats.get(format_name).provider.render_stream(reply, f"{scenario['id']}/{name}")
        text_by_name[name.replace("-response.json", "-response.sse")] = stream.decode()
    return text_by_name


def texts(scenario: dict[str, Any], tools: dict[str, dict[str, Any]], format_name: str) -> dict[str, str]:
    """All files of one format of a scenario of which nothing stands in files yet: text by name."""
    return _texts(Path(), {**scenario, "files": {}}, tools, format_name)


def wanted(case: Path, tools: dict[str, dict[str, Any]]) -> dict[str, str]:
    """What the rendered files of one case should hold: text by path inside the case. Reads, and writes nothing.

    Where ``scenario.json`` has no ``files`` yet, it comes first, with an empty one. Raises a ``CANNOT_RENDER`` for a
    scenario that is not well formed, and for a file in the way: one that nobody listed in a case that was not rendered
    yet, or one that is no file of the scenario.
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
        for name, text in _texts(case, scenario, tools, format_name).items():
            key = f"{format_name}/{name}"
            if key in by_hand:
                continue
            if is_new and (case / key).exists() and (case / key).read_bytes() != text.encode():
                raise ValueError(
                    f"{key} is there, but `files` of scenario.json does not list it: list it as typed or recorded, "
                    "or delete it to have it rendered"
                )
            text_by_key[key] = text
    for key in _bodies(case):
        if key not in text_by_key and key not in by_hand:
            raise ValueError(
                f"{key} is there, but the scenario has no such exchange: delete it, or list it in `files` as typed or "
                "recorded"
            )
    return {"scenario.json": text_of(scenario), **text_by_key} if is_new else text_by_key


def _bodies(case: Path) -> list[str]:
    """The wire files that are there, by their path inside the case."""
    paths = [*case.glob("*/[0-9][0-9]-*.json"), *case.glob("*/[0-9][0-9]-*.sse")]
    return sorted(path.relative_to(case).as_posix() for path in paths)


def write(case: Path, key: str, text: str) -> bool:
    """Replace one file of a case as a whole; False if it holds this text already.

    The temporary file stands in the case's own folder, where no reader of the corpus looks; ``sweep`` takes away what a
    killed run left.
    """
    path = case / key
    if path.exists() and path.read_bytes() == text.encode():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = case / f"{TEMPORARY}{os.getpid()}.tmp"
    try:
        with temporary.open("wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())  # the contents are on the disk before the name is
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def sweep(corpus: Path) -> None:
    """Take away the temporary files of runs that were killed; those of another that is at work stay."""
    for left in corpus.glob(f"scenarios/*/*/{TEMPORARY}*.tmp"):
        if not _is_at_work(left.name.removeprefix(TEMPORARY).partition("-")[0].partition(".")[0]):
            left.unlink(missing_ok=True)


def _is_at_work(number: str) -> bool:
    """Whether a process of this number, other than this one, is there. Where one cannot ask, it is not."""
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
    """The declarations in ``tools/`` by the name of their file; where there is none of a name, that of the corpus."""
    folders = (*(root / "tools" for root in _CORPORA), corpus / "tools")
    paths = {path.stem: path for folder in folders for path in sorted(folder.glob("*.json"))}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}


def main(arguments: Iterable[str]) -> int:
    """Render the cases named (``family/case``), or all; prints what changed."""
    corpus, *names = list(arguments) or [""]
    root = Path(corpus) / "scenarios"
    if not corpus or not root.is_dir():
        print("usage: python -m toolcall_reference.render CORPUS_DIR [CASE…]", file=sys.stderr)
        return 2
    sweep(Path(corpus))
    tools = load_tools(Path(corpus))
    cases = [root / name for name in names] or sorted(path.parent for path in root.glob("*/*/scenario.json"))
    failed = 0
    for case in cases:
        try:
            rendered = wanted(case, tools)
        except CANNOT_RENDER as error:
            failed += 1
            print(f"{case}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        for key, text in rendered.items():
            try:
                if write(case, key, text):
                    _say(case / key)
            except OSError as error:
                failed += 1
                print(f"{case / key}: not written ({error.strerror or error}); it is as before", file=sys.stderr)
                break
    return 1 if failed else 0


def _say(path: Path) -> None:
    """Name a file that was written; who reads the names may have gone."""
    try:
        print(path, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
