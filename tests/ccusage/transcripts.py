"""Invented transcripts of Claude Code, with what was billed for each call.

Their shape is that of the real ones: a line for each block of an answer, all with the same `message.id`; lines of one call that
do not follow each other; answers that say their usage while they grow; lines of the program itself (`<synthetic>`); calls that
never end; sub-agents in files of their own; sessions that go on in another file, which begins with a copy of the first.
"""

import datetime
import json
import os
import random
from dataclasses import dataclass, field

FIRST_DAY = datetime.datetime(2026, 11, 12, tzinfo=datetime.timezone.utc)
DAYS = 9
MAIN = ["claude-opus-5-5", "claude-opus-4-8", "claude-opus-4-7", "claude-sonnet-4-6", "claude-sonnet-4-5-20250929"]
SIDE = ["claude-haiku-4-5-20251001", "claude-haiku-5-5"]
BUCKETS = ["fresh", "read", "write_5m", "write_1h", "write_other", "output"]


@dataclass
class Call:
    """A request and its answer: what the lines say, the last one last."""

    id: str
    request: str | None
    model: str
    day: str
    lines: list[dict]
    ended: bool
    copies: list[dict] = field(default_factory=list)

    def billed(self):
        """The tokens by bucket, or None if the transcript does not say."""
        return self.lines[-1] if self.ended else None


def usage(tokens):
    """The object of a line."""
    written = {"ephemeral_5m_input_tokens": tokens["write_5m"], "ephemeral_1h_input_tokens": tokens["write_1h"]}
    out = {
        "input_tokens": tokens["fresh"],
        "cache_creation_input_tokens": tokens["write_5m"] + tokens["write_1h"] + tokens["write_other"],
        "cache_read_input_tokens": tokens["read"],
        "output_tokens": tokens["output"],
        "service_tier": "standard",
    }
    # Older versions do not say for how long.
    if not tokens["write_other"]:
        out["cache_creation"] = written
    return out


class Writer:
    """The transcripts of one machine."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.calls = []
        self.files = {}
        self.ids = 0

    def name(self, prefix):
        self.ids += 1
        return f"{prefix}_{self.ids:05}{self.random.getrandbits(64):016x}"

    def uuid(self):
        bits = f"{self.random.getrandbits(128):032x}"
        return "-".join([bits[:8], bits[8:12], bits[12:16], bits[16:20], bits[20:]])

    def session(self):
        """A conversation of some turns, perhaps with sub-agents and a fork."""
        rng = self.random
        session, folder = self.uuid(), rng.choice(["-home-a-tulips", "-home-a-harbour", "-work"])
        # Far enough from midnight that no call is on two days.
        start = FIRST_DAY + datetime.timedelta(days=rng.randrange(DAYS), hours=rng.uniform(1, 15))
        path = f"{folder}/{session}.jsonl"
        chain = Chain(self, session, path, rng.choice(MAIN), start, side=False)
        agents = 0
        for _ in range(rng.randint(3, 14)):
            chain.turn()
            if rng.random() < 0.12:
                agents += 1
                below = rng.choice(["subagents", "subagents/workflows/run-1"])
                child = f"{folder}/{session}/{below}/agent-{agents:02}.jsonl"
                Chain(self, session, child, rng.choice(SIDE), chain.now, side=True).turns(rng.randint(1, 5))
            if rng.random() < 0.06:
                chain.compact()
        if rng.random() < 0.25:
            self.fork(folder, path, chain)

    def fork(self, folder, path, chain):
        """The session goes on in another file, which begins with a copy of its first lines."""
        session, parent = self.uuid(), self.files[path]
        copied = parent[: self.random.randint(1, len(parent))]
        child = f"{folder}/{session}.jsonl"
        self.files[child] = [(dict(line, sessionId=session), call) for line, call in copied]
        for line, call in copied:
            if call is not None:
                call.copies.append(line["tokens"])
        Chain(self, session, child, chain.model, chain.now, side=False, read=chain.kept).turns(self.random.randint(1, 4))

    def write(self, root):
        """All files below a folder; returns how many bytes they have."""
        size = 0
        for path, lines in self.files.items():
            path = os.path.join(root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            text = "".join(json.dumps({k: v for k, v in line.items() if k != "tokens"}) + "\n" for line, _ in lines)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            size += len(text)
        return size


class Chain:
    """One agent's side of a session: its file, and what the cache has of it."""

    def __init__(self, writer, session, path, model, start, side, read=0):
        self.writer, self.session, self.model, self.now, self.side = writer, session, model, start, side
        self.lines = writer.files.setdefault(path, [])
        self.kept = read or writer.random.randint(12_000, 40_000)
        self.first = not read
        self.write = writer.random.choice(["write_5m", "write_5m", "write_1h", "write_other"])

    def turns(self, count):
        for _ in range(count):
            self.turn()

    def line(self, kind, call=None, tokens=None, **more):
        rng = self.writer.random
        # Times of lines tie, or go backwards.
        self.now += datetime.timedelta(milliseconds=rng.choice([0, 40, 900, 2_500]))
        when = self.now - datetime.timedelta(milliseconds=700 if rng.random() < 0.03 else 0)
        line = {
            "type": kind,
            "uuid": self.writer.uuid(),
            "parentUuid": self.lines[-1][0]["uuid"] if self.lines else None,
            "sessionId": self.session,
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03}Z",
            "cwd": "/repo",
            "version": "2.1.300",
            **more,
        }
        if self.side or rng.random() > 0.28:
            line["isSidechain"] = self.side
        if tokens is not None:
            line["tokens"] = tokens
        self.lines.append((line, call))

    def user(self, content, **more):
        self.line("user", message={"role": "user", "content": content}, **more)

    def turn(self):
        rng = self.writer.random
        self.now += datetime.timedelta(seconds=rng.choice([4, 20, 70, 200, 400, 1200]))
        self.user("How many tulips?")
        self.call()
        if rng.random() < 0.05:
            self.synthetic()

    def tokens(self):
        """What a call takes: it reads what the one before left, and writes what is new."""
        rng = self.writer.random
        new = rng.randint(60, 4_000)
        expired = self.first or rng.random() < 0.06
        read, written = (0, self.kept + new) if expired else (self.kept, new)
        self.kept += new
        self.first = False
        tokens = dict.fromkeys(BUCKETS, 0)
        tokens.update({"fresh": rng.randint(2, 60), "read": read, "output": rng.randint(12, 2_400)})
        tokens[self.write] = written
        if self.write == "write_1h" and rng.random() < 0.3:
            tokens["write_1h"], tokens["write_5m"] = written - written // 3, written // 3
        if self.model == "claude-haiku-5-5" and rng.random() < 0.3:
            # Its long requests cost more.
            self.kept = tokens["read"] = rng.randint(90_000, 180_000)
        return tokens

    def call(self):
        rng = self.writer.random
        tokens = self.tokens()
        blocks = rng.choice([1, 1, 2, 2, 2, 3, 4])
        ended = rng.random() > (0.14 if self.side else 0.01)
        states = [dict(tokens) for _ in range(blocks)]
        if not ended or rng.random() < 0.35:
            # Says its usage while it grows.
            for at, state in enumerate(states):
                state["output"] = tokens["output"] if ended and at == blocks - 1 else min(at + 1, tokens["output"])
        request = None if rng.random() < 0.08 else self.writer.name("req")
        day = self.now.strftime("%Y-%m-%d")
        call = Call(self.writer.name("msg"), request, self.model, day, states, ended)
        self.writer.calls.append(call)
        apart = blocks > 1 and rng.random() < 0.24
        for at, state in enumerate(states):
            tool = {"type": "tool_use", "id": f"toolu_{call.id}_{at}", "name": "stock", "input": {"flower": "tulip"}}
            block = {"type": "text", "text": "I will look."} if at == 0 else tool
            last = at == blocks - 1
            message = {
                "id": call.id,
                "type": "message",
                "role": "assistant",
                "model": self.model,
                "content": [block],
                "stop_reason": ("end_turn" if blocks == 1 else "tool_use") if ended and last else None,
                "usage": usage(state),
            }
            more = {} if request is None else {"requestId": request}
            self.line("assistant", call, state, message=message, **more)
            if at > 0 and (apart or last):
                results = [{"type": "tool_result", "tool_use_id": tool["id"], "content": "41"}]
                self.user(results, toolUseResult="41" if rng.random() < 0.07 else {"stdout": "41"})

    def synthetic(self):
        """What the program says itself; now and then with the id of a request."""
        message = {
            "id": self.writer.uuid(),
            "type": "message",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": "Interrupted."}],
            "stop_reason": "stop_sequence",
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        last = self.writer.calls[-1].request
        more = {"requestId": last} if last and self.writer.random.random() < 0.25 else {}
        self.line("assistant", message=message, **more)

    def compact(self):
        if self.side:
            return
        before = {"trigger": "auto", "preTokens": self.kept}
        self.line("system", subtype="compact_boundary", compactMetadata=before)
        self.user("Summary: 41 tulips.", isCompactSummary=True)
        self.kept, self.first = self.writer.random.randint(12_000, 20_000), True


def made(seed, count):
    """Transcripts with at least so many calls."""
    writer = Writer(seed)
    while len(writer.calls) < count:
        writer.session()
    return writer
