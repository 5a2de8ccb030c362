"""`check.py ROOT`: runs each adapter and compares what the server received with what promptc writes."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = sys.argv[1]
sys.path.insert(0, ROOT + "/tests/conformance/samples")

from suite.promptc import Promptc  # noqa: E402
from suite.server import ANSWERS, MESSAGE, REPLY, Server  # noqa: E402

MODEL = "claude-opus-5-5"
QUESTIONS = ["Where is order 10024711?", "Kann ich die Straße noch ändern, “bitte”?"]
#: To this question the model's answer is a call of the tool.
CALL = "Look up order 10024711."
TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "order_state", "input": {"order": "10024711"}}
RESULT = "10024711: sent"
RULE, EDITED = "Do not promise a day.", "Do not name a day."
MARK = {"type": "ephemeral"}
#: One day for all builds, also around midnight.
SETTINGS = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "PROMPTC_BIN")} | {"SOURCE_DATE_EPOCH": "1795600000"}
TOLD = {"ANTHROPIC_API_KEY": "key-a", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LANGSMITH_TRACING": "false"}
#: The file of each adapter in `examples/adapters`.
ADAPTERS = {"litellm_manager.py", "langchain_agent.py", "ai_sdk.mjs", "test_prompts.py", "prompts.test.mjs"}


class Provider(Server):
    """Calls the tool once if it is asked to."""

    def answer(self, path, body):
        last = json.dumps(json.loads(body)["messages"][-1])
        if CALL in last:
            return json.dumps(MESSAGE | {"content": [TOOL_USE], "stop_reason": "tool_use"}).encode()
        return ANSWERS.get(path)


class Place:
    """A copy of the examples, with the packages of Node, and what the program makes of it."""

    def __init__(self, folder):
        self.folder = folder + "/adapters"
        for name in ("sdk", "adapters"):
            shutil.copytree(f"{ROOT}/examples/{name}", f"{folder}/{name}", ignore=shutil.ignore_patterns(".promptc", "prompts"))
        os.symlink(os.environ["MODULES"], folder + "/node_modules")
        self.rules, self.home = folder + "/sdk/AGENTS.md", folder

    def run(self, *command, **settings):
        """The exit code and what is printed, and the bodies that arrive."""
        server = Provider()
        # The AI SDK has the version of the API in its base.
        base = server.url + "/v1" if command[0] == "node" else server.url
        environment = SETTINGS | TOLD | {"HOME": self.home, "ANTHROPIC_BASE_URL": base} | settings
        ran = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=environment, timeout=180)
        server.shutdown()
        assert {path for path, _, _ in server.received} <= {"/v1/messages"}, server.received
        assert all("key-a" in (headers["x-api-key"] or headers["Authorization"]) for _, headers, _ in server.received)
        return ran.returncode, ran.stdout + ran.stderr, [json.loads(body) for _, _, body in server.received]

    def promptc(self):
        return Promptc(os.environ["PROMPTC_BIN"], self.folder + "/promptc.kdl", SETTINGS)

    def emitted(self, messages, *options):
        return self.promptc().emit(["anthropic", "--quiet", "--model", MODEL, *options], self.home, messages)

    def edit(self, old, new):
        with open(self.rules, "r+", encoding="utf-8") as file:
            text = file.read()
            assert old in text
            file.seek(0)
            file.truncate()
            file.write(text.replace(old, new))


def same(found, expected):
    """What differs; the order of keys counts."""
    found, expected = json.dumps(found, ensure_ascii=False), json.dumps(expected, ensure_ascii=False)
    return None if found == expected else f"{found[-600:]}\n    not {expected[-600:]}"


def ran(code, printed, answers):
    return "runs", None if (code, printed) == (0, (REPLY + "\n") * answers) else f"exits with {code}: {printed[-3000:]}"


def said(count):
    """The messages of a turn of the conversation."""
    first, second = QUESTIONS
    whole = [("user", first), ("assistant", REPLY), ("user", second)]
    return [{"role": role, "content": content} for role, content in whole[:count]]


def prompt(body, expected):
    """System prompt and definitions of tools, with marks, as `promptc emit` writes them."""
    yield "system", same(body["system"], expected["system"])
    yield "tools", same(body["tools"], expected["tools"])
    yield "marks", None if any("cache_control" in block for block in body["system"]) else "there are none"


def litellm(place):
    code, printed, bodies = place.run(sys.executable, "-B", "litellm_manager.py", *QUESTIONS)
    yield ran(code, printed, 2)
    code, printed, later = place.run(sys.executable, "-B", f"{ROOT}/tests/adapters/later.py", "litellm", *QUESTIONS[:1])
    yield ran(code, printed, 1)
    for body, messages in zip(bodies + later, (said(1), said(3), said(1)), strict=True):
        for tool in body.get("tools", []):
            # LiteLLM's own, before the description.
            assert tool.pop("type") == "custom"
            tool["input_schema"] = tool.pop("input_schema")
        expected = place.emitted(messages)
        if body in later:
            body["tools"] = expected["tools"]
        yield from prompt(body, expected)
        yield "messages", same(body["messages"], expected["messages"])


def langchain(place):
    agent = [sys.executable, "-B", "langchain_agent.py"]
    code, printed, bodies = place.run(*agent, "thread-1", *QUESTIONS)
    yield ran(code, printed, 2)
    expected = place.emitted(said(1), "--last", "1")
    for body, messages in zip(bodies, (said(1), said(3)), strict=True):
        yield from prompt(body, expected)
        yield "messages", same(body["messages"], messages)
        yield "the mark of the last message", same(body["cache_control"], MARK)
    code, printed, called = place.run(*agent, "thread-1", CALL)
    yield ran(code, printed, 1)
    result = json.dumps(called[-1]["messages"][-1])
    yield "the tool is called", None if len(called) == 2 and RESULT in result else result
    place.edit(RULE, EDITED)
    code, printed, [kept] = place.run(*agent, "thread-1", QUESTIONS[0])
    yield "a thread keeps its prompt", same(kept["system"], expected["system"])
    code, printed, [fresh] = place.run(*agent, "thread-2", QUESTIONS[0])
    yield "another thread has the edit", same(fresh["system"], place.emitted(said(1), "--last", "1")["system"])
    yield "spoiled system", None if same(fresh["system"], expected["system"]) else "an edit is not found"
    place.edit(EDITED, RULE)
    code, printed, [later] = place.run(sys.executable, "-B", f"{ROOT}/tests/adapters/later.py", "langchain", QUESTIONS[0])
    yield ran(code, printed, 1)
    yield from prompt(later, expected)


def ai_sdk(place):
    code, printed, bodies = place.run("node", "ai_sdk.mjs", *QUESTIONS)
    yield ran(code, printed, 2)
    expected = place.emitted(said(1), "--last", "1")
    for body, messages in zip(bodies, (said(1), said(3)), strict=True):
        yield from prompt(body, expected)
        whole = [{"role": one["role"], "content": [{"type": "text", "text": one["content"]}]} for one in messages]
        yield "messages", same(body["messages"], whole)
        yield "the mark of the last message", same(body["cache_control"], MARK)
    # A model of `ai/test`, streamed: what reaches any provider.
    shutil.copy(f"{ROOT}/tests/adapters/stream.mjs", place.folder)
    code, printed, _ = place.run("node", "stream.mjs")
    yield "streams", None if code == 0 else printed
    if code == 0:
        got = json.loads(printed)
        request = place.emitted(None)
        marks = [{"anthropic": {"cacheControl": block["cache_control"]}} if "cache_control" in block else None for block in request["system"]]
        yield "streamed system", same([one["content"] for one in got["system"]], [block["text"] for block in request["system"]])
        yield "streamed marks", same([one.get("providerOptions") for one in got["system"]], marks)
        yield "streamed tools", same([one["inputSchema"] for one in got["tools"]], [one["input_schema"] for one in request["tools"]])
    os.remove(place.folder + "/stream.mjs")


def runner(*command):
    """The checks of a helper for snapshots, with a runner of tests."""
    def check(place):
        file = place.folder + "/prompts/friday.json"
        code, printed, _ = place.run(*command)
        missing = "there is no" in printed and "PROMPTC_UPDATE=1" in printed
        yield "a missing file fails", None if code and missing and not os.path.exists(file) else printed
        code, printed, _ = place.run(*command, PROMPTC_UPDATE="1")
        with open(file, "rb") as written:
            stored = written.read()
        built = place.promptc().run("build", "--manifest", place.folder, "--scenario", "friday", "--format", "json")
        yield "it is written", None if code == 0 and stored == built else printed
        code, printed, _ = place.run(*command)
        yield "it is the same", None if code == 0 else printed
        place.edit(RULE, EDITED)
        code, printed, _ = place.run(*command)
        diff = [os.environ["PROMPTC_BIN"], "diff", file, "-"]
        now = place.promptc().run("build", "--manifest", place.folder, "--scenario", "friday", "--format", "json")
        cause = subprocess.run(diff, input=now, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[1]
        yield "an edit fails, with its cause", None if code and "AGENTS.md:20 changed" in cause and cause in printed else printed
        place.edit(EDITED, RULE)
        code, printed, _ = place.run(*command)
        yield "without the edit it is the same", None if code == 0 else printed
        os.remove(file)
    return check


CHECKS = {
    "litellm": litellm,
    "langchain": langchain,
    "ai_sdk": ai_sdk,
    "pytest": runner(sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"),
    "vitest": runner("node", "../node_modules/vitest/vitest.mjs", "run"),
}


def main():
    start, failed, number = time.monotonic(), 0, 0
    there = {name for name in os.listdir(ROOT + "/examples/adapters") if name.endswith((".py", ".mjs"))}
    assert there == ADAPTERS, f"the adapters are {there}"
    with tempfile.TemporaryDirectory() as folder:
        # Links are resolved, as Node does it with the path of a module.
        place = Place(os.path.realpath(folder))
        for name, check in CHECKS.items():
            found = []
            try:
                found.extend(check(place))
            except Exception:
                # What it found before tells more.
                found.append(("ends", traceback.format_exc()))
            failures = [(what, problem) for what, problem in found if problem]
            number, failed = number + len(found), failed + len(failures)
            print(f"{'FAILED' if failures else 'ok    '} {name}: {', '.join(dict(found))}", flush=True)
            for what, problem in failures:
                print(f"    {what}: {problem[-3000:]}")
    print(f"{len(CHECKS)} adapters: {number} checks, {failed} failed, {time.monotonic() - start:.1f} s")
    return 1 if failed else 0


sys.exit(main())
