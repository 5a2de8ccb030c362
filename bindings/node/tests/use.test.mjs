// What the package does in Node beyond the bytes: facts, errors, promises, both kinds of modules.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { Project, Prompt, PromptcError, diagnosticsOf, program, textOf, usage, version } from "promptc-cli";

const HOUSE = `promptc 1
name house
root project default="."
fact who string default=Ann
fact at datetime optional=#true
fact tools list { default }
tier t changes=deploy { layer rules { file "RULES.md" root=project } }
tier u changes=session { layer who { template "{{ who }} {{ tools | join('+') }} {{ at | default('-') }}" } }
`;
const folder = mkdtempSync(join(tmpdir(), "promptc-"));
const here = process.cwd();
after(() => (process.chdir(here), rmSync(folder, { recursive: true })));
beforeEach(() => {
  process.chdir(folder);
  writeFileSync("promptc.kdl", HOUSE);
  writeFileSync("RULES.md", "Be kind.\n");
});
const fails = (code) => (error) => error instanceof PromptcError && error.code === code;

test("both kinds of modules are the same", () => {
  const required = createRequire(import.meta.url)("promptc-cli");
  assert.strictEqual(required.Project, Project);
  assert.strictEqual(execFileSync(program(), ["--version"], { encoding: "utf8" }), `promptc ${version()}\n`);
});

test("facts are objects, maps and dates", async () => {
  const project = await Project.open();
  const at = new Date("2026-11-27T09:00:00Z");
  assert.strictEqual((await project.build({ who: "Bo", tools: ["a", "b"], at })).text, "Be kind.\n\nBo a+b 2026-11-27T09:00:00+00:00");
  assert.match((await project.build(new Map([["who", "Cy"]]))).text, /Cy/);
  for (const wrong of [7, "text", [1], null]) await assert.rejects(project.build(wrong), TypeError);
  for (const wrong of [NaN, Infinity, () => 1, Symbol("x"), new Set(), 1n]) await assert.rejects(project.build({ who: wrong }), TypeError);
});

test("an error has the diagnostics", async () => {
  writeFileSync("promptc.kdl", HOUSE.replace("layer rules", "layr rules"));
  await assert.rejects(Project.open(), (error) => {
    assert.deepStrictEqual([error.code, error.path, error.line], ["unknown-node", "promptc.kdl", 7]);
    return error.message.includes("promptc.kdl:7:");
  });
});

test("a fault of promptc is an error that says so", async (t) => {
  const native = createRequire(import.meta.url)(`promptc-cli-${process.platform}-${process.arch}/promptc.node`);
  const reason = await native.fault().then(() => undefined, (error) => error.message);
  if (reason === undefined) return t.skip("a build without debug assertions");
  assert.match(reason, /"promptc":"fault"/);
  assert.match(reason, /shown/);
});

test("an overlay is laid over the manifest and writes nothing", async () => {
  const before = readdirSync(".");
  const project = await Project.open(".", { overlay: 'refine who { template "Only {{ who }}." }' });
  assert.strictEqual((await project.build()).text, "Be kind.\n\nOnly Ann.");
  await assert.rejects(Project.open(".", { overlay: '\nrefine nobody { text "x" }' }), (error) => error.path === "<overlay>" && error.line === 2);
  assert.deepStrictEqual(readdirSync("."), before);
});

test("what changes on the disk is in the next prompt", async () => {
  const project = await Project.open();
  const keepInputs = { keepInputs: true };
  const [first, bare] = [await project.build({}, keepInputs), await project.build()];
  writeFileSync("RULES.md", "Be kinder.\n");
  const second = await project.build({}, keepInputs);
  const found = first.diff(second).comparisons[0].break;
  assert.deepStrictEqual([found.layer, found.causes[0].kind, found.causes[0].path], ["rules", "document-changed", "RULES.md"]);
  assert.deepStrictEqual(bare.diff(second).comparisons[0].break.causes, []);
  assert.strictEqual(JSON.parse(JSON.stringify(second)).fingerprint, second.fingerprint);
  assert.strictEqual(second.blame({ offset: 0 }).places[0].stretches[0].layer, "rules");
  assert.throws(() => second.blame({ offset: 1e6 }), fails("no-such-place"));
  assert.throws(() => second.blame({ offset: -1 }));
  assert.throws(() => Prompt.fromJson("[]"), fails("artifact-syntax"));
});

test("a session keeps its bytes", async () => {
  const [project, store] = [await Project.open(), join(folder, "store.db")];
  const first = await project.session("chat-7", { who: "Bo" }, { store });
  writeFileSync("RULES.md", "Other.\n");
  assert.strictEqual((await project.session("chat-7", undefined, { store })).text, first.text);
  assert.strictEqual((await project.session("chat-7", undefined, { store, refresh: true })).layers[0].text, "Other.");
});

test("a request has the conversation", async () => {
  const prompt = await (await Project.open()).build();
  const body = await prompt.emit("anthropic", "claude-opus-5-5", [{ role: "user", content: "Hello" }], { maxTokens: 99 });
  assert.strictEqual(body.max_tokens, 99);
  assert.deepStrictEqual(diagnosticsOf(body).map((found) => found.code), ["unmarked-tier", "unmarked-tier"]);
  assert.throws(() => textOf({}), TypeError);
  await assert.rejects(prompt.emit("antropic", "claude-opus-5-5"), fails("usage"));
  await assert.rejects(prompt.emit("anthropic", "claud"), fails("unknown-model"));
});

test("usage reads logs", async () => {
  const request = { model: "claude-opus-5-5", max_tokens: 500, system: "You are Harbor.", messages: [{ role: "user", content: "Hello" }] };
  const response = { type: "message", content: [], usage: { input_tokens: 900, output_tokens: 6 } };
  writeFileSync("requests.jsonl", JSON.stringify({ time: "2026-11-21T10:00:00Z", conversation: "c", request, response }) + "\n");
  const found = await usage(["requests.jsonl"], { by: ["day"] });
  assert.strictEqual(textOf(found), execFileSync(program(), ["usage", "requests.jsonl", "--by", "day", "--format", "json"], { encoding: "utf8" }));
  await assert.rejects(usage(["requests.jsonl"], { by: ["moon"] }), fails("usage"));
});

test("a batch ends with the error of its facts, and may be left", async () => {
  async function* rows() {
    yield { who: "Bo" };
    throw new RangeError("gone");
  }
  const project = await Project.open();
  await assert.rejects(async () => {
    for await (const made of project.batch(rows())) assert.ok(made instanceof Prompt);
  }, RangeError);
  function* endless() {
    for (let at = 0; ; at += 1) yield { who: `${at}` };
  }
  for await (const made of project.batch(endless(), { jobs: 2 })) {
    assert.match(made.text, /\b0 /);
    break;
  }
});

test("the event loop is free meanwhile", async () => {
  writeFileSync("RULES.md", "A long text to count. ".repeat(40_000));
  const project = await Project.open();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await Promise.all([1, 2, 3].map((at) => project.build({ who: `${at}` }, { tokenizer: "o200k" })));
  clearInterval(timer);
  assert.ok(turns > 5, `${turns} turns`);
});

