"""A conversation with Anthropic's SDK: `promptc emit` writes each request, with `cache_control` at the places that save most.

    python anthropic_messages.py "Where is order 10024711?" "Can I still change the address?"
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import anthropic
import promptc_cli as promptc

MANIFEST = str(Path(__file__).with_name("promptc.kdl"))
EMIT = [promptc.program(), "emit", "anthropic", "--model", "claude-opus-5-5", "--messages", "-", "--from"]


def request(prompt, messages):
    """The body of the next request: the prompt, then the conversation so far."""
    made = subprocess.run([*EMIT, prompt], input=json.dumps(messages).encode(), stdout=subprocess.PIPE, check=True)
    return json.loads(made.stdout)


client = anthropic.Anthropic()  # ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
with TemporaryDirectory() as folder:
    # Built once: an edited file or a new day must not break the prefix of a conversation that is running.
    prompt = Path(folder, "prompt.json")
    prompt.write_text(json.dumps(promptc.build(manifest=MANIFEST, facts={"user": "Ann"})))
    messages = []
    for question in sys.argv[1:]:
        messages.append({"role": "user", "content": question})
        answer = client.messages.create(**request(prompt, messages))
        text = "".join(block.text for block in answer.content if block.type == "text")
        messages.append({"role": "assistant", "content": text})
        print(text)
        print(f"{answer.usage.cache_read_input_tokens} tokens came from the cache", file=sys.stderr)
