/** Snapshots of prompts for the tests of a project, with Vitest or any other runner. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Project, Prompt, program } from "./index";

/**
 * Throws if a scenario's prompt is not the one in `prompts/SCENARIO.json` next to the test, and says what differs and why. With
 * `PROMPTC_UPDATE=1` in the environment the file is written instead: the artifact of the prompt.
 *
 * @param beside The file of the test: `import.meta.url`, or `__filename`.
 */
export async function assertPrompt(project: Project, scenario: string, beside: string | URL): Promise<void> {
  const test = beside instanceof URL || beside.startsWith("file:") ? fileURLToPath(beside) : beside;
  const file = join(dirname(test), "prompts", `${scenario}.json`);
  const prompt = await project.build({}, { scenario });
  const update = "PROMPTC_UPDATE=1 in the environment of the test writes it";
  if (process.env["PROMPTC_UPDATE"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, prompt.toJson());
    return;
  }
  if (!existsSync(file)) throw new Error(`there is no ${file}\nhelp: ${update}`);
  const { channels } = Prompt.fromJson(readFileSync(file, "utf8"));
  // Texts alone: another release, or an edit that does not reach the text, is no difference.
  if (JSON.stringify(channels) === JSON.stringify(prompt.channels)) return;
  const { stdout } = spawnSync(program(), ["diff", file, "-"], { input: prompt.toJson(), encoding: "utf8" });
  throw new Error(`the prompt of \`${scenario}\` is not that of ${file}\n\n${stdout}\nhelp: if this is meant: ${update}`);
}
