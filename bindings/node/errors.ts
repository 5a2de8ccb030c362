/** The findings of promptc, and the errors that carry them. */

/** One thing that promptc found, as `--message-format json` writes it. */
export interface Diagnostic {
  readonly severity: "error" | "warning" | "note";
  /** Its kind, such as `unknown-fact`: `promptc explain --code CODE` says more. */
  readonly code: string;
  readonly message: string;
  /** The file that it is about, and where in it: line and column from 1. Null if it is about no file. */
  readonly path: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** How to fix it. */
  readonly help: string | null;
}

/** Why a call has no result. `diagnostics` has one error at least; `code`, `path`, `line` and `help` are those of the first. */
export class PromptcError extends Error {
  readonly code: string | null;
  readonly path: string | null;
  readonly line: number | null;
  readonly help: string | null;

  constructor(
    message: string,
    readonly diagnostics: readonly Diagnostic[],
  ) {
    super(message);
    this.name = "PromptcError";
    const first = diagnostics.find((found) => found.severity === "error");
    this.code = first?.code ?? null;
    this.path = first?.path ?? null;
    this.line = first?.line ?? null;
    this.help = first?.help ?? null;
  }
}

/** A fault in promptc itself: nothing that is given should lead to it. Please report it. */
export class PromptcInternalError extends PromptcError {
  constructor(message: string) {
    super(`this is a fault of promptc, and not of what it was given; please report it: ${message}`, []);
    this.name = "PromptcInternalError";
  }
}

/** The error that the extension means by this text; none if the text is not of that form. */
export function errorOf(reason: string): PromptcError | undefined {
  if (!reason.startsWith('{"')) return undefined;
  const { promptc, message, diagnostics } = JSON.parse(reason) as { promptc: string; message: string; diagnostics: string };
  if (promptc === "fault") return new PromptcInternalError(message);
  return new PromptcError(message, JSON.parse(diagnostics) as Diagnostic[]);
}

function thrown(error: unknown): unknown {
  return (error instanceof Error && errorOf(error.message)) || error;
}

/** Calls the extension; its errors become those of the package. */
export function called<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw thrown(error);
  }
}

/** The same of a promise. */
export async function awaited<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw thrown(error);
  }
}
