"""Cassettes that would end a run: each is one clear sentence, and the others are read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.library import load_corpus
from toolcall_conformance.recording import compression
from toolcall_conformance.recording.cassettes import cases, yaml_cassettes
from toolcall_conformance.recording.cassettes.files import read
from toolcall_conformance.recording.cassettes.interactions import CassetteError
from toolcall_conformance.recording.compression import Unpacker

GOOD: dict[str, Any] = {
    "request": {
        "method": "POST",
        "uri": "https://api.anthropic.com/v1/messages",
        "headers": {},
        "body": json.dumps({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}),
    },
    "response": {"status": {"code": 200}, "headers": {}, "body": {"string": '{"type": "message", "content": []}'}},
}

BEGIN = "interactions:\n- request: "
BYTES_IO = "!!python/object/new:_io.BytesIO"
HOSTILE = {
    "brackets.yaml": ("[" * 100_000, "line 1 (nested more than 500 levels deep)"),
    "blocks.yaml": ("- " * 100_000, "line 1 (nested more than 500 levels deep)"),
    "deep.json": ('{"interactions": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    "less-deep.json": ('{"interactions": ' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
    "zero-x.yaml": (f"{BEGIN}\n    a: 0x_\n", "line 3 (a value that is no int"),
    "float.yaml": (f"{BEGIN}!!float foo\n", "line 2 (a value that is no float"),
    "digits.yaml": (f"{BEGIN}{'9' * 100_000}\n", "line 2 (a value that is no int"),
    "digits.json": ('{"interactions": [' + "9" * 100_000 + "]}", "not valid JSON (Exceeds the limit"),
    "binary.yaml": (f'{BEGIN}!binary "abc"\n', "line 2 (a value that is no !binary"),
    "state.yaml": (f"{BEGIN}{BYTES_IO} {{state: 3}}\n", "line 2 (a value that is no "),
    "mapping.yaml": (f"{BEGIN}{BYTES_IO} [a]\n", "line 2"),
    "itself.yaml": (f"{BEGIN}&a [*a]\n", "line 2 (the alias *a is inside the value that it refers to)"),
}


def interaction(**request: Any) -> str:
    status = request.pop("code", 200)
    answered = {**GOOD["response"], "status": {"code": status}}
    return json.dumps({"interactions": [{"request": {**GOOD["request"], **request}, "response": answered}]})


HOSTILE |= {
    "status.json": (interaction(code=10**9).replace("1000000000", "1e999"), "interaction 1: cannot convert float inf"),
    "bracket.json": (interaction(uri="http://[::1"), "interaction 1: Invalid IPv6 URL"),
    "half.json": (interaction(body="\ud83d"), "interaction 1: 'utf-8' codec can't encode"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_cassette_is_one_sentence(tmp_path: Path, name: str) -> None:
    text, message = HOSTILE[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(CassetteError) as caught:
        read(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600


def test_the_other_cassettes_of_the_folder_are_read(tmp_path: Path) -> None:
    for name, (text, _) in HOSTILE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "good.json").write_text(json.dumps({"interactions": [GOOD]}))
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    cassettes = cases.load(load_corpus(), [tmp_path])
    assert list(cassettes.cases) == ["recorded/good.json#1"]
    assert len(cassettes.damaged) == len(HOSTILE)
    assert cassettes.summary == f"1 recorded exchange in 1 cassette; damaged and skipped: {len(HOSTILE)}"
    assert cassettes.to_json()["damaged"] == list(cassettes.damaged)


def test_a_folder_of_damaged_cassettes_alone_is_an_error(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("a: [")
    with pytest.raises(CassetteError, match=r"a\.yaml: neither JSON nor YAML at line(?s:.*)and 1 further damaged file"):
        cases.load(load_corpus(), [tmp_path])


@pytest.mark.parametrize("in_file", [True, False])
def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_file: bool) -> None:
    monkeypatch.setattr(Unpacker.__init__, "__defaults__", (1000,))
    whole = {"interactions": [GOOD] * 20}
    if not in_file:
        body = {"base64_string": _base64(gzip.compress(b"a" * 2000))}
        answered = {"status": {"code": 200}, "headers": {"content-encoding": "gzip"}, "body": body}
        whole = {"interactions": [{**GOOD, "response": answered}]}
    text = json.dumps(whole).encode()
    (tmp_path / "bomb.json").write_bytes(gzip.compress(text) if in_file else text)
    with pytest.raises(CassetteError, match=r"too large \(it unpacks to more than"):
        read(tmp_path / "bomb.json")


def _base64(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()


def test_all_bodies_of_a_file_share_the_limit() -> None:
    unpacker, packed = Unpacker(1500), gzip.compress(b"a" * 600)
    assert unpacker.gzip(packed + packed) == b"a" * 1200
    with pytest.raises(ValueError, match="more than"):
        unpacker.gzip(packed)
    assert compression.MAX_UNPACKED >= 2**26  # real recordings with pictures


def test_aliases_count_as_what_they_refer_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    (tmp_path / "laughs.yaml").write_text("\n".join(lines))
    with pytest.raises(CassetteError, match=r"line 8 \(its aliases unfold to more than 50,000,000"):
        read(tmp_path / "laughs.yaml")
    monkeypatch.setattr(yaml_cassettes, "MAX_UNFOLDED", 2000)
    shared = "interactions: []\nheaders: &h {a: [b]}\n" + "".join(f"h{n}: *h\n" for n in range(50))
    (tmp_path / "shared.yaml").write_text(shared)
    assert read(tmp_path / "shared.yaml") == ()
