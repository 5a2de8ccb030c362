"""botocore: Bedrock's Converse. The service's own model of the request is what checks it, and its client sends it."""

import json

import botocore.session
from botocore.awsrequest import AWSResponse
from botocore.validate import ParamValidator

from .. import rules as written

rules = written.bedrock

REPLY = json.dumps({
    "output": {"message": {"role": "assistant", "content": []}}, "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}).encode()


def client():
    session = botocore.session.get_session()
    session.set_credentials("x", "x")
    return session.create_client("bedrock-runtime", region_name="us-east-1")


def types(body):
    shape = client().meta.service_model.operation_model("Converse").input_shape
    report = ParamValidator().validate(body, shape)
    return ([report.generate_report()] if report.has_errors() else []) + enumerated(body, shape, "$")


def enumerated(value, shape, path):
    """botocore's validator does not look at enumerations."""
    if shape.type_name == "structure" and isinstance(value, dict) and not getattr(shape, "is_document_type", False):
        known = ((key, item) for key, item in value.items() if key in shape.members)
        return [error for key, item in known for error in enumerated(item, shape.members[key], f"{path}.{key}")]
    if shape.type_name == "list" and isinstance(value, list):
        return [error for at, item in enumerate(value) for error in enumerated(item, shape.member, f"{path}[{at}]")]
    if getattr(shape, "enum", None) and value not in shape.enum:
        return [f"{path}: {value!r} is none of {shape.enum}"]
    return []


def wire(body):
    """The model's name goes into the path, so it is put back into what went out as the body."""
    seen = []

    class Raw:
        def stream(self, **_):
            yield REPLY

    def answer(request, **_):
        seen.append((request.url, request.body))
        return AWSResponse(request.url, 200, {"Content-Type": "application/json"}, Raw())

    made = client()
    made.meta.events.register("before-send.bedrock-runtime.Converse", answer)
    made.converse(**body)
    url, sent = seen[-1]
    if f"/model/{body['modelId'].replace(':', '%3A')}/converse" not in url:
        raise ValueError(f"sent to {url}")
    return json.dumps({"modelId": body["modelId"], **json.loads(sent)}).encode()
