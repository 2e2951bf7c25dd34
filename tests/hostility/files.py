"""The places in files and on the command line: bodies, cases, settings, policies, reports, cassettes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from hostility import texts
from hostility.place import Place
from reports.report_items import finding, item, run
from toolcall_conformance import formats, load_corpus
from toolcall_conformance.cli import main
from toolcall_conformance.library import default_root
from toolcall_conformance.reports.writers import json_report

CASE = "read_file/two-rounds"
ERROR = {"status": 429, "headers": {"retry-after": "3"}, "body": {"error": {"message": "slow down", "type": "x"}}}
POLICY = {
    "filter": {"tools": ["apply_patch"]},
    "guidance": {"apply_patch": "There is none."},
    "rename": {"cat": "read_file"},
    "parameters": {"cat": {"path": "absolute_path"}},
    "validate": {"arguments": True},
}


def _draw_text_name(draw: Random) -> str:
    return draw.choice(texts.names())


def golden(name: str, part: str) -> Path:
    """A file of a case with calls, in a format."""
    return next(iter(sorted((default_root() / "scenarios" / CASE / name).glob(f"*{part}"))))


def _body(name: str, direction: str) -> Any:
    return ERROR if direction == "error" else json.loads(golden(name, f"-{direction}.json").read_text())


def _judge(name: str, direction: str, beside: str | None) -> Place:
    """A captured body: alone, or the output next to a good source of another format."""
    flags = [] if direction == "request" else [f"--{direction}"]

    def play(folder: Path, value: str, draw: Random) -> int:
        texts.make(folder / "body.json", _body(name, direction), value, draw)
        if beside is None:
            return main(["judge", "--client", name, *flags, "body.json"])
        (folder / "source.json").write_text(json.dumps(_body(beside, direction)))
        ends = (beside, name) if direction == "request" else (name, beside)
        tail = draw.choice([[], ["--json"], ["--tolerated"]])
        return main(["judge", "--client", ends[0], "--upstream", ends[1], *flags, *tail, "source.json", "body.json"])

    return Place(
        "judged body", f"{direction}-{name}" + (f"-from-{beside}" if beside else ""), _draw_text_name, play, weight=4
    )


def _stream(name: str) -> Place:
    """A captured stream, an event of which is hostile."""

    def play(folder: Path, value: str, draw: Random) -> int:
        good = golden(name, "-response.sse").read_bytes()
        path = folder / "stream.sse"
        if value in texts.FILES:
            texts.FILES[value](path, good)
        else:
            lines = good.split(b"\n")
            at = draw.choice([at for at, line in enumerate(lines) if line.startswith(b"data: {")])
            lines[at] = b"data: " + texts.mutate_document(json.loads(lines[at][6:]), value, draw)
            path.write_bytes(b"\n".join(lines))
        source = golden("anthropic", "-response.sse")
        return main(["judge", "--client", name, "--upstream", "anthropic", "--stream", str(source), str(path)])

    return Place("judged body", f"stream-{name}", _draw_text_name, play, weight=4)


def _case(folder: Path, value: str, draw: Random) -> int:
    """A private case, a file of which is hostile."""
    private = folder / "private" / "scenarios" / "mine" / "case"
    private.parent.mkdir(parents=True)
    shutil.copytree(default_root() / "scenarios" / CASE, private)
    scenario = private / "scenario.json"
    scenario.write_text(scenario.read_text().replace(CASE, "mine/case"))
    path = draw.choice([scenario, scenario, *sorted(private.glob("*/*.json"))])
    good = json.loads(path.read_text())
    path.unlink()
    texts.make(path, good, value, draw)
    command = draw.choice([["list", "cases"], ["explain", "mine/case"], ["list", "features"]])
    return main([*command, "--corpus", "private"])


def _settings(folder: Path, value: str, draw: Random) -> int:
    path = folder / "pyproject.toml"
    if value in texts.FILES:
        texts.FILES[value](path, b"[tool.toolcall]\nstrict = true\n")
    else:
        key = draw.choice(
            ["translator", "timeout", "corpus", "strict", "policy", "known-failures", "cassettes", "nothing"]
        )
        path.write_bytes(b"[tool.toolcall]\n%s = %s\n" % (key.encode(), texts.mutate_document("x", value, draw)))
    return main(draw.choice([["list", "cases"], ["smoke"], ["judge", "--client", "gemini", "none.json"]]))


def _environment(_folder: Path, value: str, draw: Random) -> int:
    name = draw.choice(["TRANSLATOR", "TIMEOUT", "CORPUS", "STRICT", "WITNESS", "NOTHING", "CASSETTES"])
    word = texts.word(value, draw)
    os.environ[f"TOOLCALL_{name}"] = word.replace("\0", "")[:100_000]
    return main(draw.choice([["list", "cases"], ["smoke"], ["judge", "--client", "gemini", "none.json"]]))


def _argument(_folder: Path, value: str, draw: Random) -> int:
    word = texts.word(value, draw)
    commands = [
        ["explain", word],
        ["list", word],
        ["explain", f"toolcall::{word}"],
        ["losses", word],
        ["schema", word],
        ["judge", "--client", word, word],
        ["smoke", word],
        ["smoke", f"exec:{word}"],
        ["smoke", f"gateway:{word}"],
        ["smoke", f"{word}:{word}"],
        ["list", "cases", "--corpus", word],
        ["record", "--format", word, "--model", word],
        ["new-adapter", "--language", word, word],
    ]
    return main(draw.choice(commands))


def _policy(folder: Path, value: str, draw: Random) -> int:
    texts.make(folder / "policy.json", POLICY, value, draw)
    source, output = golden("anthropic", "-request.json"), golden("gemini", "-request.json")
    judged = ["--client", "anthropic", "--upstream", "gemini", str(source), str(output)]
    return main(["judge", "--policy", "policy.json", *judged])


def _report(command: str) -> Callable[[Path, str, Random], int]:
    def play(folder: Path, value: str, draw: Random) -> int:
        good = json_report.document(run([item("box/one", finding()), item("box/two")]))
        texts.make(folder / "a.json", good, value, draw)
        (folder / "b.json").write_text(json.dumps(good))
        both = draw.choice([["a.json", "b.json"], ["b.json", "a.json"]])
        file_name = draw.choice(["x.md", "x.html", "x.json"])
        arguments = {
            "report": ["a.json", file_name],
            "badge": ["a.json", "x.svg", "y.json"],
            "merge": ["-o", file_name, *both],
            "diff": [*draw.choice([[], ["--md"], ["--json"]]), *both],
        }
        return main([command, *arguments[command]])

    return play


def write_cassette(folder: Path, value: str | None, draw: Random, file: str = "") -> None:
    """Write a recorded exchange; a good one where there is no value."""
    name = draw.choice(formats.names())
    transport = load_corpus().transports[name]
    exchange: dict[str, Any] = {
        "request": {
            "method": "POST",
            "uri": f"https://{transport['hosts'][0]}{transport['path'].format(model='m')}",
            "headers": {"content-type": ["application/json"]},
            "body": json.dumps(_body(name, "request")),
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["application/json"]},
            "body": {"string": json.dumps(_body(name, "response"))},
        },
        "recorded_at": "2025-01-01T00:00:00",
    }
    good = {"version": 1, "interactions": [exchange]}
    path = folder / (file or draw.choice(["a.json", "a.yaml"]))
    if value is None:
        path.write_text(json.dumps(good))
        return
    part = draw.choice(["body", "string", None, None])
    if value not in texts.FILES and part is not None:  # within a body, which is JSON in a text
        holder = exchange["request"] if part == "body" else exchange["response"]["body"]
        holder[part] = texts.mutate_document(json.loads(holder[part]), value, draw).decode("utf-8", "surrogatepass")
        path.write_text(json.dumps(good))
    else:
        texts.make(path, good, value, draw)


def _cassette(folder: Path, value: str, draw: Random) -> int:
    """A cassette, read as a suite."""
    from toolcall_conformance.recording.cassettes import cases
    from toolcall_conformance.recording.cassettes.interactions import CassetteError

    write_cassette(folder, value, draw)
    try:
        cassettes = cases.load(load_corpus(), [folder])
    except CassetteError as error:
        print(error)
        return 4
    print(json.dumps(cassettes.to_json(), default=str))
    return 0


def places() -> Iterator[Place]:
    """All places in files."""
    names = [*formats.names()]
    for name in names:
        for direction in ("request", "response", "error"):
            yield _judge(name, direction, None)
            yield _judge(name, direction, draw_other(name, names))
        yield _stream(name)
    yield Place("corpus", "case", _draw_text_name, _case, weight=2)
    yield Place("settings", "pyproject", _draw_text_name, _settings, weight=2)
    yield Place("settings", "environment", _draw_text_name, _environment, weight=2)
    yield Place("command line", "argument", _draw_text_name, _argument, weight=2)
    yield Place("policy", "file", _draw_text_name, _policy, weight=2)
    for command in ("report", "badge", "merge", "diff"):
        yield Place("report", command, _draw_text_name, _report(command), weight=2)
    yield Place("cassette", "file", _draw_text_name, _cassette, weight=3)


def draw_other(name: str, names: Sequence[str]) -> str:
    """The format after a format in the list."""
    return names[(names.index(name) + 1) % len(names)]
