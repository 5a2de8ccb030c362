"""The program under test, run as a process."""

import json
import subprocess


def emit(program, case, *more):
    return call(program, "emit", *case.arguments, "--manifest", case.manifest, *more)


def from_artifact(program, case, artifact):
    """The same request from a stored artifact."""
    return call(program, "emit", *case.arguments, "--artifact", "-", given=artifact)


def artifact(program, case):
    """The bytes of the artifact and the text of each channel."""
    run = call(program, "build", "--format", "json", "--manifest", case.manifest)
    if run.returncode:
        raise SystemExit(run.stderr.decode())
    channels = json.loads(run.stdout)["channels"]
    return run.stdout, {channel["channel"]: channel["text"] for channel in channels}


def call(program, *arguments, given=b""):
    return subprocess.run([program, *arguments, "--color", "never"], input=given, capture_output=True)


def codes(run):
    """The codes of the errors that a call wrote."""
    lines = run.stderr.decode().split("\n")
    return [line.split("[", 1)[1].split("]", 1)[0] for line in lines if line.startswith("error[")]
