"""The list of adapters: complete, pinned as the package says, and environments that are complete or absent."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from toolcall_conformance.adapters import environment
from toolcall_conformance.adapters.catalogue import CATALOGUE, FOLDER, Adapter, adapters
from toolcall_conformance.cli import main

ROOT = Path(__file__).resolve().parents[2]
ALL = adapters()
# Those whose environment is this package with an extra, and those that are a folder.
EXTRAS = {name: adapter for name, adapter in ALL.items() if "extra" in adapter.environment}
FOLDERS = {name: adapter for name, adapter in ALL.items() if "folder" in adapter.environment}

TEXT = {"type": "string", "minLength": 1}
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            **dict.fromkeys(("name", "what", "package", "routes", "mode", "note", "cannot"), TEXT),
            "kind": {"enum": ["in process", "exchange", "exec", "gateway"]},
            "url": {"type": "string", "pattern": "^https://"},
            "version": {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)+(b[0-9]+)?$"},
            "translator": {
                "type": "string",
                "pattern": "^([a-z_.]+:[A-Za-z]+$|exec:.*{directory}|gateway:{directory}/)",
            },
            "environment": {
                "oneOf": [
                    {"properties": {"extra": TEXT}, "required": ["extra"], "additionalProperties": False},
                    {
                        "properties": {
                            "folder": TEXT,
                            "npm": {"const": True},
                            "requirements": {"type": "array", "items": TEXT, "minItems": 1},
                        },
                        "required": ["folder"],
                        "additionalProperties": False,
                    },
                ]
            },
        },
        "required": [
            "name",
            "what",
            "kind",
            "url",
            "package",
            "version",
            "routes",
            "translator",
            "mode",
            "environment",
        ],
        "additionalProperties": False,
    },
}


def test_the_file_is_as_described() -> None:
    catalogue = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    jsonschema.validate(catalogue, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert len(ALL) == len(catalogue)


def test_every_adapter_is_listed() -> None:
    """A file or folder here that no entry names would never be tried."""
    modules = {path.stem for path in FOLDER.glob("*.py")} - {
        "__init__",
        "catalogue",
        "environment",
        "frames",
        "mcp_loop",
    }
    assert modules == {adapter.translator.split(":")[0].split(".")[-1] for adapter in EXTRAS.values()}
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {adapter.environment["folder"] for adapter in FOLDERS.values()}


@pytest.mark.parametrize("adapter", EXTRAS.values(), ids=EXTRAS)
def test_an_extra_pins_the_version(adapter: Adapter) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    pinned = [entry.replace(" ", "") for entry in extras[adapter.environment["extra"]]]
    assert any(
        entry.partition("[")[0].partition("==")[0] == adapter.package and entry.endswith(f"=={adapter.version}")
        for entry in pinned
    )


@pytest.mark.parametrize("adapter", FOLDERS.values(), ids=FOLDERS)
def test_a_folder_pins_the_version(adapter: Adapter) -> None:
    folder = FOLDER / adapter.environment["folder"]
    if adapter.environment.get("npm"):
        package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        assert package["dependencies"] == {adapter.package: adapter.version}
    for requirement in adapter.environment.get("requirements", ()):
        assert requirement.endswith(f"=={adapter.version}")
    started = adapter.translator.rpartition("/")[2]
    assert (folder / started).is_file()
    if adapter.kind == "gateway":
        assert tomllib.loads((folder / started).read_text(encoding="utf-8"))["version"] == adapter.version


class Recorder:
    """Runs nothing; fails at the command that begins with ``fails``."""

    def __init__(self, fails: str = "") -> None:
        self.ran: list[list[str]] = []
        self._fails = fails

    def __call__(self, words: Sequence[str], directory: Path) -> None:
        self.ran.append(list(words))
        (directory / "half").write_text("made", encoding="utf-8")
        if self._fails and self._fails in words:
            raise environment.NotMadeError(f"`{self._fails}` ended with exit code 1")


def test_an_extra_becomes_a_virtual_environment(tmp_path: Path) -> None:
    run = Recorder()
    command = environment.make(ALL["litellm"], tmp_path / "env", run)
    assert [words[1:3] for words in run.ran] == [["-m", "venv"], ["-m", "pip"]]
    assert run.ran[1][-1].endswith("[litellm]") or "[litellm]" in run.ran[1][-1]
    assert f"{tmp_path}/env/bin/python -m pytest" in command
    assert command.endswith("toolcall_conformance.adapters.litellm_sdk:Translator toolcall::")


def test_a_folder_is_copied_and_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    run = Recorder()
    command = environment.make(ALL["llm-bridge"], tmp_path / "with space", run)
    assert run.ran == [["/bin/npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]]
    assert (tmp_path / "with space" / "adapter.mjs").is_file()
    # The driver takes the command apart as a shell does.

    spec = shlex.split(command)[2]
    assert shlex.split(spec.removeprefix("exec:")) == ["node", f"{tmp_path}/with space/adapter.mjs"]


def test_a_gateway_has_its_virtual_environment_next_to_its_file(tmp_path: Path) -> None:
    run = Recorder()
    command = environment.make(ALL["litellm-proxy"], tmp_path / "proxy", run)
    assert run.ran[0][-1].endswith("/venv")
    assert run.ran[1][-1] == "litellm[proxy]==1.106.2"
    assert f"gateway:{tmp_path}/proxy/gateway.toml" in command


@pytest.mark.skipif(os.name == "nt", reason="scripts are programs there")
@pytest.mark.parametrize(("name", "place"), [("litellm", ""), ("litellm-proxy", "venv")])
def test_scripts_run_from_where_the_environment_is(name: str, place: str, tmp_path: Path) -> None:
    def run(words: Sequence[str], directory: Path) -> None:
        if "pip" not in words:
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", words[-1]], cwd=directory, check=True)
            return
        script = Path(words[0]).with_name("tried")  # as pip writes one
        script.write_text(f"#!{words[0]}\nimport sys\nprint(sys.prefix)\n", encoding="utf-8")
        script.chmod(0o755)

    environment.make(ALL[name], tmp_path / "env", run)
    home = tmp_path / "env" / place
    assert subprocess.check_output([home / "bin" / "tried"], text=True).strip() == str(home)
    activate = (home / "bin" / "activate").read_text(encoding="utf-8")
    assert str(home) in activate
    assert f"{tmp_path}/.env-" not in activate


def test_nothing_half_made_is_left(tmp_path: Path) -> None:
    with pytest.raises(environment.NotMadeError, match="exit code 1"):
        environment.make(ALL["litellm-proxy"], tmp_path / "proxy", Recorder(fails="pip"))
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    def run(_words: Sequence[str], _directory: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.make(ALL["litellm"], tmp_path / "env", run)
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(environment.NotMadeError, match=r"`/bin/false -m venv .*` ended with exit code 1"):
        environment.make(ALL["litellm"], tmp_path / "env")


def test_an_example_that_cannot_run_says_why(tmp_path: Path) -> None:

    with pytest.raises(environment.NotMadeError, match="litellm cannot be run: it is gone"):
        environment.make(replace(ALL["litellm"], cannot="it is gone"), tmp_path / "env", Recorder())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["litelm"], "there is no adapter 'litelm'; did you mean litellm"),
        (["portkey", "{tmp}"], "is there already; name a new one"),
        (["portkey", "{tmp}/a/b"], "is no directory; make it first"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adapters", *(word.replace("{tmp}", str(tmp_path)) for word in arguments)]) == 4
    assert message in capsys.readouterr().err


def test_npm_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["adapters", "portkey", str(tmp_path / "p")]) == 4
    assert "needs npm" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_list_and_one_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adapters"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(ALL)
    assert main(["adapters", "portkey"]) == 0
    assert "@portkey-ai/gateway 1.15.2" in capsys.readouterr().out
