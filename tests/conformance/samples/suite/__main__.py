"""`python -m suite PROGRAM ROOT`: runs each sample, checks what the server received, then spoils that and checks again."""

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from . import checks
from .promptc import Promptc, conversation
from .server import REPLY, Server

QUESTIONS = ["Where is order 10024711?", "Kann ich die Straße noch ändern, “bitte”?"]
RELEASE = "2026.11-rc1"
KEYS = {"ANTHROPIC_API_KEY": "key-a", "OPENAI_API_KEY": "key-o", "LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}
ANTHROPIC = ["anthropic", "--model", "claude-opus-5-5"]
OPENAI = ["openai-responses", "--model", "gpt-6.1-sol", "--cache-key", "bookshop"]
#: By path, the header that carries the key.
AUTHORISED = {
    "/v1/messages": ("Authorization", "Bearer key-a"),
    "/v1/responses": ("Authorization", "Bearer key-o"),
    "/api/public/otel/v1/traces": ("Authorization", "Basic " + base64.b64encode(b"pk:sk").decode()),
    "/v1/traces": ("Content-Type", "application/x-protobuf"),
}


class Sample:
    """A program of the examples, run once; `received` are the bodies that it sent, by path."""

    def __init__(self, root, name, folder, settings, questions):
        self.name, server = name, Server()
        urls = {"ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": server.url + "/v1", "LANGFUSE_BASE_URL": server.url,
                "OTEL_EXPORTER_OTLP_ENDPOINT": server.url, "LANGFUSE_RELEASE": RELEASE, "PYTHONPATH": os.environ["PROMPTC_PACKAGE"]}
        command = [sys.executable, "-B", f"{folder}/sdk/{name}.py", *questions]
        ran = subprocess.run(command, capture_output=True, env=settings | KEYS | urls, cwd=folder, timeout=120)
        self.problem = ran.stderr.decode() if ran.returncode else None
        if ran.stdout.decode() != (REPLY + "\n") * len(questions):
            self.problem = self.problem or f"prints {ran.stdout.decode()!r}"
        self.received = {}
        for path, headers, body in server.received:
            self.received.setdefault(path, []).append(body)
            header, value = AUTHORISED.get(path, ("", "nothing: the path is unknown"))
            if headers.get(header) != value:
                self.problem = f"{path} came with {headers.get(header)}, not {value}"
        server.shutdown()


def conversing(path, emit):
    """The checks of a conversation of two turns."""
    def check(received, promptc, folder):
        [first, second] = received[path]
        turns = zip((first, second), conversation(QUESTIONS))
        found = [checks.request(body, promptc, promptc.emit(emit, folder, messages)) for body, messages in turns]
        return [*found[0], *found[1], *checks.prefix(first, second)]
    return check


def traced(path, emit, said, collector, judge):
    """The checks of one request and of the span around it."""
    def check(received, promptc, folder):
        [body] = received[path]
        expected = promptc.emit(emit, folder)
        expected[said] = [*expected[said], {"role": "user", "content": QUESTIONS[0]}]
        return [*checks.request(body, promptc, expected), *judge(received[collector], promptc)]
    return check


SAMPLES = {
    "anthropic_messages": (2, conversing("/v1/messages", ANTHROPIC)),
    "openai_responses": (2, conversing("/v1/responses", OPENAI)),
    "langfuse_trace": (1, traced("/v1/messages", ANTHROPIC, "messages", "/api/public/otel/v1/traces",
                                 lambda exports, promptc: checks.langfuse(exports, promptc, RELEASE))),
    "otel_span": (1, traced("/v1/responses", OPENAI, "input", "/v1/traces", checks.opentelemetry)),
}
#: What spoils a request or an export, and the checks that have to find it. Lengths stay, as protobuf has them in front.
SPOILED = [
    (b"Do not promise a day.", b"Do not promise a dax.", "prompt"),
    (b"talking to Ann.", b"talking to Eve.", "prefix"),
    (b'{"type":"ephemeral"}', b"null", "request"),
    (b'"prompt_cache_breakpoint":{"mode":"explicit"}', b'"other":1', "breakpoints"),
    (b'"cache_control":{', b'"cache_contrOl":{', "breakpoints"),
    (b"promptc_layer_rules", b"promptc_layer_rulez", "metadata"),
    (b"promptc.layer.date.sha256", b"promptc.layer.date.sha257", "attributes"),
]


def main():
    program, root = sys.argv[1:]
    start, failed, number = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(root + "/examples/sdk", folder + "/sdk")
        # One day for all builds, also around midnight.
        settings = {"PATH": os.environ["PATH"], "HOME": folder, "PROMPTC_BIN": program, "SOURCE_DATE_EPOCH": "1795600000"}
        promptc = Promptc(program, folder + "/sdk/promptc.kdl", settings)
        there = {name.removesuffix(".py") for name in os.listdir(folder + "/sdk") if name.endswith(".py")}
        assert there == set(SAMPLES), f"the samples are {there}"
        with ThreadPoolExecutor(2) as pool:
            ran = list(pool.map(lambda name: Sample(root, name, folder, settings, QUESTIONS[:SAMPLES[name][0]]), SAMPLES))
        for sample in ran:
            check = SAMPLES[sample.name][1]
            found = [("runs", sample.problem)]
            if not sample.problem:
                right = check(sample.received, promptc, folder)
                found += [*right, *spoiled(sample.received, dict(right), lambda received: check(received, promptc, folder))]
            number += len(found)
            failed += report(sample.name, found)
    print(f"{len(SAMPLES)} samples: {number} checks, {failed} failed, {time.monotonic() - start:.1f} s")
    return 1 if failed else 0


def spoiled(received, names, check):
    """The last body of each path is spoiled, in each way that concerns it, and the check of that name must find it."""
    for old, new, name in SPOILED:
        if name in names and any(old in bodies[-1] for bodies in received.values()):
            wrong = {path: [*bodies[:-1], bodies[-1].replace(old, new)] for path, bodies in received.items()}
            problems = {name for name, problem in check(wrong) if problem}
            yield f"spoiled {name}", None if name in problems else f"{new} is not found"


def report(name, found):
    """Prints the checks that failed, and answers how many these are."""
    failures = [(check, problem) for check, problem in found if problem]
    print(f"{'FAILED' if failures else 'ok    '} {name}: {', '.join(dict(found))}")
    for check, problem in failures:
        print(f"    {check}: {str(problem)[:1500]}")
    return len(failures)


sys.exit(main())
