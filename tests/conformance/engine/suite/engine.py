"""llama.cpp's own server, from the wheel `xllamacpp`, as a child process on this host, spoken to over HTTP."""

import ctypes
import http.client
import json
import signal
import subprocess
import sys

from .model import CONTEXT


# All of a request in the order in which promptc reads it.
TEMPLATE = """{% for tool in tools %}{{ tool | tojson }}
{% endfor %}{% for message in messages %}<{{ message.role }}>{{ message.content or '' }}{% for call in message.tool_calls or [] %}{{ call.function | tojson }}{% endfor %}
{% endfor %}<assistant>"""


class Engine:
    def __init__(self, model, log):
        self.log = open(log, "ab")
        command = [sys.executable, "-B", "-m", "suite.engine", model]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        address = next((line[6:].decode().strip() for line in self.child.stdout if line.startswith(b"READY ")), None)
        if address is None:
            print(f"the engine ended with {self.child.wait()}: see {log}", file=sys.stderr)
            sys.exit(2)
        self.connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=300)

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        said = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {said}")
        return said

    def tokens(self, text):
        """Of each token of a text its number and its bytes."""
        said = self.post("/tokenize", {"content": text, "add_special": True, "parse_special": True, "with_pieces": True})
        raw = ((token["id"], token["piece"]) for token in said["tokens"])
        return [(number, bytes(piece) if isinstance(piece, list) else piece.encode()) for number, piece in raw]

    def reused(self, text, cold):
        """Sends a prompt; how many of its tokens the engine had already, and how many it has. A cold one reads nothing, and
        is stored."""
        said = self.post("/completion", {"prompt": text, "n_predict": 1, "cache_prompt": not cold, "id_slot": 0,
                                         "temperature": 0, "ignore_eos": True})
        # `tokens_cached` is what the slot holds afterwards, not what was reused.
        times = said["timings"]
        return times["cache_n"], times["cache_n"] + times["prompt_n"]

    def text(self, body):
        """The text that the engine makes of a whole request."""
        return self.post("/apply-template", body)["prompt"]

    def chat(self, body):
        """Sends a whole request; the usage of its answer, in the fields of OpenAI's API."""
        return self.post("/v1/chat/completions", body | {"cache_prompt": True, "id_slot": 0})["usage"]

    def stop(self):
        self.connection.close()
        self.child.stdin.close()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def serve(model):
    """The child: serves until its standard input is closed."""
    import xllamacpp

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # ends with the parent, however this ends
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT
    # One slot, no second store of prompts, and no shifting of chunks: what is counted is a prefix of the prompt before.
    parameters.n_parallel = 1
    parameters.cache_ram_mib = 0
    parameters.n_cache_reuse = 0
    parameters.fit_params = False
    parameters.ui = False
    parameters.offline = True
    parameters.verbosity = 1
    parameters.use_jinja = True
    parameters.chat_template = TEMPLATE
    parameters.n_threads_http = 2
    parameters.cpuparams.n_threads = 2
    parameters.cpuparams_batch.n_threads = 2
    server = xllamacpp.Server(parameters)
    print(f"READY {server.listening_address.rstrip('/')}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
