import { warn } from '#platform';
import type { SvcError } from './errors.ts';

/** The call that a hook is notified of. The path is the template, because its values may identify a person. */
export interface CallNote {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly idempotencyKey: string | null;
}

/** An attempt that is about to be sent. */
export interface RequestNote extends CallNote {
  /** The sent headers; values that could be secret are redacted. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An attempt with a response, whatever its status. */
export interface ResponseNote extends CallNote {
  readonly status: number;
  readonly requestId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the start of this attempt to the last byte; for a stream, to its headers. */
  readonly duration: number;
}

/** A failure after which the call is sent again. */
export interface RetryNote extends CallNote {
  readonly error: SvcError;
  /** Milliseconds until the next attempt. */
  readonly wait: number;
}

/** A call that failed for good. */
export interface ErrorNote extends CallNote {
  readonly error: SvcError;
}

/** A sign that a program will have to change. */
export interface DeprecationNote {
  readonly operation: string;
  /** Since when or from when the operation is deprecated: the header Deprecation (RFC 9745), unchanged. */
  readonly deprecation: string | null;
  /** When it may stop working: the header Sunset (RFC 8594), unchanged. */
  readonly sunset: string | null;
  readonly link: string | null;
  readonly requestedVersion: string | null;
  /** The version in effect. If it is not the requested one, responses may have another format. */
  readonly version: string | null;
  readonly message: string;
}

/**
 * Functions that a client calls on events. If they throw or reject, a process warning is emitted and nothing else
 * changes.
 */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  /** After each response, including errors. */
  readonly onResponse?: ((note: ResponseNote) => void) | undefined;
  /** Before each wait for a retry. */
  readonly onRetry?: ((note: RetryNote) => void) | undefined;
  /** When a call fails finally, also because of an invalid response or an interrupted stream. */
  readonly onError?: ((note: ErrorNote) => void) | undefined;
  /** Once for each operation that is deprecated or responds in another version. Default: a process warning. */
  readonly onDeprecation?: ((note: DeprecationNote) => void) | undefined;
}

/** Calls a hook, if there is one; its failure becomes a process warning. */
export function notify<Name extends keyof Hooks>(hooks: Hooks, name: Name, describe: () => Note<Name>): void {
  const hook = hooks[name] as ((note: Note<Name>) => unknown) | undefined;
  const report = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    warn(`The hook ${name} failed: ${message}`, { code: 'SVC_HOOK_FAILED' });
  };
  try {
    // The client does not wait for an asynchronous hook, but its failure must not end the process.
    const result = hook?.(describe());
    if (typeof result === 'object' && result !== null && 'then' in result) Promise.resolve(result).catch(report);
  } catch (error) {
    report(error);
  }
}

type Note<Name extends keyof Hooks> = Parameters<NonNullable<Hooks[Name]>>[0];
