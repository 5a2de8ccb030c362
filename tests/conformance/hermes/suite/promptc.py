"""The program under test, run as a process."""

import json
import os
import subprocess


class Promptc:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def build(self, manifest, *arguments, facts=None):
        """What `promptc build` prints, and None; or None, and what it says on stderr."""
        command = [self.path, "build", "--manifest", manifest, "--hermetic", "--quiet", "--color", "never", *arguments]
        given = None if facts is None else json.dumps(facts).encode()
        if facts is not None:
            command += ["--facts", "-"]
        run = subprocess.run(command, input=given, capture_output=True, cwd=os.path.dirname(manifest))
        return (run.stdout, None) if run.returncode == 0 else (None, run.stderr.decode(errors="replace"))

    def artifact(self, manifest, *arguments, facts=None):
        printed, error = self.build(manifest, "--format", "json", *arguments, facts=facts)
        return json.loads(printed) if printed is not None else error

    def emit(self, *arguments):
        """The request that `promptc emit` writes, and None; or None, and what it says on stderr."""
        command = [self.path, "emit", *arguments, "--quiet", "--color", "never"]
        run = subprocess.run(command, capture_output=True)
        return (json.loads(run.stdout), None) if run.returncode == 0 else (None, run.stderr.decode(errors="replace"))

    def batch(self, manifest, lines, *arguments):
        """The artifact of each line of facts; None where the line could not be built."""
        command = [self.path, "build", "--manifest", manifest, "--hermetic", "--quiet", "--batch", "-", *arguments]
        given = "".join(json.dumps(line) + "\n" for line in lines).encode()
        run = subprocess.run(command, input=given, capture_output=True, cwd=os.path.dirname(manifest))
        made = [json.loads(line) for line in run.stdout.decode().split("\n") if line]
        if len(made) != len(lines):
            raise SystemExit(f"{len(made)} prompts from {len(lines)} lines:\n{run.stderr.decode()}")
        return [None if "errors" in artifact else artifact for artifact in made]

    def hint(self, manifest, session, store, paths, *arguments):
        """What `promptc agent rules` prints, and None; or None, and what it says on stderr."""
        command = [self.path, "agent", "rules", "--manifest", manifest, "--hermetic", "--quiet", "--color", "never",
                   "--session", session, "--store", store, *arguments, "--", *paths]
        run = subprocess.run(command, capture_output=True, cwd=os.path.dirname(manifest))
        return (run.stdout, None) if run.returncode == 0 else (None, run.stderr.decode(errors="replace"))

    def memory(self, manifest, call, facts, *arguments):
        """The answer to a call of the memory tool."""
        command = [self.path, "agent", "memory", "apply", "--manifest", manifest, "--hermetic", "--format", "json", *arguments]
        command += [word for name, value in facts.items() for word in ("--set", f"{name}={value}")]
        run = subprocess.run(command, input=json.dumps(call).encode(), capture_output=True, cwd=os.path.dirname(manifest))
        if run.returncode not in (0, 1):
            raise SystemExit(f"{json.dumps(call)}:\n{run.stderr.decode(errors='replace')}")
        answer = json.loads(run.stdout)
        if answer["success"] != (run.returncode == 0):
            raise SystemExit(f"exit code {run.returncode} of {run.stdout.decode()}")
        return answer


def system_text(artifact):
    if artifact is None:
        return None
    return next((channel["text"] for channel in artifact["channels"] if channel["channel"] == "system"), "")


def layers(artifact):
    """The layers of the system text in order, each with its text, without the join in front of it."""
    text = system_text(artifact).encode()
    for channel in artifact["channels"]:
        if channel["channel"] == "system":
            for layer in channel["layers"]:
                first = layer["spans"][0]
                joined = first["kind"] == "join" and channel["layers"][0] is not layer
                yield layer, text[first["end"] if joined else layer["start"]:layer["end"]].decode()


def roots(pairs):
    return [word for pair in pairs for word in ("--root", pair)]
