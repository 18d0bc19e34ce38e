/** Every scope of the API, with what it allows; an operation needs exactly one. */
export const scopeDescriptions = {
  'audit:read': 'Read the audit log and its proofs.',
  'consent:read': 'Read consent notices, records and their proofs.',
  'consent:write': 'Create, edit, publish and archive consent notices; capture and withdraw records.',
  'controls:read': 'Read controls, frameworks, evidence, tests and readiness.',
  'controls:write': 'Adopt frameworks; change controls; add evidence, tests and results.',
  'trust:read': 'Read the settings of the trust center.',
  'trust:write': 'Change and publish the trust center.',
  'webhooks:read': 'Read webhooks and their deliveries.',
  'webhooks:write': 'Create, change and delete webhooks; send deliveries again.',
  'users:read': 'Read members, their sessions, invitations and the settings of the tenant.',
  'users:write': 'Invite, change and remove members; end their sessions; reset their second factor.',
  'keys:write': 'Create, rotate and revoke API keys and the SCIM token.',
  'dsr:read': 'Read data-subject requests.',
  'dsr:write': 'Open, extend and complete data-subject requests.',
  'breach:read': 'Read breach incidents.',
  'breach:write': 'Report and change breach incidents.',
  'tenant:write': 'Change the settings of the tenant.',
} as const;

export type Scope = keyof typeof scopeDescriptions;
export const scopes = Object.keys(scopeDescriptions) as Scope[];

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
  return Object.hasOwn(scopeDescriptions, word);
}
