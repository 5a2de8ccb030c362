// Many calls, good and bad: PROMPTC_CALLS of them; no memory is kept, and nothing but errors comes of what is wrong.
import assert from "node:assert";
import { test } from "node:test";
import { Project, Prompt, PromptcInternalError } from "promptc-cli";

const CALLS = Number(process.env.PROMPTC_CALLS ?? 2000);
// How much more may be resident at the end than after the first tenth, in MB: what allocators keep and V8 has not collected.
const MOST = 64;
let state = Number(process.env.PROMPTC_SEED ?? 1);
// xorshift32.
const draw = (below) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
};
const pick = (...all) => all[draw(all.length)];
const nested = (depth) => (depth === 0 ? [] : [nested(depth - 1)]);
const name = () => pick("", "\0", "\ud800", "user", "anthropic", "claude-opus-5-5", "system", "x".repeat(300), "../..", "builtin:", "{{", 7, null, {});
const value = () => pick(undefined, null, 1e308, NaN, 1n, "\ud800", "x".repeat(draw(5000)), {}, [], { "": [] }, nested(draw(300)), Symbol("s"), () => 1, new Date(NaN));

async function staysFlat(calls) {
  let [first, done, refused] = [0, 0, 0];
  const resident = () => {
    globalThis.gc?.();
    return process.memoryUsage().rss / 1e6;
  };
  for (let at = 0; at < CALLS; at += 1) {
    try {
      await calls[draw(calls.length)]();
      done += 1;
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof PromptcInternalError), error);
      refused += 1;
    }
    if (at === Math.floor(CALLS / 10)) first = resident();
  }
  const grown = resident() - first;
  console.log(JSON.stringify({ calls: CALLS, done, refused, "resident MB": Math.round(resident()), "grown MB": Math.round(grown * 10) / 10 }));
  assert.ok(grown < MOST, `${grown} MB`);
}

process.chdir(process.env.PROMPTC_TOP);
const project = await Project.open("examples/sdk");

test("memory is flat over good calls", async () => {
  await staysFlat([
    async () => (await project.build({ user: "Ann" })).layers,
    async () => (await project.build({ user: `U${draw(1e9)}` })).text,
  ]);
});

test("memory is flat whatever is given", async () => {
  const prompt = await project.build({ user: "Ann" });
  const text = prompt.toJson();
  const changed = () => {
    const at = draw(text.length);
    return text.slice(0, at) + pick("", "\0", "9".repeat(30), '"', "}", "[".repeat(200)) + text.slice(at + draw(9));
  };
  const calls = [
    () => project.build({ user: "Ann" }),
    async () => (await project.build({ user: `U${draw(1e6)}` }, { now: "2026-11-27T09:00:00Z" })).text,
    () => project.build({ [String(name())]: value() }),
    () => project.build(value()),
    () => project.build(undefined, { set: { x: name() }, scenario: name(), now: name(), tokenizer: name() }),
    () => project.explain({ layer: name() }),
    () => project.check({ base: name() }),
    () => Prompt.fromJson(changed()).layers,
    () => Prompt.fromJson(value()),
    () => prompt.blame({ offset: draw(9000) - 9 }),
    () => prompt.blame({ line: name() }, name()),
    () => prompt.emit(name(), name(), value()),
    () => prompt.emit("anthropic", "claude-opus-5-5", [{ role: name(), content: value() }], { ttl: name(), last: draw(9) - 2 }),
    async () => (await Project.open("examples/sdk", { overlay: name() })).build(),
    () => Project.open(name()),
  ];
  await staysFlat(calls);
});
