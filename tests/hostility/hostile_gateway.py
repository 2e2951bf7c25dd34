"""The example gateway of the docs, hostile in how it answers: ``hostile_gateway.py PORT ready|post VALUE SEED``."""

from __future__ import annotations

import json
import sys
from http.server import ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import gateway as example  # type: ignore[import-not-found,unused-ignore]  # beside the gateway's file, where this runs
from hostility.answers import hostile_answer

WHERE, VALUE, DRAW = sys.argv[2], sys.argv[3], Random(int(sys.argv[4]))
Example: Any = example.Handler  # type: ignore[attr-defined,unused-ignore]


class Handler(Example):  # type: ignore[misc]
    def answer(self, status: int, body: Any, headers: Any = None) -> None:
        if self.command == {"ready": "POST", "post": "GET"}[WHERE]:
            super().answer(status, body, headers)
            return
        for piece in hostile_answer(json.dumps(body).encode(), VALUE, DRAW):
            self.wfile.write(piece)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
