/** The placeholders of an example for the reader's values: `$NOTICE` in the shell, `noticeId` in TypeScript. */
const pathVariables: Readonly<Record<string, string>> = {
  '/v1/audit/{id}': '$EVENT',
  '/v1/consent/{id}': '$NOTICE',
  '/v1/consent/{id}/records/{recordId}': '$RECORD',
  '/v1/consent/subjects/{subjectId}': '$SUBJECT',
  '/v1/public/consent/{noticeId}': '$NOTICE',
  '/v1/public/dsr/{slug}': '$TENANT',
  '/v1/public/trust/{slug}': '$TENANT',
  '/v1/control-framework/frameworks/{code}': 'GDPR',
  '/v1/control-framework/controls/{controlId}': '$CONTROL',
  '/v1/control-framework/controls/{controlId}/evidence/{evidenceId}': '$EVIDENCE',
  '/v1/control-framework/controls/{controlId}/tests/{testId}': '$TEST',
  '/v1/me/sessions/{id}': '$SESSION',
  '/v1/users/{id}': '$USER',
  '/v1/users/{id}/sessions/{sessionId}': '$SESSION',
  '/v1/users/invitations/{id}': '$INVITATION',
  '/v1/api-keys/{id}': '$API_KEY',
  '/v1/dsr/{id}': '$REQUEST',
  '/v1/breach/{id}': '$INCIDENT',
  '/v1/webhooks/{id}': '$WEBHOOK',
  '/v1/webhooks/deliveries/{id}': '$DELIVERY',
  '/v1/webhooks/redeliveries/{id}': '$REDELIVERY',
  '/scim/v2/Users/{id}': '$USER',
  '/scim/v2/Groups/{role}': 'auditor',
  '/scim/v2/Schemas/{id}': 'urn:ietf:params:scim:schemas:core:2.0:User',
  '/scim/v2/ResourceTypes/{id}': 'User',
};

/** The example of each parameter of a path, by its name. */
export function readPathExamples(path: string): Readonly<Record<string, string>> {
  const examples = [...path.matchAll(/\{(\w+)\}/g)].map(({ 0: whole, 1: name = '', index }) => {
    const upTo = path.slice(0, index + whole.length);
    // A parameter that is new gets the name that it has.
    return [name, pathVariables[upTo] ?? `$${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`] as const;
  });
  return Object.fromEntries(examples);
}

/** True if an example is a placeholder for a value of the reader. */
export function isVariable(value: unknown): value is string {
  return typeof value === 'string' && /^\$[A-Z_]+$/.test(value);
}

const plainNames: Readonly<Record<string, string>> = {
  $SUBJECT: 'subjectId',
  $TENANT: 'slug',
  $CODE: 'code',
  $HASH: 'hash',
  $TOKEN: 'token',
};

/** Name of a variable in TypeScript. */
export function nameVariable(variable: string): string {
  const words = variable.slice(1).toLowerCase();
  return plainNames[variable] ?? `${words.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())}Id`;
}
