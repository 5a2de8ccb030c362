// The same as the command line: bytes, documents and errors of all that tests/bindings/samples.py made, in PROMPTC_SAMPLES.
import assert from "node:assert";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Project, Prompt, PromptcError, PromptcInternalError, textOf } from "promptc-cli";

const cases = readFileSync(join(process.env.PROMPTC_SAMPLES, "cases.jsonl"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

/** What a call answers, in the form of the samples. */
async function answer(call) {
  try {
    return { json: await call() };
  } catch (error) {
    assert.ok(error instanceof PromptcError && !(error instanceof PromptcInternalError), error);
    const found = error.diagnostics.filter((one) => one.severity === "error");
    assert.deepStrictEqual([error.code, error.line], [found[0].code, found[0].line]);
    return { errors: found.map((one) => [one.code, one.message, one.path, one.line, one.column]) };
  }
}

const given = ({ set, scenario, now }) => ({ set, scenario: scenario ?? undefined, now });

test("each sample is answered as by the program", async () => {
  const here = process.cwd();
  const store = join(mkdtempSync(join(tmpdir(), "promptc-")), "store.db");
  for (const one of cases) {
    process.chdir(one.cwd);
    const open = () => Project.open(one.manifest, { roots: one.roots });
    const [facts, options] = [one.facts ?? undefined, given(one)];
    const same = async (what, call) => assert.deepStrictEqual(await answer(call), one[what], `${one.id} ${what}`);
    await same("build", async () => (await (await open()).build(facts, options)).toJson());
    if (one.more) {
      await same("explain", async () => textOf(await (await open()).explain({ facts, ...options })));
      await same("check", async () => textOf(await (await open()).check({ facts, ...options })));
      await same("emit", async () => textOf(await (await open()).emit("anthropic", "claude-opus-5-5", undefined, facts, options)));
      await same("diff", async () => textOf(await (await open()).diff(".", ".", { facts, ...options })));
      await same("blame", async () => textOf((await (await open()).build(facts, options)).blame({ offset: 3 })));
      for (const way of ["session", "again"]) {
        await same(way, async () => (await (await open()).session(one.id, facts, { store, ...options })).toJson());
      }
    }
    if (!one.build.json) continue;
    const prompt = Prompt.fromJson(one.build.json);
    assert.strictEqual(prompt.toJson(), one.build.json);
    for (const [channel, text] of Object.entries(one.texts)) assert.strictEqual(prompt.channels[channel], text);
    for (const [channel, text] of Object.entries(prompt.channels)) {
      assert.strictEqual(prompt.layers.filter((layer) => layer.channel === channel).map((layer) => layer.text).join(""), text);
    }
  }
  process.chdir(here);
  assert.ok(cases.length > 10);
});

test("a batch builds what single calls build", async () => {
  const here = process.cwd();
  for (const one of cases.filter(({ id, build }) => id.startsWith("s") && build.json).slice(0, 40)) {
    process.chdir(one.cwd);
    const rows = [one.facts ?? {}, { "no such fact": 1 }, one.facts ?? {}];
    const made = [];
    for await (const outcome of (await Project.open(one.manifest)).batch(rows, given(one))) {
      made.push(outcome instanceof PromptcError ? outcome.code : outcome.toJson());
    }
    assert.deepStrictEqual(made, [one.build.json, "unknown-fact", one.build.json]);
  }
  process.chdir(here);
});
