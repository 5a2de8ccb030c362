// `streamText` with a model that only keeps what reaches it; prints that.
import { simulateReadableStream, streamText } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Project } from "promptc-cli";
import { callOptions } from "./ai_sdk.mjs";

const prompt = await (await Project.open("promptc.kdl")).build({ user: "Ann" });
const options = callOptions(await prompt.emit("anthropic", "claude-opus-5-5"));
const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const chunks = [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Monday" },
  { type: "text-end", id: "1" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: { inputTokens: count, outputTokens: count } },
];
const model = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
const answer = streamText({ model, ...options, messages: [{ role: "user", content: "When?" }] });
if ((await answer.text) !== "Monday") throw new Error("the answer is lost");
const [{ prompt: messages, tools }] = model.doStreamCalls;
console.log(JSON.stringify({ system: messages.filter(({ role }) => role === "system"), tools }));
