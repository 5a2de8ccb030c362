"""anthropic: the Messages API."""

import anthropic
import httpx2  # the SDK refuses clients of httpx
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

from .. import rules as written
from ..typed import errors

rules = written.anthropic


def types(body):
    return errors(body, MessageCreateParamsNonStreaming)


def wire(body):
    seen = []

    def answer(request):
        seen.append(request.content)
        usage = {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 0}
        return httpx2.Response(200, json={
            "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": "end_turn",
            "stop_sequence": None, "usage": usage})

    client = anthropic.Anthropic(api_key="x", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))
    client.messages.create(**body)
    return seen[-1]
