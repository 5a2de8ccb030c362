"""The server that the samples talk to: two providers and two collectors, which keep what they receive."""

import gzip
import http.server
import json
import threading
import zlib

#: What every answer says.
REPLY = "It arrives on Monday, “maybe” 📚."

MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "stop_sequence": None,
    "content": [{"type": "text", "text": REPLY}],
    "usage": {"input_tokens": 11, "output_tokens": 5, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 0},
}
RESPONSE = {
    "id": "resp_1", "object": "response", "created_at": 0, "model": "m", "status": "completed", "parallel_tool_calls": False,
    "tool_choice": "auto", "tools": [],
    "output": [{"id": "i", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": REPLY, "annotations": []}]}],
    "usage": {"input_tokens": 18, "input_tokens_details": {"cached_tokens": 7}, "output_tokens": 5,
              "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 23},
}
#: What is answered, by path. A collector's answer is an empty message of protobuf.
ANSWERS = {
    "/v1/messages": json.dumps(MESSAGE).encode(),
    "/v1/responses": json.dumps(RESPONSE).encode(),
    "/v1/traces": b"",
    "/api/public/otel/v1/traces": b"",
}
UNPACK = {"": bytes, "gzip": gzip.decompress, "deflate": zlib.decompress}


class Server(http.server.ThreadingHTTPServer):
    """Keeps path, headers and body of each request, in order."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.received = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, path, body):
        return ANSWERS.get(path)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        body = UNPACK[self.headers.get("Content-Encoding", "")](sent)
        self.server.received.append((self.path, self.headers, body))
        answer = self.server.answer(self.path, body)
        self.send_response(404 if answer is None else 200)
        self.send_header("Content-Type", "application/json" if answer else "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer or b"")))
        self.end_headers()
        self.wfile.write(answer or b"")

    def log_message(self, *_):
        pass
