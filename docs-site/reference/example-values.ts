import type { Schema } from './document.ts';
import { nameOf, type Reference } from './reference.ts';

const hash = 'sha256:9f2c1d7ab0e34f6c8a5b17d2e0c94f3b6a8d5c21e7f0934ab6c8d1e25f70a3b4';
const id = '019aa4c2-7b1e-7d33-9c41-5f0e2b8a6d17';

/** What a field shows in examples, by its name; what is not here follows from its schema. */
const values: Readonly<Record<string, unknown>> = {
  subjectId: 'customer-42',
  name: 'Shop',
  controllerName: 'Example Ltd',
  domain: 'shop.example.com',
  language: 'en',
  label: 'Analytics',
  description: 'Counts visits.',
  email: 'ada@example.com',
  userName: 'ada@example.com',
  actorEmail: 'ada@example.com',
  displayName: 'Ada Lovelace',
  givenName: 'Ada',
  familyName: 'Lovelace',
  tenantSlug: 'acme',
  slug: 'acme',
  ledgerHash: hash,
  prevLedgerHash: hash,
  hash,
  prevHash: hash,
  module: 'consent',
  action: 'consent.recorded',
  url: 'https://hooks.example.com/svc',
  headline: 'How we keep your data',
  contactEmail: 'privacy@example.com',
  title: 'Access is reviewed',
  code: 'GDPR',
  reason: null,
  requestId: '0b6c8f4e-2f0e-4d0a-8d7e-8a1f5f7c2b11',
  purpose: 'analytics',
  noticeContentHash: hash.slice(7),
  contentHash: hash.slice(7),
  sha256: hash.slice(7),
  ipHash: hash.slice(7),
  uaHash: hash.slice(7),
  nextCursor: null,
  cursor: null,
  secret: 'whsec_…',
  key: 'analytics',
  token: 'scim_…',
  access_token: 'svc_at_…',
  method: 'banner',
  eventType: 'consent.recorded',
  totpURI: 'otpauth://totp/Svc:ada%40example.com?secret=…&issuer=Svc',
  ip: null,
  userAgent: null,
  diff: { name: ['Shop', 'Web shop'] },
};

/** Makes a value that a schema takes and that reads like a real one. */
export function makeExample(schema: Schema, reference: Reference, field = '', trail: readonly string[] = []): unknown {
  const name = nameOf(schema);
  if (name !== null && trail.includes(name)) return null;
  const { const: only, enum: allowed, default: fallback, anyOf, oneOf, ...resolved } = reference.resolve(schema);
  const deeper = name === null ? trail : [...trail, name];
  if (only !== undefined) return only;
  if (allowed !== undefined) return allowed[0];
  const type = Array.isArray(resolved.type) ? resolved.type.find((one) => one !== 'null') : resolved.type;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) {
    const isNullable = choices.some((choice) => choice.type === 'null');
    if (isNullable && Object.hasOwn(values, field) && values[field] === null) return null;
    return makeExample(choices[0] ?? {}, reference, field, deeper);
  }
  if (type === 'object') return makeObject(resolved, reference, deeper);
  if (type === 'array') {
    const { items = {}, prefixItems } = resolved;
    if (prefixItems !== undefined) return prefixItems.map((item) => makeExample(item, reference, field, deeper));
    // What holds itself ends here, and what holds nothing is empty.
    if (deeper.includes(nameOf(items) ?? '') || items.not !== undefined) return [];
    const count = Math.min(Math.max(1, resolved.minItems ?? 1), 3);
    return Array.from({ length: count }, () => makeExample(items, reference, field.replace(/s$/, ''), deeper));
  }
  if (type === 'boolean') return typeof fallback === 'boolean' ? fallback : true;
  if (type === 'integer' || type === 'number')
    return typeof fallback === 'number' ? fallback : Math.max(resolved.minimum ?? 1, 1);
  if (type === 'string') return makeText(resolved, field);
  return Object.hasOwn(values, field) ? values[field] : {};
}

function makeObject(
  { properties, additionalProperties, propertyNames }: Schema,
  reference: Reference,
  trail: readonly string[],
): object {
  const fields = Object.entries(properties ?? {}).map(([name, schema]) => [
    name,
    makeExample(schema, reference, name, trail),
  ]);
  if (properties === undefined && typeof additionalProperties === 'object') {
    const key = propertyNames?.enum?.[0] ?? 'analytics';
    fields.push([String(key), makeExample(additionalProperties, reference, '', trail)]);
  }
  return Object.fromEntries(fields);
}

function makeText({ format, pattern, minLength = 0, maxLength }: Schema, field: string): string {
  const named = values[field];
  if (format === 'uuid') return id;
  if (format === 'date-time') return '2026-11-21T09:30:00.123Z';
  if (format === 'date') return '2026-11-21';
  if (format === 'email') return 'ada@example.com';
  if (format === 'uri')
    return typeof named === 'string' && named.startsWith('http') ? named : 'https://example.com/policy';
  if (typeof named === 'string' && (pattern === undefined || new RegExp(pattern).test(named))) return named;
  const text = field === '' ? 'text' : field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.padEnd(minLength, '.').slice(0, maxLength ?? text.length + minLength);
}
