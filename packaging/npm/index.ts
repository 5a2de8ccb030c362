/** Calls the program promptc, which a package for this platform brings. Its warnings go to stderr. */

import { spawnSync } from "node:child_process";

/** A call that failed: its exit code, and what stood on stderr. */
export class PromptcError extends Error {
  constructor(readonly code: number, readonly stderr: string) {
    super(stderr);
    this.name = "PromptcError";
  }
}

/** Where the manifest is; without it the nearest `promptc.kdl` counts. Other options stand as on the command line. */
export interface Options {
  manifest?: string;
  /** Facts for one call. They go to standard input, where no list of processes shows them. */
  facts?: Readonly<Record<string, unknown>>;
  args?: readonly string[];
}

/** A JSON object that promptc writes; `promptc schema` prints the schemas. */
export type Json = Record<string, unknown>;

/** What `promptc diff` says: of records there is a comparison for each. */
export interface Comparisons extends Json {
  comparisons: Json[];
}

/** The path of the program: PROMPTC_BIN if that is set, else that of the package for this platform. */
export function program(): string {
  const name = process.platform === "win32" ? "promptc.exe" : "promptc";
  const own = process.env["PROMPTC_BIN"];
  if (own) return own;
  const platform = `${process.platform}-${process.arch}`;
  try {
    return require.resolve(`promptc-cli-${platform}/${name}`);
  } catch {
    throw new Error(
      `the package promptc-cli-${platform} with the program for ${platform} is not installed: ` +
        "install it with the optional dependencies, or name a program with PROMPTC_BIN",
    );
  }
}

function run(args: readonly string[], options: Options): string {
  const { facts } = options;
  const given = facts === undefined ? [] : ["--facts", "-"];
  const manifest = options.manifest === undefined ? [] : ["--manifest", options.manifest];
  const all = [...args, ...(options.args ?? []), ...given, ...manifest];
  const input = facts === undefined ? "" : JSON.stringify(facts);
  const ran = spawnSync(program(), all, { input, encoding: "utf8", maxBuffer: 1 << 30, stdio: "pipe" });
  // A program that fails before it reads its input breaks the pipe; its exit code and stderr say more.
  if (ran.error && (ran.error as NodeJS.ErrnoException).code !== "EPIPE") throw ran.error;
  if (ran.status !== 0) throw new PromptcError(ran.status ?? -1, ran.stderr);
  process.stderr.write(ran.stderr);
  return ran.stdout;
}

/** The artifact: the prompt with its map. */
export function build(options: Options = {}): Json {
  return JSON.parse(run(["build", "--format", "json"], options)) as Json;
}

/** What `promptc diff` says of two operands: `comparisons`, for each pair where it breaks and why. */
export function diff(a: string, b = ".", options: Options = {}): Comparisons {
  return JSON.parse(run(["diff", a, b, "--format", "json"], options)) as Comparisons;
}

/** The texts of a prompt by their channels: each goes to another place of a request. */
export interface Texts {
  tools: string;
  system: string;
  user: string;
}

/** The texts of a session: the same bytes at each call, until something asks for new ones. */
export function session(id: string, options: Options = {}): Texts {
  const artifact = JSON.parse(run(["build", "--format", "json", `--session=${id}`], options)) as Json;
  const texts: Texts = { tools: "", system: "", user: "" };
  for (const { channel, text } of artifact["channels"] as { channel: keyof Texts; text: string }[]) texts[channel] = text;
  return texts;
}
