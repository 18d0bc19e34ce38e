/** What the log contains of a failure. */
interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * An error for the log: what failed and where, without the values that it failed on. Drivers hang rows, parameters and
 * connection settings onto their errors (PostgreSQL: `detail`, `where`, `hint`), so nothing is taken that is not named.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { name: typeof error, message: 'something that is no Error was thrown' };
  const { name, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const hide = code !== undefined && dataException.test(code) ? hideQuoted : (text: string) => text;
  return {
    name,
    ...(code !== undefined && { code }),
    message: hide(error.message),
    ...(error.stack !== undefined && { stack: hide(error.stack) }),
    ...(cause instanceof Error && { cause: describeError(cause) }),
  };
}

/** The class of PostgreSQL's errors whose messages quote a value: invalid input syntax for type integer: "…". */
const dataException = /^22[0-9A-Z]{3}$/;

function hideQuoted(text: string): string {
  return text.replace(/"[\s\S]*"/, '"…"');
}
