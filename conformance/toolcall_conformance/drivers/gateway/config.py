"""Reads and checks the TOML file of ``gateway:FILE.toml``, and fills in its templates."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.close_names import close_name_hint
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES

SCHEMA = Path(__file__).with_name("gateway.schema.json")
START_SECONDS = 60.0

_START_VARIABLES = frozenset({"port", "upstream", "upstream_key", "directory", "files"})
_REQUEST_VARIABLES = frozenset(
    {"client_key", "upstream_key", "upstream", "conversation", "case", "model", "client_model"}
)
_VARIABLE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Readiness:
    """When a gateway is ready; see the schema."""

    path: str | None = None
    status: int | None = None
    seconds: float = START_SECONDS


@dataclass(frozen=True, slots=True)
class GatewaySide:
    """One side of a gateway in one format. ``path`` and ``stream_path`` are None if they are the API's own."""

    path: str | None = None
    stream_path: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str = "{model}"


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    """The content of the file. Templates are not filled in; ``directory`` is the file's folder."""

    path: Path
    name: str
    version: str | None
    command: tuple[str, ...]
    url: str | None
    port: int | None
    upstream_port: int | None
    environment: Mapping[str, str]
    files: Mapping[str, Path]
    ready: Readiness
    clients: Mapping[str, GatewaySide]
    upstreams: Mapping[str, GatewaySide]
    excluded: frozenset[str]
    forwards_client_key: bool
    own_history: bool
    max_bytes: int

    @property
    def directory(self) -> Path:
        return self.path.parent

    @property
    def knows_port(self) -> bool:
        """Whether the gateway can know the port on which we expect it, or the file names a fixed one."""
        if self.port is not None or (self.url is not None and "{port}" not in self.url):
            return True
        texts = [*self.command, *self.environment.values()]
        texts += [foreign_files.read_bytes(template).decode(errors="replace") for template in self.files.values()]
        return any("{port}" in text for text in texts)

    def missing_route_hint(self, route: Route, key: str) -> str:
        """What to do if the gateway has nothing at the address of a route; ``key`` is the setting of its path."""
        return (
            f"{self.path.name} declares this route: correct `{key}` under [client.{route.client}], or `model` under "
            f'[upstream.{route.upstream}]; if the gateway does not do it, write not = ["{route}"]'
        )


def load_config(path: Path, formats: Collection[str]) -> GatewayConfig:
    """Load the configuration in ``path``. Raises SpecError: what is wrong, where, and what to do."""
    config = _read_toml(path)
    _check_schema(path, config)
    for table in ("client", "upstream"):
        for name in config[table]:
            if name not in formats:
                raise SpecError(
                    f"{path}: [{table}.{name}] is not a format{close_name_hint(name, formats)}; "
                    f"they are {', '.join(formats)}"
                )
    _check_variables(path, config)
    files = {name: path.parent / template for name, template in config.get("files", {}).items()}
    for name, template in files.items():
        if not template.is_file():
            raise SpecError(f"{path}: files: the template of {name!r}, {template}, is not there; add it")
    return GatewayConfig(
        path=path,
        name=config["name"],
        version=config.get("version"),
        command=tuple(config.get("command", ())),
        url=config.get("url"),
        port=config.get("port"),
        upstream_port=config.get("upstream_port"),
        environment=config.get("environment", {}),
        files=files,
        ready=Readiness(**config.get("ready", {})),
        clients={name: GatewaySide(**entry) for name, entry in config["client"].items()},
        upstreams={name: GatewaySide(**entry) for name, entry in config["upstream"].items()},
        excluded=frozenset(config.get("not", ())),
        forwards_client_key=config.get("forwards_client_key", False),
        own_history=config.get("history") == "own",
        max_bytes=config.get("max_bytes", MAX_OUTPUT_BYTES),
    )


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Fill in the known variables of ``template``; other braces stay as they are."""
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), template)


def _read_toml(path: Path) -> Any:
    try:
        return foreign_files.parse_toml(foreign_files.read_text(path))
    except FileNotFoundError:
        near = sorted(entry.name for entry in path.parent.glob("*.toml")) if path.parent.is_dir() else []
        hint = f"; there is {', '.join(near[:5])}" if near else ""
        raise SpecError(f"{path} is not there{hint}; write gateway:FILE.toml with a file that is") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"{path} {foreign_files.toml_fault(error)}") from None


def _check_schema(path: Path, config: Any) -> None:
    """Check the file against the schema. Raises SpecError with the most relevant error of jsonschema."""
    import jsonschema

    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    breach = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(config))
    if breach is None:
        return
    place = ".".join(map(str, breach.absolute_path)) or "the file"
    if breach.validator == "additionalProperties":
        keys = breach.schema.get("properties", {})
        for name in breach.instance:
            if name not in keys:
                raise SpecError(
                    f"{path}: {place} has no key {name!r}{close_name_hint(name, keys)}; its keys are {', '.join(keys)}"
                )
    if breach.validator in ("anyOf", "required") and place == "the file":
        raise SpecError(
            f"{path}: it needs a name, a [client.FORMAT] and an [upstream.FORMAT] table, and a command or a url: "
            f"{breach.message if breach.validator == 'required' else 'neither command nor url is there'}"
        )
    description = breach.schema.get("description", "") if isinstance(breach.schema, dict) else ""
    raise SpecError(f"{path}: {place}: {breach.message}{f' ({description})' if description else ''}")


def _check_variables(path: Path, config: Mapping[str, Any]) -> None:
    for key, allowed in (
        ("command", _START_VARIABLES),
        ("environment", _START_VARIABLES),
        ("url", _START_VARIABLES),
        ("client", _REQUEST_VARIABLES),
        ("upstream", _REQUEST_VARIABLES),
    ):
        for text in _texts(config.get(key, ())):
            for name in _VARIABLE.findall(text):
                if name not in allowed:
                    names = ", ".join(f"{{{name}}}" for name in sorted(allowed))
                    raise SpecError(
                        f"{path}: {key}: {{{name}}} in {text!r} is not a variable{close_name_hint(name, allowed)}; "
                        f"there are {names}"
                    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _texts(entry)
    elif isinstance(value, dict):
        yield from _texts(list(value.values()))
