import promptc from "./index.js";

export const { Project, Prompt, PromptcError, PromptcInternalError, diagnosticsOf, program, textOf, usage, version } = promptc;
