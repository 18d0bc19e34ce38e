/** Every scope of the API; an operation needs exactly one. */
export const scopes = [
  'audit:read',
  'consent:read',
  'consent:write',
  'controls:read',
  'controls:write',
  'trust:read',
  'trust:write',
  'webhooks:read',
  'webhooks:write',
  'users:read',
  'users:write',
  'keys:write',
  'dsr:read',
  'dsr:write',
  'breach:read',
  'breach:write',
  'tenant:write',
] as const;

export type Scope = (typeof scopes)[number];

const read = new Map<string, ReadonlySet<Scope>>();

/** The scopes of a key as they are stored, separated by spaces. Few texts occur, and each is read once. */
export function readScopes(text: string): ReadonlySet<Scope> {
  let known = read.get(text);
  if (known === undefined) {
    known = new Set(text.split(' ').filter(isScope));
    if (read.size < maximumTexts) read.set(text, known);
  }
  return known;
}

const maximumTexts = 1000;

/** Whether a word is one of our scopes. */
export function isScope(word: string): word is Scope {
  return (scopes as readonly string[]).includes(word);
}
