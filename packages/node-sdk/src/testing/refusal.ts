import type { Detail } from './validate.ts';

/** An answer that is an error, as spec.md "Errors" has it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly more: RefusalParts;

  constructor(status: number, code: string, message: string, more: RefusalParts = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
  }

  /** The text of the body. */
  toBody(requestId: string): string {
    const { fields, details } = this.more;
    const { code, message } = this;
    return JSON.stringify({ error: { code, message, ...fields, ...(details && { details }), requestId } });
  }
}

interface RefusalParts {
  /** Further fields inside `error`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly details?: readonly Detail[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Values that break their rules; the message repeats the first. */
export function invalidValues(details: readonly Detail[]): Refusal {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  const message = `${first?.path}: ${first?.issue}${more}`;
  return new Refusal(422, 'validation_failed', message, { details: details.slice(0, 100) });
}

/** What is wrong with the time of an event; null for nothing. */
export function findPastFault(time: string, now: string, ahead = 0): string | null {
  if (time < '2000-01-01T00:00:00.000Z') return 'must not be before 2000-01-01';
  const latest = new Date(Date.parse(now) + ahead).toISOString();
  return time > latest ? `must not be in the future; here it is ${now}` : null;
}

export function requirePast(path: string, time: string, now: string, ahead = 0): void {
  const issue = findPastFault(time, now, ahead);
  if (issue !== null) throw invalidValues([{ path, issue }]);
}

export function notFound(what: string): Refusal {
  return new Refusal(404, 'not_found', `There is no such ${what}.`);
}

/** The 501 of what the test must tell. */
export function notTold(operation: string): Refusal {
  const message = `The test server has no state for this operation. Tell it what to answer: server.respond('${operation}', …)`;
  return new Refusal(501, 'not_implemented', message);
}
