// Uses the helper in a folder with `atlas`, `one.json` and `two.json`.
import * as assert from "node:assert";
import { readFileSync } from "node:fs";
import { PromptcError, build, diff, session } from "promptc";

const manifest = "atlas/promptc.kdl";
const text: string = readFileSync("prompt.txt", "utf8");
const channels = build({ manifest })["channels"] as { deliver: string; text: string }[];
assert.deepStrictEqual(channels.filter((c) => c.deliver === "system").map((c) => c.text), [text]);

const change = diff("one.json", "two.json");
assert.strictEqual(change["same"], false);
assert.strictEqual(diff("one.json", "one.json")["same"], true);

const first: string = session("chat-7", { manifest });
assert.strictEqual(session("chat-7", { manifest }), first);
assert.ok(text.includes(first));

assert.throws(
  () => build({ manifest: "nowhere.kdl" }),
  (error: unknown) => error instanceof PromptcError && error.code === 2 && error.stderr.includes("manifest-not-found"),
);
