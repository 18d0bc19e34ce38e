import type { Purposes } from './stub/stored-decision.ts';

export type { Purposes } from './stub/stored-decision.ts';

/** One thing the visitor may allow. A required purpose cannot be refused. */
export interface Purpose {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
}

/** The public form of a published consent notice. */
export interface Notice {
  readonly id: string;
  readonly name: string;
  readonly controllerName: string;
  readonly language: string;
  readonly domain: string;
  readonly purposes: readonly Purpose[];
  readonly version: number;
}

/** Parses a server response as a notice, or throws an error that names the first invalid field. */
export function parseNotice(body: unknown, noticeId: string): Notice {
  const notice = readObject(readObject(body, 'the answer').data, 'data');
  for (const field of ['id', 'name', 'controllerName', 'language', 'domain']) readText(notice, field, 'data');
  if (String(notice.id).toLowerCase() !== noticeId.toLowerCase()) fail('data.id', `be ${noticeId}`);
  if (!Number.isSafeInteger(notice.version)) fail('data.version', 'be an integer');
  if (!Array.isArray(notice.purposes) || !notice.purposes.length) fail('data.purposes', 'be a list with a purpose');
  const keys = new Set();
  for (const [index, entry] of (notice.purposes as unknown[]).entries()) {
    const path = `data.purposes[${index}]`;
    const purpose = readObject(entry, path);
    for (const field of ['key', 'label', 'description']) readText(purpose, field, path);
    if (typeof purpose.required !== 'boolean') fail(`${path}.required`, 'be true or false');
    if (keys.size === keys.add(purpose.key).size) fail(`${path}.key`, 'be there only once');
  }
  return notice as unknown as Notice;
}

/** Completes a decision for all purposes of a notice: required ones are always true. */
export function decidePurposes(notice: Notice, isGranted: (purpose: Purpose, index: number) => boolean): Purposes {
  const decided = notice.purposes.map((purpose, index) => [purpose.key, purpose.required || isGranted(purpose, index)]);
  return Object.freeze(Object.fromEntries(decided));
}

function readObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) fail(path, 'be an object');
  return value as Record<string, unknown>;
}

function readText(object: Record<string, unknown>, field: string, path: string): void {
  if (typeof object[field] !== 'string') fail(`${path}.${field}`, 'be text');
}

function fail(path: string, rule: string): never {
  throw new Error(`${path} must ${rule}`);
}
