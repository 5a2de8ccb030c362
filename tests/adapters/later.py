"""The adapters by their asynchronous calls: `later.py litellm|langchain QUESTION`, in a folder of them."""

import asyncio
import sys
import tempfile

sys.path.insert(0, ".")
which, question = sys.argv[1:]
MESSAGES = [{"role": "user", "content": question}]


async def litellm():
    import litellm
    from litellm_manager import PromptcManager

    litellm.callbacks = [PromptcManager(bookshop="promptc.kdl")]
    # A model by a name of the gateway's own, which has its prompt.
    settings = {"model": "anthropic/claude-opus-5-5", "prompt_id": "bookshop", "prompt_variables": {"user": "Ann"}}
    router = litellm.Router([{"model_name": "shop", "litellm_params": settings}])
    answer = await router.acompletion("shop", MESSAGES)
    return answer.choices[0].message.content


async def langchain():
    from langchain.agents import create_agent
    from langchain_agent import PromptcMiddleware, order_state
    from langchain_anthropic import ChatAnthropic
    from langgraph.checkpoint.memory import InMemorySaver

    with tempfile.TemporaryDirectory() as folder:
        agent = create_agent(
            ChatAnthropic(model="claude-opus-5-5"),
            tools=[order_state],
            middleware=[PromptcMiddleware("promptc.kdl", {"user": "Ann"}, store=folder + "/store.db")],
            checkpointer=InMemorySaver(),
        )
        answer = await agent.ainvoke({"messages": MESSAGES}, {"configurable": {"thread_id": "thread-3"}})
        return answer["messages"][-1].text


print(asyncio.run({"litellm": litellm, "langchain": langchain}[which]()))
