/**
 * The AI SDK of Vercel: `generateText` and `streamText` with the prompt and the tools of a manifest.
 *
 *     node ai_sdk.mjs "Where is order 10024711?" "Can I still change the address?"
 */

import { anthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, tool } from "ai";
import { fileURLToPath } from "node:url";
import { Project } from "promptc-cli";

/** What a call takes of a request for Anthropic. `execute` maps the name of each tool to the function that runs when the model calls it. */
export function callOptions({ system = [], tools = [] }, execute = {}) {
  const mark = ({ cache_control }) => cache_control && { providerOptions: { anthropic: { cacheControl: cache_control } } };
  return {
    system: system.map((block) => ({ role: "system", content: block.text, ...mark(block) })),
    tools: Object.fromEntries(
      tools.map((one) => {
        const { name, description, input_schema } = one;
        return [name, tool({ description, inputSchema: jsonSchema(input_schema), execute: execute[name], ...mark(one) })];
      }),
    ),
  };
}

async function main(questions) {
  const project = await Project.open(fileURLToPath(new URL("promptc.kdl", import.meta.url)));
  const prompt = await project.build({ user: "Ann" });
  // One breakpoint is left for the last message, which the call sets.
  const request = await prompt.emit("anthropic", "claude-opus-5-5", [{ role: "user", content: "." }], { last: 1 });
  const options = callOptions(request, { order_state: ({ order }) => `${order}: sent` });
  const messages = [];
  for (const content of questions) {
    messages.push({ role: "user", content });
    const { text, response } = await generateText({
      model: anthropic("claude-opus-5-5"), // ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
      ...options,
      messages,
    });
    messages.push(...response.messages);
    console.log(text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
