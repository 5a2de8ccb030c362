// Uses the helper in a folder with `atlas`, `one.json` and `two.json`.
import * as assert from "node:assert";
import { readFileSync } from "node:fs";
import { PromptcError, build, diff, program, session } from "promptc-cli";

const manifest = "atlas/promptc.kdl";
const text: string = readFileSync("prompt.txt", "utf8");
let said = "";
const write = process.stderr.write;
process.stderr.write = (chunk: string | Uint8Array): boolean => ((said += String(chunk)), true);
const channels = build({ manifest })["channels"] as { channel: string; text: string }[];
process.stderr.write = write;
assert.ok(said.includes("warning[cut]"), "what atlas cuts is lost in silence");
assert.deepStrictEqual(channels.filter((c) => c.channel === "system").map((c) => c.text), [text]);

const [change] = diff("one.json", "two.json").comparisons;
assert.strictEqual(change?.["same"], false);
assert.strictEqual(diff("one.json", "one.json").comparisons[0]?.["same"], true);

const first: string = session("chat-7", { manifest }).system;
assert.strictEqual(session("chat-7", { manifest }).system, first);
assert.ok(text.includes(first));

// Facts go in on standard input: text that JSON and a command line would mangle arrives as it is.
const ann = build({ manifest, facts: { user_name: `Änn "O'Hara"`, tools: ["other"] } })["channels"] as { text: string }[];
assert.ok(ann.some((c) => c.text.includes(`Änn "O'Hara"`)));
assert.notStrictEqual(session("chat-8", { manifest, facts: { duty: "incident" } }).system, first);
assert.strictEqual(session("--chat", { manifest }).system, first);
assert.strictEqual(diff("two.json", ".", { manifest }).comparisons[0]?.["same"], false);
assert.strictEqual(diff("two.json", ".", { manifest, facts: { tools: ["other"] } }).comparisons[0]?.["same"], true);

// Facts that nobody reads, since there is no manifest, do not hide what is wrong.
assert.throws(
  () => build({ manifest: "nowhere.kdl", facts: { user_name: "x".repeat(1 << 22) } }),
  (error: unknown) => error instanceof PromptcError && error.code === 2 && error.stderr.includes("manifest-not-found"),
);
assert.throws(
  () => build({ manifest: "nowhere.kdl" }),
  (error: unknown) => error instanceof PromptcError && error.code === 2 && error.stderr.includes("manifest-not-found"),
);

// Without a package for the platform: say which, and what else would do.
delete process.env["PROMPTC_BIN"];
Object.defineProperty(process, "arch", { value: "pdp11" });
assert.throws(program, /promptc-cli-\w+-pdp11 .*PROMPTC_BIN/);
