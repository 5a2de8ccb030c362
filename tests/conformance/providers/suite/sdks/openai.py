"""openai: Chat Completions, Responses, and the servers that speak like the former."""

import copy

import httpx
import openai
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

from .. import body as reading
from .. import rules as written
from ..typed import errors

rules = written.openai
plain_rules = written.plain
marked_rules = written.markers

CHAT = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": []}
RESPONSE = {"id": "r", "object": "response", "created_at": 0, "model": "m", "output": [], "parallel_tool_calls": True,
            "tool_choice": "auto", "tools": [], "status": "completed"}


def chat_types(body):
    return errors(body, CompletionCreateParamsNonStreaming)


def marked_chat_types(body):
    """Without the markers of Anthropic's kind, which this SDK does not know, a plain request. Each is of that kind."""
    plain, found = copy.deepcopy(body), []
    for message in plain["messages"]:
        for part in [message, *reading.parts(message)]:
            marker = part.pop("cache_control", None)
            if marker and (marker.get("type") != "ephemeral" or marker.keys() - {"type", "ttl"}):
                found.append(f"no marker: {marker}")
    return found + chat_types(plain)


def responses_types(body):
    return errors(body, ResponseCreateParamsNonStreaming)


def chat_wire(body):
    return send(body, CHAT, lambda client: client.chat.completions.create)


def responses_wire(body):
    return send(body, RESPONSE, lambda client: client.responses.create)


def send(body, reply, method):
    seen = []

    def answer(request):
        seen.append(request.content)
        return httpx.Response(200, json=reply)

    client = openai.OpenAI(api_key="x", http_client=httpx.Client(transport=httpx.MockTransport(answer)))
    method(client)(**body)
    return seen[-1]
