// The prompt of each scenario is the one in `prompts` beside this file: `vitest run`, and `PROMPTC_UPDATE=1 vitest run` to write it.
import { fileURLToPath } from "node:url";
import { Project } from "promptc-cli";
import { assertPrompt } from "promptc-cli/testing";
import { test } from "vitest";

const project = await Project.open(fileURLToPath(new URL("promptc.kdl", import.meta.url)));

test.each(["friday"])("prompt of %s", (scenario) => assertPrompt(project, scenario, import.meta.url));
