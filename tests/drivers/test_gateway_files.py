"""The TOML file of a gateway: each mistake gives one clear sentence, and each key has its effect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from drivers.gateway_project import HEADERS, SCRIPT, free_port, leftovers, listens, noted_lines, write
from toolcall_conformance.drivers import SpecError
from toolcall_conformance.drivers.gateway.config import fill_template, load_config

GOOD = {"name": '"g"', "command": '["gateway", "{port}"]', "client": "{alpha = {}}", "upstream": "{beta = {}}"}


@pytest.fixture(autouse=True)
def temporary(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place for temporary files, in which nothing may be left."""
    folder = project.path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))  # for workers


MISTAKES: list[tuple[dict[str, str | None], str]] = [
    ({"name": '"g'}, r"is not TOML: .*line 1"),
    ({"name": None}, "it needs a name, .* and a command or a url: 'name' is a required property"),
    ({"name": "3"}, "name: 3 is not of type 'string'"),
    ({"name": '""'}, "name: '' should be non-empty"),
    ({"client": None}, r"it needs .* a \[client\.FORMAT\] .*: 'client' is a required property"),
    ({"upstream": "{}"}, r"upstream: \{\} should be non-empty \(The formats of its providers"),
    ({"command": None}, "a command or a url: neither command nor url is there"),
    ({"command": '"gateway {port}"'}, "command: 'gateway {port}' is not of type 'array' .The words of the command"),
    ({"command": "[]"}, r"command: \[\] should be non-empty"),
    ({"command": '["gateway", 80]'}, "command.1: 80 is not of type 'string'"),
    (
        {"comand": '["x"]'},
        "the file has no key 'comand'; did you mean 'command'.; its keys are name, version, command,",
    ),
    ({"client": '{alpha = {heders = {a = "b"}}}'}, "client.alpha has no key 'heders'; did you mean 'headers'"),
    ({"ready": '{pth = "/"}'}, "ready has no key 'pth'; did you mean 'path'"),
    ({"ready": '{path = "ready"}'}, "ready.path: 'ready' does not match '.*/'"),
    ({"ready": "{seconds = 0}"}, "ready.seconds: 0 is less than or equal to the minimum"),
    ({"port": '"8080"'}, "port: '8080' is not of type 'integer'"),
    ({"port": "80800"}, "port: 80800 is greater than the maximum of 65535"),
    ({"url": '"localhost:80"'}, "url: 'localhost:80' does not match .* .Where it listens"),
    ({"url": '"http://localhost:80/"'}, "url: 'http://localhost:80/' does not match"),
    ({"client": "{alfa = {}}"}, r"\[client\.alfa\] is not a format; did you mean 'alpha'.; they are alpha, beta"),
    ({"upstream": "{gamma = {}}"}, r"\[upstream\.gamma\] is not a format.*; they are alpha, beta"),
    (
        {"command": '["g", "{prot}"]'},
        r"command: \{prot\} in '\{prot\}' is not a variable; did you mean 'port'.; there",
    ),
    ({"command": '["g", "{model}"]'}, r"command: \{model\} in .* is not a variable; there are \{directory\}, "),
    ({"environment": '{A = "{key}"}'}, r"environment: \{key\} in .* is not a variable"),
    ({"client": '{alpha = {path = "/{port}"}}'}, r"client: \{port\} in '/\{port\}' is not a variable"),
    ({"upstream": '{beta = {model = "b/{modle}"}}'}, r"upstream: \{modle\} in .*; did you mean 'model'"),
    ({"upstream": '{beta = {headers = {x = "a\\nb"}}}'}, r"upstream.beta.headers.x: 'a\\nb' does not match"),
    ({"upstream": '{beta = {headers = {"x y" = "a"}}}'}, "upstream.beta.headers: 'x y' does not match"),
    ({"files": '{"a.json" = "gone.json"}'}, "files: the template of 'a.json', .*gone.json, is not there; add it"),
    ({"files": '{"../a" = "g.toml"}'}, "files: '../a' does not match"),
    ({"files": '{".." = "g.toml"}'}, "files: '..' does not match"),
    ({"not": '["alpha"]'}, "not.0: 'alpha' does not match '.*-to-"),
    ({"history": '"mine"'}, "history: 'own' was expected"),
    ({"forwards_client_key": '"yes"'}, "forwards_client_key: 'yes' is not of type 'boolean'"),
]


@pytest.mark.parametrize(
    ("change", "sentence"), MISTAKES, ids=[f"{next(iter(c))}-{i}" for i, (c, _) in enumerate(MISTAKES)]
)
def test_each_mistake_is_a_sentence(tmp_path: Path, change: dict[str, str | None], sentence: str) -> None:
    path = tmp_path / "g.toml"
    settings = {**GOOD, **change}
    path.write_text(
        "\n".join(f"{key} = {text}" for key, text in settings.items() if text is not None), encoding="utf-8"
    )
    with pytest.raises(SpecError, match=sentence) as exception_info:
        load_config(path, ("alpha", "beta"))
    assert str(exception_info.value).startswith(f"{path}")
    assert "\n" not in str(exception_info.value)


def test_the_good_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "g.toml"
    path.write_text("\n".join(f"{key} = {text}" for key, text in GOOD.items()), encoding="utf-8")
    config = load_config(path, ("alpha", "beta"))
    assert (config.name, config.command, list(config.clients), list(config.upstreams)) == (
        "g",
        ("gateway", "{port}"),
        ["alpha"],
        ["beta"],
    )
    assert config.directory == tmp_path


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("gone.toml", None, "gone.toml is not there; there is other.toml; write gateway:FILE.toml"),
        (".", None, r"cannot be read \(Is a directory\)"),
        ("bad.toml", b'name = "\xff"', r"bad.toml is not UTF-8 text \(byte 8\), as TOML must be"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, content: bytes | None, sentence: str) -> None:
    (tmp_path / "other.toml").touch()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SpecError, match=sentence):
        load_config(tmp_path / name, ("alpha", "beta"))


def test_other_braces_stay() -> None:
    assert fill_template('{"a": {"b": "{port}"}} {other} {Port}', {"port": "8"}) == '{"a": {"b": "8"}} {other} {Port}'


def test_a_mistake_ends_the_run_with_that_sentence(project: Any) -> None:
    write(project, tables='[redy]\npath = "/"')
    result = project.run("toolcall::", spec="gateway:gateway.toml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: *gateway.toml: the file has no key 'redy'; did you mean 'ready'[?]; its keys *"]
    )
    assert "Traceback" not in result.stderr.str()
    assert leftovers(project) == []


def test_name_and_version_are_the_file_s(project: Any) -> None:
    report = project.run_report("toolcall::box/one", spec=write(project))
    assert report["translator"]["name"] == "faulty"
    assert report["translator"]["version"] == "3"


def test_routes_that_it_does_not_do(project: Any) -> None:
    spec = write(project, "none", "", **{"not": ["alpha-to-beta"]})
    report = project.run_report("toolcall::box/one", spec=spec)
    assert report["counts"]["passed"] == 6
    assert report["counts"]["not_applicable"] == 2
    text = (project.path / "gateway.toml").read_text(encoding="utf-8").replace("[client.beta]", "")
    (project.path / "gateway.toml").write_text(text.replace("not =", "#"), encoding="utf-8")
    assert project.run_report("toolcall::box/one", spec=spec)["counts"]["not_applicable"] == 4


def lacks(project: Any, path: str, status: int, **more: Any) -> str:
    """A gateway that answers at ``path`` that it has no such route; its file declares all routes. The spec."""
    spec = write(project, command=[sys.executable, "-u", "odd.py", "none", "{port}", "{upstream}"], **more)
    reading = 'body = json.loads(self.rfile.read(int(self.headers["content-length"])))'
    script = SCRIPT.read_text(encoding="utf-8").replace(
        reading,
        f'{reading}\n        if self.path.startswith("{path}"):\n'
        f'            return self.say({status}, {{"detail": "Not Found"}})',
    )
    (project.path / "odd.py").write_text(script, encoding="utf-8")
    return spec


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_declared_route_that_it_lacks_is_a_mistake_in_the_file(project: Any, status: int) -> None:
    result = project.run("toolcall::box/one", spec=lacks(project, "/alpha", status))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            (
                f"ERROR: gateway:gateway.toml: alpha-to-alpha, alpha-to-beta: the gateway answered {status} at POST "
                "http://127.0.0.1:*/alpha: Not Found; gateway.toml declares this route: correct `path` under "
                "[[]client.alpha], or `model` under [[]upstream.alpha]; if the gateway does not do it, write not = *"
            )
        ]
    )
    assert leftovers(project) == []


def test_routes_that_it_lacks_and_does_not_declare_are_no_matter(project: Any) -> None:
    spec = lacks(project, "/alpha", 404, **{"not": ["alpha-to-alpha", "alpha-to-beta"]})
    counts = project.run_report("toolcall::box/one", spec=spec)["counts"]
    assert (counts["passed"], counts["not_applicable"], counts["failed"]) == (4, 4, 0)


def test_files_and_environment(project: Any) -> None:
    (project.path / "settings.json").write_text(
        '{"at": {"port": {port}}, "up": "{upstream}", "key": "{upstream_key}", "in": "{files}"}', encoding="utf-8"
    )
    (project.path / "start.py").write_text(
        "import json, os, runpy, sys\n"
        "found = json.load(open(sys.argv[1]))\n"
        "json.dump([found, dict(os.environ), sys.argv], open('seen.json', 'w'))\n"
        f"sys.argv = [{str(SCRIPT)!r}, 'none', str(found['at']['port']), found['up']]\n"
        f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')\n",
        encoding="utf-8",
    )
    spec = write(
        project,
        command=[sys.executable, "start.py", "{files}/made.json", "{directory}"],
        tables='[ready]\npath = "/ready"\n[files]\n"made.json" = "settings.json"\n'
        '[environment]\nKEY = "is {upstream_key}"\nPORT = "{port}"',
    )
    project.run("toolcall::box/one", spec=spec).assert_outcomes(passed=8)
    settings, environment, arguments = json.loads((project.path / "seen.json").read_text(encoding="utf-8"))
    assert environment["KEY"] == f"is {settings['key']}"
    assert environment["PORT"] == str(settings["at"]["port"])
    assert environment["PATH"] == os.environ["PATH"]
    assert arguments[1:] == [f"{settings['in']}/made.json", str(project.path)]
    assert Path(settings["in"]).parent == project.path / "tmp"
    assert leftovers(project) == []


def test_a_template_that_is_no_text(project: Any) -> None:
    (project.path / "settings.bin").write_bytes(b"\xff")
    spec = write(project, tables='[files]\na = "settings.bin"')
    result = project.run("toolcall::", spec=spec)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *gateway.toml: files: 'a' cannot be made of *settings.bin (*)"])
    assert leftovers(project) == []


def test_path_headers_and_model_of_a_client(project: Any) -> None:
    """The gateway of the test knows no paths but its own: the odd ones are seen in its notes."""
    write(project)
    text = (project.path / "gateway.toml").read_text(encoding="utf-8")
    text = text.replace("[client.beta]", '[client.beta]\npath = "/odd/{model}/{client_model}?a=%2F"')
    (project.path / "gateway.toml").write_text(text, encoding="utf-8")
    project.run("toolcall::box/one::request::beta-to-beta", spec="gateway:gateway.toml").assert_outcomes(passed=1)
    assert noted_lines(project, "posts")[-1] == "/odd/beta-1/beta-1?a=%2F box/one"


def test_the_case_is_sent(project: Any) -> None:
    project.run("toolcall::box/two::request::alpha-to-alpha", spec=write(project)).assert_outcomes(passed=1)
    assert noted_lines(project, "posts")[-1] == "/alpha box/two"


def test_a_model_s_name_is_encoded_for_a_path(project: Any, add_case: Any) -> None:
    add_case("box/models", models={"alpha": "Alpha", "beta": "models/Beta:2"})
    result = project.run("toolcall::box/models", "--toolcall-strict", spec=write(project))
    result.assert_outcomes(passed=8)
    assert any(line.startswith("/beta/models%2FBeta%3A2:ask") for line in noted_lines(project, "posts"))


def test_a_client_s_lower_case_model(project: Any, add_case: Any) -> None:
    add_case("box/two-models", models={"alpha": "Alpha", "beta": "Beta"})
    spec = write(project, "lower-case")
    result = project.run("toolcall::box/two-models::request::alpha-to-beta", "--toolcall-strict", spec=spec)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["    what  the path names the model beta, the route Beta"])


def test_a_client_s_key_that_is_meant_to_go_there(project: Any) -> None:
    item = "toolcall::box/two::request::alpha-to-beta"
    project.run(item, spec=write(project, "leaks-in-a-header")).assert_outcomes(failed=1)
    spec = write(project, "leaks-in-a-header", forwards_client_key=True)
    project.run(item, spec=spec).assert_outcomes(passed=1)


def test_one_address_for_all_conversations(project: Any) -> None:
    write(project)
    text = (project.path / "gateway.toml").read_text(encoding="utf-8")
    text = text.replace(f'x-upstream-url = "{HEADERS["x-upstream-url"]}", ', "")
    (project.path / "gateway.toml").write_text(text, encoding="utf-8")
    project.run("toolcall::", spec="gateway:gateway.toml").assert_outcomes(passed=24)


def test_a_gateway_that_runs_already(project: Any) -> None:
    port, upstream_port = free_port(), free_port()
    command = [sys.executable, str(SCRIPT), "none", str(port), f"http://127.0.0.1:{upstream_port}"]
    running = subprocess.Popen(command, cwd=project.path)
    try:
        spec = write(project, command=None, url=f"http://127.0.0.1:{port}", upstream_port=upstream_port)
        project.run("toolcall::", spec=spec).assert_outcomes(passed=24)
        assert running.poll() is None
        assert not listens(upstream_port)
        assert listens(port)
    finally:
        running.kill()
        running.wait()
    while listens(port):
        time.sleep(0.01)
    (project.path / "gateway.toml").write_text(
        (project.path / "gateway.toml").read_text(encoding="utf-8").replace("[ready]", "[ready]\nseconds = 0.3"),
        encoding="utf-8",
    )
    result = project.run("toolcall::", spec=spec)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            (
                "ERROR: the gateway faulty was not ready after 0.3 s (`seconds` of [[]ready]); it is to be running "
                f"already: start it, or give a `command` (GET http://127.0.0.1:{port}/ready: *Connection refused)"
            )
        ]
    )


def test_an_upstream_port_that_is_taken(project: Any) -> None:
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        result = project.run("toolcall::", spec=write(project, upstream_port=listener.getsockname()[1]))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: the scripted upstream cannot listen on port * of loopback (*); stop the program *"]
    )
    assert leftovers(project) == []


def test_two_workers_have_a_gateway_each(project: Any) -> None:
    pytest.importorskip("xdist")
    result = project.run_in_subprocess("toolcall::", "-n", "2", "--toolcall-timeout=5", spec=write(project))
    result.assert_outcomes(passed=24)
    assert len(set(noted_lines(project, "pids"))) == len(set(noted_lines(project, "ports"))) >= 2
    assert leftovers(project) == []
