"""A conversation with Anthropic's SDK: promptc makes each request, with `cache_control` at the places that save most.

    python anthropic_messages.py "Where is order 10024711?" "Can I still change the address?"
"""

import sys
from pathlib import Path

import anthropic
import promptc_cli as promptc

PROJECT = promptc.Project(Path(__file__).with_name("promptc.kdl"))

client = anthropic.Anthropic()  # ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
# Built once: an edited file or a new day must not break the prefix of a conversation that is running.
prompt = PROJECT.build({"user": "Ann"})
messages = []
for question in sys.argv[1:]:
    messages.append({"role": "user", "content": question})
    answer = client.messages.create(**prompt.emit("anthropic", "claude-opus-5-5", messages))
    text = "".join(block.text for block in answer.content if block.type == "text")
    messages.append({"role": "assistant", "content": text})
    print(text)
    print(f"{answer.usage.cache_read_input_tokens} tokens came from the cache", file=sys.stderr)
