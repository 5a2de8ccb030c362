"""A prompt manager for LiteLLM: `prompt_id` names a manifest, `prompt_variables` are its facts.

    python litellm_manager.py "Where is order 10024711?" "Can I still change the address?"
"""

import sys
from pathlib import Path

import litellm
import promptc_cli as promptc
from litellm.integrations.custom_prompt_management import CustomPromptManagement


class PromptcManager(CustomPromptManagement):
    """Puts the prompt of a manifest before the messages, with `cache_control` at the places that save most.

    `acompletion` calls this method, too, in a thread of its own.
    """

    def __init__(self, **manifests):
        super().__init__()
        self.projects = {name: promptc.Project(path) for name, path in manifests.items()}

    def get_chat_completion_prompt(self, model, messages, non_default_params, prompt_id, prompt_variables, *_, **__):
        if prompt_id in self.projects:
            prompt = self.projects[prompt_id].build(prompt_variables)
            # OpenRouter's shape is LiteLLM's, too: messages of chat completions, with `cache_control`.
            messages = prompt.emit("openrouter", model, messages)["messages"]
        return model, messages, non_default_params


if __name__ == "__main__":
    manager = PromptcManager(bookshop=Path(__file__).with_name("promptc.kdl"))
    litellm.callbacks = [manager]
    # A prompt manager cannot set tools: they are given with the call.
    tools = manager.projects["bookshop"].emit("openrouter", "anthropic/claude-opus-5-5")["tools"]
    messages = []
    for question in sys.argv[1:]:
        messages.append({"role": "user", "content": question})
        answer = litellm.completion(  # ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
            "anthropic/claude-opus-5-5", messages, tools=tools, prompt_id="bookshop", prompt_variables={"user": "Ann"}
        )
        messages.append({"role": "assistant", "content": answer.choices[0].message.content})
        print(messages[-1]["content"])
