"""Middleware for agents of LangChain: each call of the model has the prompt and the tools of a manifest. A thread is a session.

    python langchain_agent.py thread-7 "Where is order 10024711?" "Can I still change the address?"
"""

import asyncio
import sys
from pathlib import Path

import promptc_cli as promptc
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import SystemMessage
from langgraph.checkpoint.memory import InMemorySaver


class PromptcMiddleware(AgentMiddleware):
    """Keeps the prompt of a thread in a session: edited files and a new day do not break its prefix."""

    def __init__(self, manifest, facts=None, store=None):
        self.project, self.facts, self.store = promptc.Project(manifest), facts, store

    def prompted(self, request):
        thread = request.runtime.execution_info.thread_id
        prompt = self.project.session(thread, self.facts, store=self.store)
        # One breakpoint is left for the last message, which LangChain sets.
        body = prompt.emit("anthropic", request.model.model, [{"role": "user", "content": "."}], last=1)
        return request.override(
            system_message=SystemMessage(content=body["system"]),
            tools=body.get("tools", []),
            model_settings={**request.model_settings, "cache_control": {"type": "ephemeral"}},
        )

    def wrap_model_call(self, request, handler):
        return handler(self.prompted(request))

    async def awrap_model_call(self, request, handler):
        return await handler(await asyncio.to_thread(self.prompted, request))


def order_state(order: str) -> str:
    """What runs when the model calls the tool; the manifest has its definition."""
    return f"{order}: sent"


if __name__ == "__main__":
    agent = create_agent(
        ChatAnthropic(model="claude-opus-5-5"),  # ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
        tools=[order_state],
        middleware=[PromptcMiddleware(Path(__file__).with_name("promptc.kdl"), {"user": "Ann"})],
        checkpointer=InMemorySaver(),
    )
    thread, *questions = sys.argv[1:]
    for question in questions:
        messages = [{"role": "user", "content": question}]
        answer = agent.invoke({"messages": messages}, {"configurable": {"thread_id": thread}})
        print(answer["messages"][-1].text)
