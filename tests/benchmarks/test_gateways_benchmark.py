"""The benchmark of gateways asks all that it measures, and counts what fails; its figures are not tests' business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("gateways.py")
DOWN = """
import http.server
class Down(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(503)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    do_GET = do_POST
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Down).serve_forever()
"""


@pytest.mark.timing
def test_it_counts_answers_and_failures(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DOWN.replace("PORT", "{port}")]
    config_text = f'name = "down"\ncommand = {json.dumps(command)}\n[client.openai_chat]\n[upstream.anthropic]\n'
    (tmp_path / "down.toml").write_text(config_text, encoding="utf-8")
    options = [f"down={tmp_path / 'down.toml'}", "--seconds", "0.3", "--rounds", "1", "--connections", "2"]
    done = subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = {(words[0], words[1]): words for words in map(str.split, done.stdout.splitlines()[1:])}
    for kind in ("whole", "stream"):
        for name in ("direct", "reference"):
            words = rows[name, kind]
            assert int(words[3]) > 0, "requests a second"
            assert words[-1] == "0", "failed"
        assert rows["down", kind][3] == "0"
        assert int(rows["down", kind][-1]) > 0
