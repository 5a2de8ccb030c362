// Uses the package in a folder with `atlas`, `one.json` and `two.json`.
import * as assert from "node:assert";
import { readFileSync } from "node:fs";
import { Project, PromptcError, program } from "promptc-cli";

async function use(): Promise<void> {
  const project = await Project.open("atlas");
  assert.strictEqual((await project.build()).text, readFileSync("prompt.txt", "utf8"));
  const [change] = (await project.diff("one.json", "two.json"))["comparisons"] as { same: boolean }[];
  assert.strictEqual(change?.same, false);
  const first = (await project.session("chat-7")).text;
  assert.strictEqual((await project.session("chat-7")).text, first);
  await assert.rejects(project.build({ no_such_fact: "x" }), (error: unknown) => error instanceof PromptcError && error.code === "unknown-fact");

  // Without a package for the platform: say which, and what else would do.
  delete process.env["PROMPTC_BIN"];
  Object.defineProperty(process, "arch", { value: "pdp11" });
  assert.throws(program, /promptc-cli-\w+-pdp11 .*PROMPTC_BIN/);
}

void use();
