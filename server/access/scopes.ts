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

/** Whether a word is one of our scopes. */
export function isScope(word: string): word is Scope {
  return (scopes as readonly string[]).includes(word);
}
