"""openrouter: its chat requests, which carry the markers of the providers behind it."""

import httpx
from openrouter import OpenRouter
from openrouter.components import ChatRequestTypedDict

from .. import rules as written
from ..typed import errors

rules = written.markers

REPLY = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [], "system_fingerprint": None}


def types(body):
    return errors(body, ChatRequestTypedDict)


def wire(body):
    seen = []

    def answer(request):
        seen.append(request.content)
        return httpx.Response(200, json=REPLY)

    transport = httpx.Client(transport=httpx.MockTransport(answer))
    OpenRouter(api_key="x", client=transport).chat.send(**body)
    return seen[-1]
