"""Runs a command with a provider of its own in the place of Anthropic, so that the example needs no key: COMMAND ARGUMENT …"""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

NUMBERS = count(1)


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        usage = {"input_tokens": 9, "cache_creation_input_tokens": 2000, "cache_read_input_tokens": 0, "output_tokens": 6}
        text = {"type": "text", "text": "Berth 4 is free."}
        answer = {"id": f"msg_{next(NUMBERS)}", "type": "message", "role": "assistant", "content": [text], "usage": usage}
        body = json.dumps({**answer, "model": "claude-opus-5-5", "stop_reason": "end_turn"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{server.server_address[1]}"
sys.exit(subprocess.run(sys.argv[1:], check=False).returncode)
