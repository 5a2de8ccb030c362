"""A conversation with OpenAI's SDK: promptc makes each request, with `prompt_cache_breakpoint` at the ends of tiers.

    python openai_responses.py "Where is order 10024711?" "Can I still change the address?"
"""

import sys
from pathlib import Path

import openai
import promptc_cli as promptc

PROJECT = promptc.Project(Path(__file__).with_name("promptc.kdl"))

client = openai.OpenAI()  # OPENAI_API_KEY, OPENAI_BASE_URL
# Built once: an edited file or a new day must not break the prefix of a conversation that is running.
prompt = PROJECT.build({"user": "Ann"})
messages = []
for question in sys.argv[1:]:
    messages.append({"role": "user", "content": question})
    # The key sends requests with the same prefix to the same place.
    answer = client.responses.create(**prompt.emit("openai-responses", "gpt-6.1-sol", messages, key="bookshop"))
    messages.append({"role": "assistant", "content": answer.output_text})
    print(answer.output_text)
    print(f"{answer.usage.input_tokens_details.cached_tokens} tokens came from the cache", file=sys.stderr)
