"""A conversation with OpenAI's SDK: `promptc emit` writes each request, with `prompt_cache_breakpoint` at the ends of tiers.

    python openai_responses.py "Where is order 10024711?" "Can I still change the address?"
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import openai
import promptc_cli as promptc

MANIFEST = str(Path(__file__).with_name("promptc.kdl"))
# The key sends requests with the same prefix to the same place.
EMIT = [promptc.program(), "emit", "openai-responses", "--model", "gpt-6.1-sol", "--key", "bookshop", "--messages", "-", "--from"]


def request(prompt, messages):
    """The body of the next request: the prompt, then the conversation so far."""
    made = subprocess.run([*EMIT, prompt], input=json.dumps(messages).encode(), stdout=subprocess.PIPE, check=True)
    return json.loads(made.stdout)


client = openai.OpenAI()  # OPENAI_API_KEY, OPENAI_BASE_URL
with TemporaryDirectory() as folder:
    # Built once: an edited file or a new day must not break the prefix of a conversation that is running.
    prompt = Path(folder, "prompt.json")
    prompt.write_text(json.dumps(promptc.build(manifest=MANIFEST, facts={"user": "Ann"})))
    messages = []
    for question in sys.argv[1:]:
        messages.append({"role": "user", "content": question})
        answer = client.responses.create(**request(prompt, messages))
        messages.append({"role": "assistant", "content": answer.output_text})
        print(answer.output_text)
        print(f"{answer.usage.input_tokens_details.cached_tokens} tokens came from the cache", file=sys.stderr)
