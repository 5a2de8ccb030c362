"""A trace in Langfuse with the prompt that it used: its fingerprint, and the tier, hash and size of each layer.

    python langfuse_trace.py "Where is order 10024711?"
"""

import sys
from pathlib import Path

import anthropic
import promptc_cli as promptc
from langfuse import Langfuse, propagate_attributes

prompt = promptc.Project(Path(__file__).with_name("promptc.kdl")).build({"user": "Ann"})
request = prompt.emit("anthropic", "claude-opus-5-5") | {"messages": [{"role": "user", "content": sys.argv[1]}]}
metadata = {"promptc_fingerprint": prompt.fingerprint}
for layer in prompt.layers:
    about = {"tier": layer.tier, "sha256": layer.sha256, "bytes": layer.end - layer.start}
    metadata[f"promptc_layer_{layer.name}"] = about

# Reads LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, LANGFUSE_BASE_URL, and LANGFUSE_RELEASE: the release of your program.
langfuse = Langfuse()
with propagate_attributes(trace_name=prompt.name, version=prompt.fingerprint, metadata=metadata):
    with langfuse.start_as_current_observation(name="answer", input=sys.argv[1]) as observation:
        # The SDK's own span of the call, with model and usage, has the metadata too.
        answer = anthropic.Anthropic().messages.create(**request)  # ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
        text = "".join(block.text for block in answer.content if block.type == "text")
        observation.update(output=text)
langfuse.flush()
print(text)
