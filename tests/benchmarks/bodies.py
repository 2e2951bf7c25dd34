"""How fast and in how much memory translators translate whole bodies: the same bodies for all, in one run.

``python tests benchmarks.bodies`` compares the reference with the published translators that can be imported here.
``--python litellm=PATH`` runs one in an environment of its own (``toolcall-conformance adapters litellm DIRECTORY``;
``pip install`` for those that have no adapter). Any other name, such as ``before=PATH``, is another checkout's
reference: the one that this interpreter finds by ``PYTHONPATH``.

* *Per second of CPU*: requests, each in a session of its own, with a history of 200 messages (``long``) and of three
  (``small``), and the first reply of the case ``shell/seed`` (``reply``). The best of many rounds.
* *Judged*: whether the judge finds no MUST in what came out. Only the speed of such outputs says anything.
* *Memory*: the peak of Python's allocations for one long request.

What packages do to send a body is left out: where a package has converters, they are called (``converters.py``).
"""

from __future__ import annotations

import argparse
import copy
import importlib
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.contract import Body, Route, Unsupported

REFERENCE = "reference"
SPECS = {
    REFERENCE: "toolcall_reference:ReferenceTranslator",
    "llm-rosetta": "toolcall_conformance.adapters.llm_rosetta:Translator",
    "litellm": "converters:litellm",
    "ant2oai": "converters:ant2oai",
    "vandamme": "converters:vandamme",
}
LOADS = ("long", "small", "reply")
ROUND = 0.02
Measured = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Measure and print; the exit status."""
    options = _options(arguments)
    if options.measure:
        print(json.dumps(measure_translator(options.measure, json.load(sys.stdin), options.seconds)))
        return 0
    material = bodies(options.messages)
    elsewhere = dict(pair.split("=", 1) for pair in options.python)
    here = [name for name in SPECS if name not in elsewhere and _importable(name)]
    measurements: dict[str, Measured] = {}
    for name in [*here, *elsewhere]:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        measurements[name] = _measure_in_subprocess(name, elsewhere.get(name, sys.executable), material, options)
    for line in table(measurements, routes_without_must(measurements, material)):
        print(line)
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH", help="an interpreter for one")
    parser.add_argument("--seconds", type=float, default=0.5, help="for how long each is timed (0.5)")
    parser.add_argument("--messages", type=int, default=200, help="how long the long history is (200)")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _spec(name: str) -> str:
    return SPECS.get(name, SPECS[REFERENCE])


def _importable(name: str) -> bool:
    module, _, attribute = _spec(name).partition(":")
    try:
        translator_class = getattr(importlib.import_module(module), attribute)
        return bool(module != "converters" or translator_class())
    except ImportError:
        return False


def _measure_in_subprocess(name: str, python: str, material: dict[str, Any], options: argparse.Namespace) -> Measured:
    """The figures, taken in a process that does nothing else."""
    command = [python, __file__, "--measure", name, "--seconds", str(options.seconds)]
    process = subprocess.run(
        command, input=json.dumps(material), capture_output=True, text=True, check=False, env=_paths(name, python)
    )
    if process.returncode:
        raise SystemExit(f"{name}: {python} failed: {process.stderr.strip()[-2000:]}")
    measurement: Measured = json.loads(process.stdout.splitlines()[-1])
    return measurement


def _paths(name: str, python: str) -> dict[str, str]:
    """The environment: other translators are judged by, and run with, the contract of this checkout."""
    root = Path(__file__).parents[2]
    own = [str(root / "conformance"), *([str(root / "reference_impl")] if python == sys.executable else [])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(own)} if name in SPECS else dict(os.environ)


def bodies(messages: int) -> dict[str, Any]:
    """Requests and replies by load and format; ``ask`` is the request that ``reply`` answers."""
    from long_history import CASE, long_requests  # type: ignore[import-not-found]  # run as a script

    from toolcall_conformance.library import load_corpus

    corpus = load_corpus()
    exchanges = {name: corpus.cases[CASE].exchanges(name) for name in corpus.cases[CASE].formats}
    return {
        "models": dict(corpus.cases[CASE].scenario["models"]),
        "long": long_requests(corpus, messages),
        "small": {name: turns[-1].request for name, turns in exchanges.items()},
        "ask": {name: turns[0].request for name, turns in exchanges.items()},
        "reply": {name: turns[0].response for name, turns in exchanges.items()},
    }


def measure_translator(name: str, material: dict[str, Any], seconds: float) -> Measured:
    """Seconds of CPU, outputs, and bytes at the peak, by load and route. Routes that it does not do are absent."""
    module, _, attribute = _spec(name).partition(":")
    translator = getattr(importlib.import_module(module), attribute)()
    measurement: Measured = {load: {} for load in (*LOADS, "memory", "made")}
    for client, upstream in ((client, upstream) for client in material["long"] for upstream in material["long"]):
        if client == upstream:
            continue
        route = Route(client, upstream, material["models"][client], material["models"][upstream])
        try:
            works = {load: work for load in LOADS if (work := _work(translator, route, material, load)) is not None}
        except Unsupported:
            continue
        for load, work in works.items():
            measurement["made"][f"{load} {route}"] = copy.deepcopy(work())
            measurement[load][str(route)] = _seconds(work, seconds)
        measurement["memory"][str(route)] = _peak(works["long"])
    return measurement


def _work(translator: Any, route: Route, material: dict[str, Any], load: str) -> Callable[[], Body] | None:
    if load != "reply":
        body = material[load][route.client]
        return lambda: translator.open(route).request(body)
    session = translator.open(route)
    if not hasattr(session, "response"):
        return None
    session.request(material["ask"][route.client])
    reply = material["reply"][route.upstream]
    return lambda: session.response(reply)


def _seconds(work: Callable[[], object], least: float) -> float:
    """What one takes: the best of rounds, as whatever else the machine does only adds."""
    best, end = float("inf"), time.process_time() + least
    while time.process_time() < end:
        start, spent, done = time.process_time(), 0.0, 0
        while not done or spent < ROUND:
            work()
            spent, done = time.process_time() - start, done + 1
        best = min(best, spent / done)
    return best


def _peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def routes_without_must(measurements: dict[str, Measured], material: dict[str, Any]) -> dict[str, set[str]]:
    """By translator: the loads and routes whose output has no MUST."""
    from toolcall_conformance import Ends, Judge, load_corpus
    from toolcall_conformance.basics.findings import Level

    judge = Judge(load_corpus())
    passed: dict[str, set[str]] = {}
    for name, measurement in measurements.items():
        passed[name] = set()
        for key, output in measurement["made"].items():
            load, _, route = key.partition(" ")
            client, _, upstream = route.partition("-to-")
            if load == "reply":
                judgement = judge.response(material["reply"][upstream], output, Ends(client, upstream))
            else:
                judgement = judge.request(material[load][client], output, Ends(client, upstream))
            if all(finding.level is not Level.MUST for finding in judgement.findings):
                passed[name].add(key)
    return passed


def table(measurements: dict[str, Measured], passed: dict[str, set[str]]) -> Iterator[str]:
    """The figures as lines; ratios are those of the reference to a translator. ``!`` marks what the judge refuses."""
    names = list(measurements)
    width = max(18, *map(len, names)) + 2
    routes = list(measurements[names[0]]["long"])
    left = max(map(len, routes))
    for load in LOADS:
        yield f"{load}, per second of CPU (how many times as fast the reference is; ! where the judge finds a MUST)"
        yield f"{'':{left}}" + "".join(f"{name:>{width}}" for name in names)
        for route in routes:
            cells = (_cell(measurements, passed, name, load, route) for name in names)
            yield f"{route:{left}}" + "".join(f"{cell:>{width}}" for cell in cells)
        yield ""
    yield "peak of Python's allocations for one long request, in KB"
    for route in routes:
        peaks = (measurements[name]["memory"].get(route) for name in names)
        yield f"{route:{left}}" + "".join(f"{'–' if peak is None else f'{peak / 1000:.0f}':>{width}}" for peak in peaks)


def _cell(measurements: dict[str, Measured], passed: dict[str, set[str]], name: str, load: str, route: str) -> str:
    spent, own = measurements[name][load].get(route), measurements.get(REFERENCE, {}).get(load, {}).get(route)
    if spent is None:
        return "–"
    mark = "" if f"{load} {route}" in passed[name] else " !"
    return f"{1 / spent:,.0f}" + (f" ({spent / own:.2f})" if own else "") + mark


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
