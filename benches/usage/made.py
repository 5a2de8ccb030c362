"""Logs of requests, and transcripts of Claude Code, invented from a seed: conversations that grow, many of them at work at once, or have one turn."""

import datetime
import functools
import json
import os
import random
import sys

WORDS = ["tulip", "harbour", "berth", "ferry", "lamp", "tide", "count", "the", "of", "at dawn", "nets", "never", "list", "and"]
MODELS = ["claude-opus-4-7", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"]
START = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
AT_ONCE = 40
# Its provider caches what has 1,024 tokens.
ONE_TURN_MODEL = "claude-sonnet-4-5"


def text(rng, size):
    out = []
    while size > 0:
        line = " ".join(rng.choices(WORDS, k=12))
        out.append(line)
        size -= len(line)
    return "\n".join(out)


def usage(new, read, output):
    written = {"ephemeral_5m_input_tokens": new, "ephemeral_1h_input_tokens": 0}
    return {
        "input_tokens": 3,
        "cache_creation_input_tokens": new,
        "cache_creation": written,
        "cache_read_input_tokens": read,
        "output_tokens": output,
    }


class Conversation:
    """One agent's talk, whose next request holds all that was said."""

    def __init__(self, rng, name, start):
        self.rng, self.name, self.now = rng, name, start
        self.model = rng.choice(MODELS)
        self.turns, self.left = 0, rng.randint(10, 60)
        self.kept, self.before, self.tools = rng.randint(4_000, 12_000), None, []
        self.lives = False

    def step(self):
        """Goes on, and says what is billed; now and then the provider has lost the beginning, or a tool is another one."""
        rng = self.rng
        self.now += datetime.timedelta(seconds=rng.choice([4, 20, 70, 200, 1200]))
        new, changed = rng.randint(60, 900), rng.random() < 0.02
        lost = not self.lives or changed or rng.random() < 0.04
        read, written = (0, self.kept + new) if lost else (self.kept, new)
        self.kept, self.lives = self.kept + new, True
        self.left -= 1
        return changed, usage(written, read, rng.randint(12, 900))


def talks(rng, count):
    """So many conversations at once; each that ends makes room for another."""
    made, open_ = 0, []
    while made < count or open_:
        while made < count and len(open_) < AT_ONCE:
            made += 1
            open_.append(Conversation(rng, f"c-{made:012x}", START + datetime.timedelta(seconds=made * 30)))
        talk = rng.choice(open_)
        yield talk
        if talk.left == 0:
            open_.remove(talk)


def log(path, requests, seed):
    """A log with so many requests; the sum of its tokens."""
    rng = random.Random(seed)
    texts = [text(rng, rng.randint(80, 600)) for _ in range(500)]
    with open(path, "w", encoding="utf-8") as out:

        def line(value):
            out.write(json.dumps(value, separators=(",", ":")) + "\n")

        def part(talk, block):
            name = f"{rng.getrandbits(64):016x}"
            line({"kind": "part", "conversation": talk.name, "hash": name, "json": block})
            return name

        def tool(talk):
            return part(talk, {"name": f"tool{rng.getrandbits(32)}", "description": rng.choice(texts), "input_schema": {}})

        line({"kind": "log", "version": 1, "promptc": "0.1.0"})
        for number, talk in enumerate(talks(rng, requests), 1):
            if not talk.tools:
                talk.tools = [tool(talk) for _ in range(8)]
                talk.system = part(talk, {"type": "text", "text": rng.choice(texts)})
                talk.answer = None
            changed, billed = talk.step()
            if changed:
                talk.tools[rng.randrange(8)] = tool(talk)
            said = part(talk, {"type": "text", "text": rng.choice(texts)})
            add = [{"role": "assistant", "parts": [talk.answer]}] if talk.answer else []
            add.append({"role": "user", "parts": [said]})
            keep, talk.turns = talk.turns, talk.turns + len(add)
            request = {
                "kind": "request",
                "id": f"r{number}",
                "number": number,
                "time": talk.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "conversation": talk.name,
                "chain": f"{talk.name}/1",
                "parent": talk.before,
                "api": "anthropic-messages",
                "provider": "anthropic",
                "model": talk.model,
                "settings": [{"name": "model", "value": talk.model}],
                "tools": talk.tools,
                "system": [talk.system],
                "messages": {"keep": keep, "add": add},
                "breakpoints": [{"at": "system/0"}, {"at": f"messages/{talk.turns - 1}/0"}],
            }
            line({key: value for key, value in request.items() if value is not None})
            talk.before = number
            talk.answer = part(talk, {"type": "text", "text": rng.choice(texts)})
            output = [{"role": "assistant", "parts": [talk.answer]}]
            answer = {"kind": "response", "request": number, "conversation": talk.name, "state": "whole"}
            line({**answer, "output": output, "usage": billed, "basis": "exclusive"})
            if number == requests:
                break


def one_turn(kind, path, requests, seed):
    """A log of an app each of whose conversations has one turn: its prompt is `shared`, begins with a clock, or with what was retrieved."""
    rng = random.Random(seed)
    rules = [text(rng, 60) for _ in range(60)]
    first = {
        "shared": lambda now: "You answer guests of the harbour.",
        "clocked": lambda now: f"The time is {now}.",
        "retrieved": lambda now: text(rng, 600),
    }[kind]
    before, now = None, START
    with open(path, "w", encoding="utf-8") as out:

        def line(value):
            out.write(json.dumps(value, separators=(",", ":")) + "\n")

        line({"kind": "log", "version": 1, "promptc": "0.1.0"})
        for number in range(1, requests + 1):
            now += datetime.timedelta(seconds=rng.choice([1, 2]))
            name, time = f"c-{number:012x}", now.strftime("%Y-%m-%dT%H:%M:%SZ")
            begin = first(time)
            said = {"system": "\n".join([begin, *rules]), "asked": text(rng, 60), "answer": text(rng, 200)}
            for key, value in said.items():
                block = {"type": "text", "text": value}
                line({"kind": "part", "conversation": name, "hash": f"{number:012x}{key}", "json": block})
            request = {
                "kind": "request",
                "id": f"r{number}",
                "number": number,
                "time": time,
                "conversation": name,
                "chain": f"{name}/1",
                "api": "anthropic-messages",
                "provider": "anthropic",
                "model": ONE_TURN_MODEL,
                "settings": [{"name": "model", "value": ONE_TURN_MODEL}],
                "tools": [],
                "system": [f"{number:012x}system"],
                "messages": {"keep": 0, "add": [{"role": "user", "parts": [f"{number:012x}asked"]}]},
                "breakpoints": [{"at": "system/0"}],
            }
            line(request)
            output = [{"role": "assistant", "parts": [f"{number:012x}answer"]}]
            lives, before = before == begin, begin
            billed = usage(0 if lives else 1400, 1400 if lives else 0, 60)
            answer = {"kind": "response", "request": number, "conversation": name, "state": "whole"}
            line({**answer, "output": output, "usage": billed, "basis": "exclusive"})


def transcripts(root, size, seed):
    """Transcripts of about so many bytes: a session a file, with what tools gave as long as it is in real ones."""
    rng = random.Random(seed)
    texts = [text(rng, min(int(rng.paretovariate(1.2) * 400), 12_000)) for _ in range(2_000)]
    made, number = 0, 0
    while made < size:
        number += 1
        made += session(os.path.join(root, f"-home-{number % 7}"), number, rng, texts)


def session(folder, number, rng, texts):
    os.makedirs(folder, exist_ok=True)
    name = f"{number:08x}-0000-4000-8000-{rng.getrandbits(48):012x}"
    talk = Conversation(rng, name, START + datetime.timedelta(minutes=number))
    talk.left = rng.randint(20, 400)
    lines, last = [], None

    def line(kind, **more):
        nonlocal last
        head = {"parentUuid": last, "isSidechain": False, "cwd": "/repo", "sessionId": name, "version": "2.1.154"}
        last = f"{rng.getrandbits(128):032x}"
        time = talk.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        lines.append(json.dumps({**head, "type": kind, "uuid": last, "timestamp": time, **more}) + "\n")

    line("user", message={"role": "user", "content": rng.choice(texts)})
    for call in range(talk.left):
        _, billed = talk.step()
        tool = f"toolu_{number:x}_{call:x}"
        blocks = [{"type": "text", "text": rng.choice(texts)[:400]}]
        blocks.append({"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": rng.choice(texts)[:200]}})
        for at, block in enumerate(blocks):
            message = {"id": f"msg_{number:x}_{call:x}", "type": "message", "role": "assistant", "model": talk.model}
            stop = "tool_use" if at else None
            message.update({"content": [block], "stop_reason": stop, "usage": billed})
            line("assistant", requestId=f"req_{number:x}_{call:x}", message=message)
        given = rng.choice(texts)
        result = {"tool_use_id": tool, "type": "tool_result", "content": given}
        line("user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": given, "stderr": ""})
        if talk.kept > 180_000:
            line("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
            line("user", message={"role": "user", "content": rng.choice(texts)}, isCompactSummary=True)
            talk.kept, talk.lives = 20_000, False
    path = os.path.join(folder, f"{name}.jsonl")
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(lines)
    return os.path.getsize(path)


if __name__ == "__main__":
    what, path, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    make = {"log": log, "transcripts": transcripts}.get(what) or functools.partial(one_turn, what)
    make(path, size, 7)
