"""A span of OpenTelemetry with the prompt that it used: its fingerprint, and the tier, hash and size of each layer.

    python otel_span.py "Where is order 10024711?"
"""

import sys
from pathlib import Path

import openai
import promptc_cli as promptc
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))  # OTEL_EXPORTER_OTLP_ENDPOINT

prompt = promptc.Project(Path(__file__).with_name("promptc.kdl")).build({"user": "Ann"})
request = prompt.emit("openai-responses", "gpt-6.1-sol", key="bookshop")
request["input"].append({"role": "user", "content": sys.argv[1]})

with trace.get_tracer("bookshop").start_as_current_span(f"chat {request['model']}") as span:
    span.set_attributes({"gen_ai.request.model": request["model"], "promptc.fingerprint": prompt.fingerprint})
    for layer in prompt.layers:
        about = {"tier": layer.tier, "sha256": layer.sha256, "bytes": layer.end - layer.start}
        span.set_attributes({f"promptc.layer.{layer.name}.{key}": value for key, value in about.items()})
    answer = openai.OpenAI().responses.create(**request)  # OPENAI_API_KEY, OPENAI_BASE_URL
    span.set_attribute("gen_ai.usage.cache_read.input_tokens", answer.usage.input_tokens_details.cached_tokens)
trace.get_tracer_provider().shutdown()
print(answer.output_text)
