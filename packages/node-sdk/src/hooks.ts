import type { SvcError } from './errors.ts';

/** The call that a hook is notified of. The path is the template, because its values may identify a person. */
export interface CallNote {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Which try this is, from 1. */
  readonly attempt: number;
  readonly idempotencyKey: string | null;
}

export interface RequestNote extends CallNote {
  /** What is sent; values that could be secret are replaced. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ResponseNote extends CallNote {
  readonly status: number;
  readonly requestId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the start of this try to the last byte; for a stream, to its headers. */
  readonly duration: number;
}

export interface RetryNote extends CallNote {
  readonly error: SvcError;
  /** Milliseconds until the next try. */
  readonly wait: number;
}

export interface ErrorNote extends CallNote {
  readonly error: SvcError;
}

/** A sign that a program will have to change. */
export interface DeprecationNote {
  readonly operation: string;
  /** Since when or from when the operation is deprecated: the header Deprecation (RFC 9745) as it came. */
  readonly deprecation: string | null;
  /** When it may stop to answer: the header Sunset (RFC 8594) as it came. */
  readonly sunset: string | null;
  readonly link: string | null;
  readonly requestedVersion: string | null;
  /** The version in effect. Another one than was asked for has answers of another form. */
  readonly version: string | null;
  readonly message: string;
}

/**
 * Functions that a client notifies of what it does. What they throw, or reject with, becomes a warning of the process and changes
 * nothing.
 */
export interface Hooks {
  /** Before each try. */
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  /** After each answer, also those that are errors. */
  readonly onResponse?: ((note: ResponseNote) => void) | undefined;
  /** Before each wait for another try. */
  readonly onRetry?: ((note: RetryNote) => void) | undefined;
  /** When a call fails for good, also by an answer that cannot be read and by a stream that breaks off. */
  readonly onError?: ((note: ErrorNote) => void) | undefined;
  /** Once for each operation that is deprecated or answers in another version. Default: a warning of the process. */
  readonly onDeprecation?: ((note: DeprecationNote) => void) | undefined;
}

/** Calls a hook; its failure becomes a warning of the process. */
export function notify<Note>(name: keyof Hooks, hook: (note: Note) => void, note: Note): void {
  const warn = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.emitWarning(`The hook ${name} failed: ${message}`, { code: 'SVC_HOOK_FAILED' });
  };
  try {
    // The client does not wait for an asynchronous hook, but its failure must not end the process.
    const result: unknown = hook(note);
    if (typeof result === 'object' && result !== null && 'then' in result) Promise.resolve(result).catch(warn);
  } catch (error) {
    warn(error);
  }
}
