// The types of the package for the compiler; nothing here runs.
import { type Diagnostic, type Document, type Layer, Project, type Prompt, PromptcError, textOf } from "promptc-cli";
import { assertPrompt } from "promptc-cli/testing";

export async function texts(project: Project): Promise<string[]> {
  const prompt: Prompt = await project.build({ user: "Ann" }, { now: new Date(), set: { day: "2026-11-27" } });
  const layers: Layer[] = prompt.layers.filter((layer) => layer.channel === "system");
  return [...layers.map((layer) => layer.text), prompt.channels.tools];
}

export async function first(project: Project): Promise<string | null> {
  for await (const made of project.batch([{ user: "Ann" }], { jobs: 2 })) {
    return made instanceof PromptcError ? made.code : made.text;
  }
  return null;
}

export async function body(project: Project): Promise<string> {
  const made: Document = await project.emit("anthropic", "claude-opus-5-5", [{ role: "user", content: "Hello" }], { user: "Ann" });
  return textOf(made);
}

export function found(error: PromptcError): [string, number | null][] {
  return error.diagnostics.map((one: Diagnostic) => [one.code, one.line]);
}

export async function tested(project: Project): Promise<void> {
  await assertPrompt(project, "friday", new URL("file:///tests/prompts.test.mjs"));
}

// @ts-expect-error: a place is one of three.
export const wrong = (prompt: Prompt) => prompt.blame({ offset: 1, line: 2 });
// @ts-expect-error: a project is opened, which takes time.
export const made = new Project("promptc.kdl");
