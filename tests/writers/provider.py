"""A provider that answers from a script and keeps what it got, in the order in which it came: PORT-FILE RECORD TROUBLE.

Each line of RECORD is one call: `api`, `path`, `headers`, `body` (the text as it came), and what was answered: `id`, `request`, `state`, `model`,
`blocks`, `usage`. What a user says decides what is answered; nothing of it is a model. TROUBLE says what goes wrong.
"""

import json
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOCK = threading.Lock()
RECORD = None
TROUBLE = None
CALLS = 0
MET = set()

# What a kind of trouble does to an answer, by its number and API. Of what breaks, a request that comes again is answered.
TROUBLES = {
    "none": lambda n, api, again: {},
    "one-id": lambda n, api, again: {"id": "one_id"},
    "other-model": lambda n, api, again: {"model": OTHER},
    # So many events arrive, the start or some of the text too; the connection is closed as if that were all, or breaks.
    "cut": lambda n, api, again: {} if again else {"cut": 1 + n % 2 * 3},
    "broken": lambda n, api, again: {} if again else {"cut": 1 + n % 2 * 3, "is_broken": True},
    "fails": lambda n, api, again: {} if again else {"status": FAILURES[api][n % len(FAILURES[api])]},
}
# Codex gives up at 429.
FAILURES = {"messages": (529, 500, 429), "responses": (529, 500)}
OTHER = "claude-opus-5-5"


def main():
    global RECORD, TROUBLE
    TROUBLE = TROUBLES[sys.argv[3]]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    RECORD = open(sys.argv[2], "a", encoding="utf-8")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(str(server.server_address[1]))
    server.serve_forever()


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(404, "application/json", b'{"error": {"message": "there is nothing here"}}')

    do_HEAD = do_GET

    def do_POST(self):
        text = self.body().decode("utf-8")
        path = self.path.split("?")[0]
        if path.endswith("/v1/messages"):
            return self.anthropic(text)
        if path.endswith("/responses"):
            return self.openai(text)
        self.keep("other", text, {})
        if path.endswith("/count_tokens"):
            return self.json(200, {"input_tokens": 42})
        return self.do_GET()

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def keep(self, api, text, answer):
        """Writes a call down."""
        names = {name.lower(): value for name, value in self.headers.items()}
        line = {"api": api, "path": self.path, "headers": names, "body": text, **answer}
        RECORD.write(json.dumps(line) + "\n")
        RECORD.flush()

    def call(self, api, text, prompt, answer):
        """Notes a call with its answer and what goes wrong with it; its body and that answer."""
        global CALLS
        body = json.loads(text)
        with LOCK:
            CALLS += 1
            n = CALLS
            key = json.dumps([body["model"], body[prompt]])
            trouble = TROUBLE(n, api, key in MET)
            MET.add(key)
            whole = {"id": f"{api}_{n:04}", "request": f"req_{n:04}", "model": body["model"], "state": "whole", **answer(body, n), **trouble}
            if "status" in trouble:
                whole |= {"state": "error", "usage": None, "blocks": []}
            if "cut" in trouble:
                whole |= {"state": "broken" if "is_broken" in trouble else "aborted", "usage": started(whole["usage"])}
            self.keep(api, text, whole)
        return body, whole

    def anthropic(self, text):
        body, call = self.call("messages", text, "messages", lambda body, n: {"blocks": anthropic_blocks(body, n), "usage": anthropic_usage(n)})
        blocks, usage = call["blocks"], call["usage"]
        headers = {"request-id": call["request"]}
        if "status" in call:
            return self.json(call["status"], {"type": "error", "error": {"type": "api_error", "message": "Not now"}, "request_id": call["request"]}, headers)
        stop = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
        message = {"id": call["id"], "type": "message", "role": "assistant", "model": call["model"], "stop_sequence": None}
        if not body.get("stream"):
            whole = {**message, "content": blocks, "stop_reason": stop, "usage": usage}
            return self.json(200, whole, headers)
        events = [("message_start", {"message": {**message, "content": [], "stop_reason": None, "usage": started(usage)}}), ("ping", {})]
        for index, block in enumerate(blocks):
            events += streamed(index, block)
        # Only the last event knows what was put out.
        delta = {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": usage["output_tokens"]}}
        self.stream([*events, ("message_delta", delta), ("message_stop", {})], headers, call)

    def openai(self, text):
        body, call = self.call("responses", text, "input", lambda body, n: {"blocks": openai_items(body, n), "usage": openai_usage(n)})
        items, usage = call["blocks"], call["usage"]
        headers = {"x-request-id": call["request"]}
        if "status" in call:
            return self.json(call["status"], {"error": {"type": "server_error", "code": None, "message": "Not now"}}, headers)
        response = {"id": call["id"], "object": "response", "created_at": 1790000000, "model": call["model"], "output": []}
        events = [("response.created", {"response": {**response, "status": "in_progress", "usage": None}})]
        for index, item in enumerate(items):
            events.append(("response.output_item.added", {"output_index": index, "item": {**item, "status": "in_progress"}}))
            if item["type"] == "message":
                said = item["content"][0]["text"]
                place = {"item_id": item["id"], "output_index": index, "content_index": 0}
                events += [("response.output_text.delta", {**place, "delta": part}) for part in halves(said)]
            events.append(("response.output_item.done", {"output_index": index, "item": item}))
        whole = {**response, "status": "completed", "output": items, "usage": usage}
        self.stream([*events, ("response.completed", {"response": whole})], headers, call)

    def json(self, status, value, headers=None):
        self.answer(status, "application/json", json.dumps(value).encode(), headers)

    def stream(self, events, headers, call):
        """Sends events: all of them, or the first ones, after which the connection ends."""
        lines = [f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode() for name, data in events]
        cut = call.get("cut")
        more = len(lines[-1]) if call.get("is_broken") else 0
        self.answer(200, "text/event-stream", b"".join(lines[:cut]), headers, None if cut and not more else more)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    def answer(self, status, kind, data, headers=None, more=0):
        """Sends data; more is promised than comes, or with none the length is not said."""
        length = {"connection": "close"} if more is None else {"content-length": len(data) + more}
        self.send_response(status)
        for name, value in {"content-type": kind, **length, **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def anthropic_usage(n):
    return {
        "input_tokens": 100 + n,
        "cache_creation_input_tokens": 2000 + n,
        "cache_read_input_tokens": 3000 + n,
        "cache_creation": {"ephemeral_5m_input_tokens": 2000 + n, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 10 + n,
    }


def started(usage):
    """A usage as the start of an answer has it."""
    return {**usage, "output_tokens": 1}


def openai_usage(n):
    return {
        "input_tokens": 5000 + n,
        "input_tokens_details": {"cached_tokens": 3000 + n},
        "output_tokens": 10 + n,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 5010 + 2 * n,
    }


def halves(text):
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def streamed(index, block):
    """The events of a block."""
    if block["type"] == "text":
        empty = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": part} for part in halves(block["text"])]
    elif block["type"] == "thinking":
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": part} for part in halves(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    else:
        empty = {**block, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in halves(json.dumps(block["input"]))]
    yield "content_block_start", {"index": index, "content_block": empty}
    for delta in deltas:
        yield "content_block_delta", {"index": index, "delta": delta}
    yield "content_block_stop", {"index": index}


def said(blocks):
    """The texts of a content."""
    if isinstance(blocks, str):
        return [blocks]
    return [block["text"] for block in blocks if block.get("text")]


def asked(texts):
    """The last text that a person said: agents put texts of their own around it."""
    lines = [line.strip() for text in texts for line in text.splitlines()]
    lines = [line for line in lines if line.startswith("Please ")]
    return lines[-1] if lines else ""


def anthropic_blocks(body, n):
    last = [m for m in body["messages"] if m["role"] == "user"][-1]["content"]
    results = [b for b in last if isinstance(b, dict) and b["type"] == "tool_result"]
    tools = [tool.get("name") for tool in body.get("tools", [])]
    words = asked(said(last))
    call = {"type": "tool_use", "id": f"toolu_{n:04}"}
    if results:
        return [{"type": "text", "text": f"Answer {n}: it was read."}]
    if words.startswith("Please read") and "Read" in tools:
        calls = [{**call, "id": f"{call['id']}_{i}", "name": "Read", "input": {"file_path": path}} for i, path in enumerate(words.split()[2:])]
        thought = {"type": "thinking", "thinking": f"Thought {n}.", "signature": f"c2lnbmVk{n:04}"}
        return [thought, {"type": "text", "text": f"Answer {n}: I look."}, *calls]
    agent = next((name for name in ("Agent", "Task") if name in tools), None)
    if words.startswith("Please delegate") and agent:
        prompt = f"You help.\nPlease read {words.split()[2]}"
        task = {"description": "Read a file", "prompt": prompt, "subagent_type": "general-purpose"}
        return [{"type": "text", "text": f"Answer {n}: I ask."}, {**call, "name": agent, "input": task}]
    return [{"type": "text", "text": f"Answer {n}: it is done."}]


def openai_items(body, n):
    items = body["input"]
    is_result = items[-1]["type"].endswith("_output")
    texts = [text for item in items if item.get("role") == "user" for text in said(item["content"])]
    words = asked(texts)
    thought = {"type": "reasoning", "id": f"rs_{n:04}", "summary": [], "encrypted_content": f"c2VhbGVk{n:04}"}
    message = lambda text: {"type": "message", "id": f"ms_{n:04}", "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]}
    tools = [*body.get("tools", []), *(tool for item in items for tool in item.get("tools", []))]
    tools = [inner for tool in tools for inner in tool.get("tools", [tool])]
    tool = None if is_result else next((make for make in map(openai_call, tools) if make), None)
    if words.startswith("Please read") and tool:
        call = {"id": f"fc_{n:04}", "call_id": f"call_{n:04}", **tool(words.split()[2])}
        return [thought, message(f"Answer {n}: I look."), call]
    return [thought, message(f"Answer {n}: it is done.")]


def openai_call(tool):
    """How a tool prints a file, if it can."""
    call = lambda **arguments: {"type": "function_call", "name": tool["name"], "arguments": json.dumps(arguments)}
    script = lambda path: f"text(await tools.exec_command({{cmd: 'cat {path}'}}))"
    makes = {
        "exec": lambda path: {"type": "custom_tool_call", "name": "exec", "input": script(path)},
        "exec_command": lambda path: call(cmd=f"cat {path}"),
        "shell_command": lambda path: call(command=f"cat {path}"),
        "shell": lambda path: call(command=["cat", path]),
    }
    return makes.get(tool.get("name"))


main()
