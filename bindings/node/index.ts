/** promptc in Node: builds system prompts in this process, the same bytes as the program `promptc`. */

import { availableParallelism } from "os";
import { Diagnostic, PromptcError, PromptcInternalError, awaited, called, errorOf } from "./errors";
import { Inputs, NativeDocument, NativeProject, NativePrompt, native } from "./native";
import { program } from "./program";

export { Diagnostic, PromptcError, PromptcInternalError, program };

/** Facts by name: what JSON has, dates and maps. */
export type Facts = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;
/** A JSON document of promptc; `promptc schema` describes it. */
export type Document = Record<string, unknown>;
/** The text of a request. */
export type Channel = "tools" | "system" | "user";

/** The inputs of a build besides facts, as on the command line. */
export interface BuildOptions {
  /** Facts as texts; they win over others. */
  set?: Readonly<Record<string, string>> | undefined;
  scenario?: string | undefined;
  /** The current time. */
  now?: string | Date | undefined;
  tokenizer?: string | undefined;
  hermetic?: boolean | undefined;
}

export interface KeepOptions extends BuildOptions {
  /** The prompt and its artifact carry what it was built from, and a comparison of two such prompts has causes. */
  keepInputs?: boolean | undefined;
}

export interface ProjectOptions {
  /** Folders by the names of roots; several of one that is `many`. */
  roots?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Text of a manifest, laid over that of the project as one that `extends` it. No file is written. */
  overlay?: string | undefined;
}

export interface CheckOptions extends BuildOptions {
  facts?: Facts | undefined;
  /** Builds every scenario, or what is given, for the rules that read sources. */
  sources?: boolean | undefined;
  usage?: readonly string[] | undefined;
  minPrefix?: number | undefined;
  base?: string | undefined;
}

/** The query about layers: one of them, the sums of budgets, or where breakpoints are for a model. */
export interface LayerOptions {
  layer?: string | undefined;
  budget?: boolean | undefined;
  model?: string | undefined;
  tokenizer?: string | undefined;
  now?: string | Date | undefined;
}

export interface ExplainOptions extends BuildOptions, LayerOptions {
  facts?: Facts | undefined;
  now?: string | Date | undefined;
  tokenizer?: string | undefined;
}

export interface DiffOptions extends BuildOptions {
  facts?: Facts | undefined;
  recorded?: boolean | undefined;
  store?: string | undefined;
}

export interface SessionOptions extends BuildOptions {
  /** An event of the session. */
  event?: string | undefined;
  refresh?: boolean | undefined;
  store?: string | undefined;
}

export interface BatchOptions extends BuildOptions {
  /** How many threads build; one for each core without it. */
  jobs?: number | undefined;
}

/** The options of `promptc emit`. */
export interface EmitOptions {
  prefill?: string | undefined;
  /** A time for all breakpoints, or times by tier. */
  ttl?: string | Readonly<Record<string, string>> | undefined;
  last?: number | undefined;
  automatic?: boolean | undefined;
  key?: string | undefined;
  cached?: string | undefined;
  create?: boolean | undefined;
  maxTokens?: number | undefined;
  markers?: "envelope" | "native" | undefined;
  allowUnknownModel?: boolean | undefined;
  providers?: readonly string[] | undefined;
  tokenizer?: string | undefined;
  now?: string | Date | undefined;
}

export type Messages = readonly Readonly<Record<string, unknown>>[];

/** A layer that is in a prompt. */
export interface Layer {
  readonly name: string;
  readonly tier: string;
  readonly channel: Channel;
  /** How often it may change. */
  readonly changes: "never" | "deploy" | "session" | "day" | "turn";
  readonly text: string;
  /** Its bytes in the text of the channel. */
  readonly start: number;
  readonly end: number;
  readonly sha256: string;
}

/** A place in a prompt: a byte, a line (`3`, or `"3:10"` with a column), or wherever a text is. */
export type Place =
  | { offset: number; line?: never; find?: never }
  | { line: number | string; offset?: never; find?: never }
  | { find: string; offset?: never; line?: never };

const TEXTS = new WeakMap<object, NativeDocument>();

/** A document as the program writes it. */
export function textOf(document: Document): string {
  const found = TEXTS.get(document);
  if (!found) throw new TypeError("this is no document of promptc");
  return found.text;
}

/** The warnings and notes of the call that made a document. */
export function diagnosticsOf(document: Document): readonly Diagnostic[] {
  return JSON.parse(TEXTS.get(document)?.diagnostics ?? "[]") as Diagnostic[];
}

function document(answer: NativeDocument): Document {
  const made = JSON.parse(answer.text) as Document;
  TEXTS.set(made, answer);
  return made;
}

/** A value that JSON would lose silently is an error. */
function plain(this: unknown, key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value) as unknown;
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`the fact ${key} is ${value}`);
  if (typeof value === "function" || typeof value === "symbol" || value instanceof Set) {
    throw new TypeError(`the fact ${key} cannot be a ${value instanceof Set ? "Set" : typeof value}`);
  }
  return value;
}

function json(facts: Facts | undefined): string | undefined {
  if (facts === undefined) return undefined;
  if (typeof facts !== "object" || facts === null || Array.isArray(facts)) throw new TypeError("facts are an object or a Map");
  return JSON.stringify(facts, plain);
}

function time(now: string | Date | undefined): { now?: string } {
  if (now === undefined) return {};
  return { now: now instanceof Date ? now.toISOString() : now };
}

/** Without keys that have no value, which the extension takes for values. */
function given<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

function explained(options: LayerOptions) {
  const { layer, budget, model, tokenizer } = options;
  return { ...given({ layer, model, tokenizer }), budget: budget ?? false, ...time(options.now) } as never;
}

/** A prompt with its map. */
export class Prompt {
  readonly #native: NativePrompt;
  #artifact: Document | undefined;

  /** @internal */
  constructor(made: NativePrompt) {
    this.#native = made;
  }

  /** The prompt of an artifact, which may be of an earlier build or of the program. */
  static fromJson(artifact: string): Prompt {
    return new Prompt(called(() => native().read(artifact)));
  }

  /** The manifest's `name`. */
  get name(): string | null {
    return this.#native.name();
  }

  /** The hash of the system prompt. */
  get fingerprint(): string {
    return this.#native.fingerprint();
  }

  /** The system prompt. */
  get text(): string {
    return this.#native.text("system");
  }

  /** The texts of the request, empty where the prompt has none. */
  get channels(): Record<Channel, string> {
    return { tools: this.#native.text("tools"), system: this.text, user: this.#native.text("user") };
  }

  /** The whole artifact, as `promptc build --format json` writes it. */
  get artifact(): Document {
    return (this.#artifact ??= JSON.parse(this.toJson()) as Document);
  }

  /** The layers of all channels, in their order. */
  get layers(): Layer[] {
    return this.#native.layers();
  }

  /** Warnings and notes of the build. Cut and dropped text is in `notices` of the artifact. */
  get diagnostics(): readonly Diagnostic[] {
    return JSON.parse(this.#native.findings()) as Diagnostic[];
  }

  /** The artifact as text: the bytes that `promptc build --format json` writes. */
  toJson(): string {
    return called(() => this.#native.toJson());
  }

  /** What `JSON.stringify` takes. */
  toJSON(): Document {
    return this.artifact;
  }

  toString(): string {
    return this.text;
  }

  /** The sources of a place. */
  blame(place: Place, channel: Channel = "system"): Document {
    const line = place.line === undefined ? undefined : String(place.line);
    return document(called(() => this.#native.blame(channel, place.offset, line, place.find)));
  }

  /** The sources of each layer or of one, the sums of budgets, or where breakpoints are for a model. */
  explain(options: LayerOptions = {}): Document {
    return document(called(() => this.#native.explain(explained(options))));
  }

  /** Where the prefix breaks between this prompt and the one that follows, and why. */
  diff(next: Prompt, names: { name?: string; next?: string } = {}): Document {
    return document(called(() => this.#native.diff(names.name ?? "a", next.#native, names.next ?? "b")));
  }

  /** The body of a request with this prompt and the conversation so far. Nothing is sent. */
  async emit(shape: string, model: string, messages?: Messages, options: EmitOptions = {}): Promise<Document> {
    const { ttl, now, automatic, create, allowUnknownModel, providers, prefill, last, key, cached, maxTokens, markers, tokenizer } = options;
    const request = {
      shape,
      model,
      ...given({ messages: messages && JSON.stringify(messages), prefill, last, key, cached, maxTokens, markers, tokenizer }),
      ...(typeof ttl === "string" ? { ttl } : {}),
      ttls: typeof ttl === "object" ? Object.entries(ttl) : [],
      automatic: automatic ?? false,
      create: create ?? false,
      allowUnknownModel: allowUnknownModel ?? false,
      providers: [...(providers ?? [])],
      ...time(now),
    };
    return document(await awaited(() => this.#native.emit(request as never)));
  }
}

/** A manifest that stays open, from which prompts are built. */
export class Project {
  readonly #native: NativeProject;
  readonly #roots: [string, string][];

  private constructor(opened: NativeProject, roots: [string, string][]) {
    this.#native = opened;
    this.#roots = roots;
  }

  /** Opens a manifest: a file, a folder with a `promptc.kdl`, or `builtin:NAME@N`; without a path the nearest `promptc.kdl`. */
  static async open(path?: string, options: ProjectOptions = {}): Promise<Project> {
    const roots = Object.entries(options.roots ?? {}).flatMap(([name, folders]) =>
      (typeof folders === "string" ? [folders] : folders).map((folder): [string, string] => [name, folder]),
    );
    return new Project(await awaited(() => native().open(path, options.overlay)), roots);
  }

  #inputs(facts: Facts | undefined, options: BuildOptions): Inputs {
    const { scenario, tokenizer, hermetic } = options;
    return {
      ...given({ facts: json(facts), scenario, tokenizer }),
      sets: Object.entries(options.set ?? {}),
      roots: this.#roots,
      hermetic: hermetic ?? false,
      ...time(options.now),
    };
  }

  /** Builds the prompt. */
  async build(facts?: Facts, options: KeepOptions = {}): Promise<Prompt> {
    return new Prompt(await awaited(() => this.#native.build(this.#inputs(facts, options), options.keepInputs ?? false)));
  }

  /**
   * Builds a prompt for each facts, in their order, on several threads. A failed build is an error in its place. The facts are
   * read a little ahead of the requested prompts, so there may be any number.
   */
  async *batch(facts: Iterable<Facts> | AsyncIterable<Facts>, options: BatchOptions = {}): AsyncGenerator<Prompt | PromptcError, void, undefined> {
    const jobs = options.jobs ?? availableParallelism();
    if (!Number.isInteger(jobs) || jobs < 1) throw new RangeError("jobs is a number of threads");
    const batch = await awaited(() => this.#native.batch(this.#inputs(undefined, options), jobs));
    const next = async () => {
      const outcome = await awaited(() => batch.next());
      const made = outcome.prompt();
      return made ? new Prompt(made) : (errorOf(outcome.error() ?? "") ?? new PromptcInternalError("a batch ended early"));
    };
    let ahead = 0;
    try {
      for await (const one of facts) {
        batch.push(json(one) ?? "{}");
        ahead += 1;
        if (ahead < jobs * 4) continue;
        yield await next();
        ahead -= 1;
      }
      for (; ahead > 0; ahead -= 1) yield await next();
    } finally {
      batch.close();
    }
  }

  /** The findings about the cached prefix: the document of `promptc check --format json`. */
  async check(options: CheckOptions = {}): Promise<Document> {
    const { sources, usage, minPrefix, base } = options;
    const check = { sources: sources ?? false, usage: [...(usage ?? [])], ...given({ minPrefix, base }) };
    return document(await awaited(() => this.#native.check(this.#inputs(options.facts, options), check)));
  }

  /** The sources of each layer or of one, or why it is absent, the sums of budgets, or where breakpoints are for a model. */
  async explain(options: ExplainOptions = {}): Promise<Document> {
    return document(await awaited(() => this.#native.explain(this.#inputs(options.facts, options), explained(options))));
  }

  /**
   * Where the prefix breaks between two operands of `promptc diff`, and why: files, `snapshot:NAME`, `git:REV`, `session:ID`, or `.` for a
   * build now. Two prompts are compared by `Prompt.diff`.
   */
  async diff(a?: string, b?: string, options: DiffOptions = {}): Promise<Document> {
    const inputs = this.#inputs(options.facts, options);
    return document(await awaited(() => this.#native.diff(a, b, inputs, options.store, options.recorded ?? false)));
  }

  /** The frozen prompt of a session, built if there is none: the same bytes at each call. */
  async session(id: string, facts?: Facts, options: SessionOptions = {}): Promise<Prompt> {
    const inputs = this.#inputs(facts, options);
    return new Prompt(await awaited(() => this.#native.session(id, inputs, options.event, options.refresh ?? false, options.store)));
  }

  /** Builds the prompt and makes the body of a request. In a conversation, build once and call `Prompt.emit` at each turn. */
  async emit(
    shape: string,
    model: string,
    messages?: Messages,
    facts?: Facts,
    options: BuildOptions & EmitOptions = {},
  ): Promise<Document> {
    const prompt = await this.build(facts, options);
    return prompt.emit(shape, model, messages, options);
  }
}

/** The query of bills. */
export interface UsageOptions {
  /** Such as `day`, `model` and `cause`. */
  by?: readonly string[] | undefined;
  /** A day, or `7d`. */
  since?: string | undefined;
  model?: string | undefined;
}

/** The bill of the requests of logs and recordings, without those of agents on this machine: the document of `promptc usage`. */
export async function usage(logs: readonly string[] = [], options: UsageOptions = {}): Promise<Document> {
  const { by, since, model } = options;
  return document(await awaited(() => native().usage([...logs], [...(by ?? [])], since, model)));
}

/** The release of the extension. */
export function version(): string {
  return called(() => native().version());
}
