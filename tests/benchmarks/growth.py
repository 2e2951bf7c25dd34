"""How the time of judging a request grows with its size: `cd tests && python -m benchmarks.growth [SMALL LARGE]`.

Prints, for each shape and fault, the CPU seconds at both sizes and the exponent between them. Run it alone.
"""

from __future__ import annotations

import itertools
import math
import sys
import time

from benchmarks.growing import FAULTS, SHAPES, translated
from toolcall_conformance import Ends, Judge, load_corpus

ROUTES = (("openai_chat", "anthropic"), ("anthropic", "openai_responses"), ("gemini", "openai_chat"))


def main() -> None:
    """Print a line for each route, shape and fault."""
    sizes = [int(each) for each in sys.argv[1:3]] or [500, 2000]
    judge = Judge(load_corpus())
    for (client, upstream), shape, fault in itertools.product(ROUTES, SHAPES, FAULTS):
        spent = []
        for size in sizes:
            source = translated(SHAPES[shape](size), "anthropic", client)
            output = FAULTS[fault](translated(source, client, upstream))
            start = time.process_time()
            judge.request(source, output, Ends(client, upstream))
            spent.append(time.process_time() - start)
        exponent = math.log(spent[1] / spent[0]) / math.log(sizes[1] / sizes[0])
        told = "  ".join(f"{seconds:7.2f} s" for seconds in spent)
        print(f"{client:>16} to {upstream:16} {shape:14} {fault:18} {told}  exponent {exponent:.2f}", flush=True)


if __name__ == "__main__":
    main()
