"""A provider of all four APIs that answers by what it is asked alone, and writes down what it got: PORTS-FILE RECORD CERTIFICATE KEY.

It listens at two ports of 127.0.0.1, without TLS and with it. What the last message says decides what is answered; nothing of it is a model.
"""

import gzip
import hashlib
import json
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOCK = threading.Lock()
RECORD = None


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        """A client went away, as it was to."""


def main():
    global RECORD
    ports, record, certificate, key = sys.argv[1:]
    RECORD = open(record, "a", encoding="utf-8")
    plain, secure = Server(("127.0.0.1", 0), Provider), Server(("127.0.0.1", 0), Provider)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
    with open(ports, "w", encoding="utf-8") as file:
        file.write(f"{plain.server_address[1]} {secure.server_address[1]}\n")
    threading.Thread(target=plain.serve_forever, daemon=True).start()
    secure.serve_forever()


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def do_POST(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b"".join(iter(self.chunk, b""))
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        text = raw.decode("utf-8")
        path = self.path.split("?")[0]
        ask = wish(json.loads(text))
        name = "r" + hashlib.sha256((path + text).encode()).hexdigest()[:12]
        if "give me a" in ask:
            status = 429 if "429" in ask else 500
            body = json.dumps({"type": "error", "error": {"type": "overloaded", "message": "slow down", "code": status, "status": "NO"}})
            self.keep(text, status, body)
            return self.send(status, "application/json", body.encode())
        streams = '"stream":true' in text.replace(" ", "") or "streamGenerateContent" in path
        whole, events = answer(path, name, "tool" in ask)
        if not streams:
            self.keep(text, 200, json.dumps(whole))
            return self.send(200, "application/json", json.dumps(whole).encode())
        lines = [line(event, path) for event in events]
        self.keep(text, 200, "".join(lines))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for one in lines:
                data = one.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
                if "slow" in ask or "leave" in ask:
                    time.sleep(0.1)
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except OSError:
            self.close_connection = True

    def chunk(self):
        data = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return data

    def send(self, status, kind, body):
        zipped = "gzip" in self.headers.get("accept-encoding", "")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if zipped:
            body = gzip.compress(body, 1, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def keep(self, text, status, answered):
        headers = {name.lower(): value for name, value in self.headers.items()}
        host = headers["host"]
        entry = {"url": f"https://{host}{self.path.split('?')[0]}", "headers": headers, "status": status}
        with LOCK:
            RECORD.write(json.dumps({**entry, "request": text, "response": answered}) + "\n")
            RECORD.flush()


def wish(body):
    """What the last message says."""
    last = body.get("contents") or body.get("input") or body.get("messages") or ""
    last = last if isinstance(last, str) else json.dumps(last[-1])
    return last[-200:]


def line(event, path):
    if event == "[DONE]":
        return "data: [DONE]\n\n"
    kind = f"event: {event['type']}\n" if path.endswith(("/messages", "/responses")) else ""
    return f"{kind}data: {json.dumps(event)}\n\n"


WORDS = ["Berth ", "4 is ", "free."]


def answer(path, name, tool):
    """An answer as a whole, and as events."""
    if path.endswith("/messages"):
        return anthropic(name, tool)
    if path.endswith("/responses"):
        return responses(name, tool)
    if path.endswith("/chat/completions"):
        return chat(name, tool)
    return gemini(name, tool)


def anthropic(name, tool):
    usage = {"input_tokens": 100, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 9}
    block = {"type": "tool_use", "id": f"tu_{name}", "name": "berth", "input": {"length": 12}} if tool else {"type": "text", "text": "".join(WORDS)}
    message = {"id": f"msg_{name}", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": [block],
               "stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None, "usage": usage}
    start = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    empty = {**block, "input": {}} if tool else {**block, "text": ""}
    deltas = [{"type": "input_json_delta", "partial_json": part} for part in ('{"length"', ": 12}")] if tool else [
        {"type": "text_delta", "text": word} for word in WORDS]
    return message, [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


def chat(name, tool):
    usage = {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109, "prompt_tokens_details": {"cached_tokens": 30}}
    head = {"id": f"chatcmpl-{name}", "created": 1, "model": "gpt-6.1"}
    call = {"id": f"call_{name}", "type": "function", "function": {"name": "berth", "arguments": '{"length": 12}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]} if tool else {"role": "assistant", "content": "".join(WORDS)}
    end = "tool_calls" if tool else "stop"
    whole = {**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": end}], "usage": usage}
    deltas = [{"role": "assistant", "tool_calls": [{"index": 0, **call}]}] if tool else [{"role": "assistant", "content": w} for w in WORDS]
    chunk = {**head, "object": "chat.completion.chunk"}
    return whole, [
        *({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas),
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        {**chunk, "choices": [], "usage": usage},
        "[DONE]",
    ]


def responses(name, tool):
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 0}, "output_tokens": 9,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 109}
    text = {"type": "output_text", "text": "".join(WORDS), "annotations": []}
    item = {"type": "function_call", "id": f"fc_{name}", "call_id": f"call_{name}", "name": "berth", "arguments": '{"length": 12}', "status": "completed"} if tool else {
        "type": "message", "id": f"m_{name}", "role": "assistant", "status": "completed", "content": [text]}
    whole = {"id": f"resp_{name}", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-6.1", "output": [item], "usage": usage,
             "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    start = {**whole, "status": "in_progress", "output": [], "usage": None}
    events = [{"type": "response.created", "response": start}, {"type": "response.output_item.added", "output_index": 0, "item": item}]
    if not tool:
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        events += [{"type": "response.output_text.delta", **place, "delta": word, "logprobs": []} for word in WORDS]
    events += [{"type": "response.output_item.done", "output_index": 0, "item": item}, {"type": "response.completed", "response": whole}]
    return whole, [{**event, "sequence_number": i} for i, event in enumerate(events)]


def gemini(name, tool):
    usage = {"promptTokenCount": 100, "cachedContentTokenCount": 30, "candidatesTokenCount": 9, "totalTokenCount": 109}
    part = {"functionCall": {"name": "berth", "args": {"length": 12}}} if tool else {"text": "".join(WORDS)}
    head = {"responseId": name, "modelVersion": "gemini-3.1-pro"}
    content = {"role": "model", "parts": [part]}
    whole = {**head, "candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
    parts = [part] if tool else [{"text": word} for word in WORDS]
    events = [{**head, "candidates": [{"content": {"role": "model", "parts": [p]}, "index": 0}]} for p in parts]
    events[-1]["candidates"][0]["finishReason"] = "STOP"
    return whole, [*events[:-1], {**events[-1], "usageMetadata": usage}]


main()
