"""What promptc says itself, asked through its command line and not through the helper that the samples use."""

import json
import subprocess

from .server import REPLY


class Promptc:
    """The program, with the manifest of the samples and the facts that they give."""

    def __init__(self, program, manifest, environment):
        self.program, self.environment = program, environment
        self.build = ["build", "--quiet", "--manifest", manifest, "--set", "user=Ann"]
        self.text = self.run(*self.build)
        self.stored = self.run(*self.build, "--format", "json")
        self.artifact = json.loads(self.stored)

    def run(self, *arguments, given=b""):
        command = [self.program, *arguments]
        return subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True, env=self.environment).stdout

    def emit(self, arguments, folder, messages=None):
        """The body of the request for a conversation, or without messages that for the prompt alone."""
        more = []
        if messages is not None:
            more = ["--messages", folder + "/messages.json"]
            with open(more[1], "w", encoding="utf-8") as file:
                json.dump(messages, file)
        return json.loads(self.run("emit", *arguments, "--artifact", "-", *more, given=self.stored))

    @property
    def tier_ends(self):
        [system] = self.artifact["channels"]
        return {tier["end"] for tier in system["tiers"]}

    @property
    def layers(self):
        """Tier, hash and size of each layer by its name."""
        [system] = self.artifact["channels"]
        return {layer["layer"]: {"tier": layer["tier"], "sha256": layer["sha256"], "bytes": layer["end"] - layer["start"]}
                for layer in system["layers"]}


def conversation(questions):
    """The messages of each turn: question, answer, question and so on."""
    said = []
    for question in questions:
        said.append({"role": "user", "content": question})
        yield list(said)
        said.append({"role": "assistant", "content": REPLY})
