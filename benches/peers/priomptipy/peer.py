"""priomptipy: a system message of scopes, one for each line, with an absolute priority; the lowest go until the rest fits.

Its tokenizers are tiktoken's, which fetches their tables from the network; here the encoding of that name counts characters.
"""

import asyncio

import tiktoken.registry
from common import main, read, task


class Characters:
    """An encoding with a token for each character."""

    def encode(self, text):
        return [ord(character) for character in text]


tiktoken.registry.ENCODINGS["cl100k_base"] = Characters()
from priomptipy import Scope, SystemMessage, render as render_prompt  # noqa: E402

TASK = task()


def scopes(entry):
    lines = entry["text"].splitlines(keepends=True)
    heading = f"## {entry['name']}\n"
    if entry["priority"] is None:
        return [heading, *lines, "\n"]
    # The last line goes first; heading and blank line go with the first line.
    first, *rest = lines
    priority = entry["priority"] * 1000
    return [
        Scope([heading, first], absolute_priority=priority),
        *(Scope([line], absolute_priority=priority - number) for number, line in enumerate(rest, 1)),
        Scope(["\n"], absolute_priority=priority),
    ]


def render():
    message = SystemMessage([scope for entry in read(TASK["files"]) for scope in scopes(entry)])
    result = asyncio.run(render_prompt([message], {"token_limit": TASK["budget"], "tokenizer": "cl100k_base"}))
    prompt = result["prompt"]
    return prompt if isinstance(prompt, str) else "".join(message["content"] for message in prompt["messages"])


main(render)
