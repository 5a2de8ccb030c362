/** The functions of the extension; `src` has the other side. */

import type { Layer } from "./index";

export interface NativeDocument {
  text: string;
  diagnostics: string;
}

export interface Inputs {
  facts?: string;
  sets: [string, string][];
  roots: [string, string][];
  scenario?: string;
  now?: string;
  tokenizer?: string;
  hermetic: boolean;
}

export interface Explain {
  layer?: string;
  budget: boolean;
  model?: string;
  tokenizer?: string;
  now?: string;
}

export interface Request {
  shape: string;
  model: string;
  messages?: string;
  prefill?: string;
  ttl?: string;
  ttls: [string, string][];
  last?: number;
  automatic: boolean;
  key?: string;
  cached?: string;
  create: boolean;
  maxTokens?: number;
  markers?: string;
  allowUnknownModel: boolean;
  providers: string[];
  tokenizer?: string;
  now?: string;
}

export interface NativePrompt {
  name(): string | null;
  fingerprint(): string;
  text(channel: string): string;
  layers(): Layer[];
  findings(): string;
  toJson(): string;
  blame(channel: string, offset?: number, line?: string, find?: string): NativeDocument;
  explain(asked: Explain): NativeDocument;
  diff(name: string, next: NativePrompt, nextName: string): NativeDocument;
  emit(request: Request): Promise<NativeDocument>;
}

export interface NativeOutcome {
  prompt(): NativePrompt | null;
  error(): string | null;
}

export interface NativeBatch {
  push(facts: string): void;
  close(): void;
  next(): Promise<NativeOutcome>;
}

export interface NativeProject {
  build(inputs: Inputs, keepInputs: boolean): Promise<NativePrompt>;
  check(inputs: Inputs, check: { sources: boolean; usage: string[]; minPrefix?: number; base?: string }): Promise<NativeDocument>;
  explain(inputs: Inputs, asked: Explain): Promise<NativeDocument>;
  diff(a: string | undefined, b: string | undefined, inputs: Inputs, store: string | undefined, recorded: boolean): Promise<NativeDocument>;
  session(id: string, inputs: Inputs, event: string | undefined, refresh: boolean, store: string | undefined): Promise<NativePrompt>;
  batch(inputs: Inputs, jobs?: number): Promise<NativeBatch>;
}

interface Native {
  version(): string;
  open(manifest?: string, overlay?: string): Promise<NativeProject>;
  read(json: string): NativePrompt;
  usage(logs: string[], by: string[], since?: string, model?: string): Promise<NativeDocument>;
  fault(): Promise<NativeDocument>;
}

function load(): Native {
  const platform = `${process.platform}-${process.arch}`;
  const name = `promptc-cli-${platform}/promptc.node`;
  try {
    return require(name) as Native;
  } catch (cause) {
    throw new Error(
      `the package promptc-cli-${platform} with the extension for ${platform} cannot be loaded. If it is not installed, install ` +
        "promptc-cli with its optional dependencies; a lock file that another platform made may lack it (npm issue 4828)",
      { cause },
    );
  }
}

let loaded: Native | undefined;

/** The extension, loaded by the first call, so that the command and `program()` work without it. */
export function native(): Native {
  return (loaded ??= load());
}

