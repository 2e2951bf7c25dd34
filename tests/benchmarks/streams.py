"""How fast, how early and in how much memory translators translate streams: the same streams for all, in one run.

``python tests benchmarks.streams`` compares the reference with the published translators that can be imported here.
``--python litellm=PATH`` runs one in an environment of its own (``toolcall-conformance adapters litellm DIRECTORY``).

* *Events per second* of CPU: the upstreams' events, one piece each, through ``stream``; the request before is not
  timed. Once for the short replies of the family ``shell``, dialects left out, once for one long text in pieces of 40
  characters. What sends and receives by itself is timed with its HTTP on loopback.
* *First output*: after how many events the first bytes come out; of what sends by itself, whether before the end.
* *Memory*: a text of 50 MB against one of 50 KB, in pieces of equal size. Of translators in this process alone.

Exits with 1 if the reference takes over 10 % more memory for the long text than for the short one.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from long_text import PIECE, long_text, peak  # type: ignore[import-not-found]  # run as a script

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.drivers import Opened, Produced, SessionDriver, Source, Streamed, load_driver
from toolcall_conformance.library import Corpus, Exchange, load_corpus

REFERENCE = "reference"
SPECS = {
    REFERENCE: "toolcall_reference:ReferenceTranslator",
    "llm-rosetta": "toolcall_conformance.adapters.llm_rosetta:Translator",
    "litellm": "toolcall_conformance.adapters.litellm_sdk:Translator",
    "any-llm": "toolcall_conformance.adapters.any_llm:Translator",
}
FAMILY = "shell"
WORDS = (2000, 40)
MAX_RATIO = 1.1
Measured = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Measure and print; the exit status."""
    options = _options(arguments)
    others = dict(pair.split("=", 1) for pair in options.python)
    measurements: dict[str, Measured] = {}
    for name in options.translators or [*(name for name in SPECS if name not in others and _importable(name)), *others]:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        measurements[name] = (
            _measure_in_subprocess(name, others[name], options) if name in others else measure_translator(name, options)
        )
    if options.json:
        print(json.dumps(measurements))
        return 0
    for line in table(measurements, options):
        print(line)
    return (
        1 if any(row["ratio"] > MAX_RATIO for row in measurements.get(REFERENCE, {}).get("memory", {}).values()) else 0
    )


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--translators", nargs="+", choices=SPECS, help="only these (default: all that there are)")
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH", help="an interpreter for one")
    parser.add_argument("--seconds", type=float, default=0.5, help="for how long a route is timed at least (0.5)")
    parser.add_argument("--megabytes", type=float, default=50, help="size of the long text (50)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args(arguments)


def _importable(name: str) -> bool:
    try:
        importlib.import_module(SPECS[name].partition(":")[0])
    except ImportError:
        return False
    return True


def _measure_in_subprocess(name: str, python: str, options: argparse.Namespace) -> Measured:
    more = ["--seconds", str(options.seconds), "--megabytes", str(options.megabytes), "--json", "--translators", name]
    process = subprocess.run([python, __file__, *more], capture_output=True, text=True, check=False)
    if process.returncode:
        raise SystemExit(f"{name}: {python} failed: {process.stderr.strip()[-2000:]}")
    result: Measured = json.loads(process.stdout)[name]
    return result


def measure_translator(name: str, options: argparse.Namespace) -> Measured:
    """All figures of one translator. Routes that it does not do are absent."""
    corpus = load_corpus()
    driver = load_driver(SPECS[name], directory=Path.cwd(), timeout=120, transports=lambda: corpus.transports)
    result: Measured = {"version": driver.version, "replies": {}, "text": {}, "first": {}, "memory": {}, "failed": []}
    translator = getattr(driver, "translator", None)
    inside = hasattr(getattr(translator, "open", lambda _: None)(next(_routes(corpus))[0]), "stream")
    try:
        for route, exchanges in _routes(corpus):
            result["replies"][str(route)] = _time(driver, route, exchanges, options.seconds, result["failed"])
            result["first"][str(route)] = _first_output_positions(driver, route, exchanges, inside=inside)
            long = [(exchanges[0][0], b"".join(long_text(route.upstream, *WORDS)))]
            result["text"][str(route)] = _time(driver, route, long, options.seconds, result["failed"])
    finally:
        driver.close()
    if inside:
        for route, exchanges in _routes(corpus):
            if route.client != "openai_responses":  # its last events say the whole text again
                result["memory"][str(route)] = _memory(translator, route, exchanges[0][0], options.megabytes)
    return result


def _routes(corpus: Corpus) -> Iterator[tuple[Route, list[tuple[dict[str, Any], bytes]]]]:
    """Routes, each with what a client asks and what the upstream streams then."""
    cases = [case for case in corpus.cases.values() if case.family == FAMILY and not case.dialects]
    for client in formats.names():
        for upstream in formats.names():
            pairs: list[tuple[Exchange, Exchange]] = [
                pair
                for case in cases
                if {client, upstream} <= set(case.formats)
                for pair in zip(case.exchanges(client), case.exchanges(upstream), strict=True)
            ]
            asking = corpus.transports[client]["stream"].get("body", {})
            yield (
                Route(client, upstream, "client-model", "upstream-model", stream=True),
                [
                    ({**exchange.request, **asking}, answered.stream_path.read_bytes())
                    for exchange, answered in pairs
                    if answered.stream_path is not None
                ],
            )


def _time(
    driver: Any, route: Route, exchanges: list[tuple[dict[str, Any], bytes]], least: float, failed: list[str]
) -> tuple[int, float]:
    """Events and seconds of CPU."""
    events, seconds = 0, 0.0
    while seconds < least:
        done = 0
        for request, stream in exchanges:
            session = _open_session(driver, route, request)
            if session is None:
                continue
            pieces = cuts.split_events(stream)
            start = time.process_time()
            outcome = session.stream(Source(pieces))
            took = time.process_time() - start
            if not isinstance(outcome, Streamed) or outcome.raised is not None or not outcome.pieces:
                failed.append(str(route))
                continue
            done += 1
            events, seconds = events + len(pieces), seconds + took
        driver.end_item()
        if not done:
            break
    return events, seconds


def _first_output_positions(
    driver: Any, route: Route, exchanges: list[tuple[dict[str, Any], bytes]], *, inside: bool
) -> list[Any]:
    """Of each stream: after which event the first output came, of how many.

    Through HTTP that is not to be known. There the upstream keeps its end back for a while, and what comes is whether
    anything came out before it: of a few streams, as that takes time.
    """
    positions: list[Any] = []
    for request, stream in exchanges if inside else exchanges[:3]:
        session = _open_session(driver, route, request)
        pieces = cuts.split_events(stream)
        outcome = session.stream(Source(pieces, watched=not inside)) if session is not None else None
        if isinstance(outcome, Streamed) and outcome.pieces:
            positions.append(
                [outcome.pieces[0].source_count, len(pieces)] if inside else not outcome.pieces[0].is_after_end
            )
    driver.end_item()
    return positions


def _open_session(driver: Any, route: Route, request: dict[str, Any]) -> SessionDriver | None:
    opened = driver.open(route)
    if not isinstance(opened, Opened):
        return None
    outcome = opened.session.request(copy.deepcopy(request))
    return opened.session if isinstance(outcome, Produced) else None


def _memory(translator: Any, route: Route, request: dict[str, Any], megabytes: float) -> dict[str, float]:
    short, long = 50_000 // PIECE, round(megabytes * 1_000_000 / PIECE)
    try:
        peak(translator, route, copy.deepcopy(request), short, runs=1)  # whatever is made once
        low = peak(translator, route, copy.deepcopy(request), short)
        high = peak(translator, route, copy.deepcopy(request), long, runs=1)
        if high > low * MAX_RATIO:  # noise, perhaps
            high = min(high, peak(translator, route, copy.deepcopy(request), long, runs=1))
    except Exception as error:
        return {"short": 0, "long": 0, "ratio": 0, "error": f"{type(error).__name__}: {error}"}  # type: ignore[dict-item]
    return {"short": low, "long": high, "ratio": high / low}


def table(measurements: dict[str, Measured], options: argparse.Namespace) -> Iterator[str]:
    """The figures as lines; ratios are those of the reference to a translator, in speed, and of long to short."""
    names = list(measurements)
    yield "  ".join(f"{name} {measurements[name]['version'] or ''}".strip() for name in names)
    width = max(14, *map(len, names))
    routes = [str(route) for route, _ in _routes(load_corpus())]
    left = max(map(len, routes))
    for load, what in (("replies", "short replies"), ("text", "a long text in pieces of 40 characters")):
        yield from ("", f"Source events per second of CPU, {what} (how many times as fast the reference is)")
        yield f"{'':{left}}" + "".join(f"  {name:>{width + 9}}" for name in names)
        for route in [*routes, "harmonic mean"]:
            cells = [_rate(measurements[name], load, route, measurements[name]) for name in names]
            bases = [_rate(measurements.get(REFERENCE), load, route, measurements[name]) for name in names]
            yield f"{route:{left}}" + "".join(
                f"  {_number(rate):>{width}} {_ratio(base, rate):>8}" for rate, base in zip(cells, bases, strict=True)
            )
    yield from ("", "First output: behind how many events (median, most), of how many (median)")
    for route in routes:
        yield f"{route:{left}}" + "".join(
            f"  {_position(measurements[name]['first'].get(route)):>{width + 9}}" for name in names
        )
    yield from (
        "",
        f"Peak of Python's allocations in KB: text of 50 KB, of {options.megabytes:g} MB, in pieces of {PIECE}",
    )
    for route in routes:
        peaks = [_peaks(measurements[name]["memory"].get(route)) for name in names]
        if any(peaks):
            yield f"{route:{left}}" + "".join(f"  {peak:>{width + 9}}" for peak in peaks)
    for name in names:
        failed: Counter[str] = Counter(measurements[name]["failed"])
        if failed:
            yield from ("", f"Streams of {name} that raised or gave nothing, not counted: {dict(failed)}")


def _rate(measurement: Measured | None, load: str, route: str, both: Measured) -> float | None:
    """Events per second; the mean is that of the routes that ``both`` does, too."""
    if measurement is None:
        return None
    rates: dict[str, float] = {
        name: sums[0] / sums[1] for name, sums in measurement[load].items() if sums[0] and both[load].get(name, [0])[0]
    }
    if route == "harmonic mean" and rates:
        return statistics.harmonic_mean(list(rates.values()))
    return rates.get(route)


def _number(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:,.0f}"


def _ratio(base: float | None, rate: float | None) -> str:
    return "" if base is None or rate is None else f"({base / rate:.2f})"


def _position(first: list[Any] | None) -> str:
    if not first:
        return "–"
    if isinstance(first[0], bool):
        return f"{sum(first)} of {len(first)} before the end"
    positions = [position for position, _ in first]
    return f"{statistics.median(positions):g}, {max(positions)} of {statistics.median(all_ for _, all_ in first):g}"


def _peaks(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    if "error" in row:
        return "fails"
    return f"{row['short'] / 1000:.0f}, {row['long'] / 1000:.0f} ({row['ratio'] - 1:+.1%})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
