import type { Operation } from './reference.ts';
import { readRequestExample } from './request-examples.ts';
import { readPathExamples } from './variables.ts';

/** Writes the call of an operation for the shell. It runs as it is where the variables have values. */
export function writeCurl(operation: Operation): string {
  const { method, path, requestBody } = operation;
  const { body, query = {} } = readRequestExample(operation);
  const target = Object.entries(readPathExamples(path)).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, value),
    path,
  );
  const [type = ''] = Object.keys(requestBody?.content ?? {});
  // The query of an upload is in the address, because the body is the file.
  const isPlain = typeof body === 'string' || Object.values(query).every((value) => /^[\w.-]+$/.test(value));
  const search = isPlain && Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : '';
  const isSent = body !== undefined;
  const words = [
    ...(method === 'GET' || (method === 'POST' && isSent) ? [] : [`-X ${method}`]),
    ...readCredentials(operation),
    ...readHeaders(operation),
    ...(isPlain ? [] : Object.entries(query).map(([name, value]) => `--data-urlencode '${name}=${value}'`)),
    ...(isSent ? writeBody(body, type) : []),
  ];
  return [`curl${isPlain ? '' : ' -G'} "$BASE${target}${search}"`, ...words].join(' \\\n  ');
}

function readCredentials({ path, security = [], method, operationId }: Operation): readonly string[] {
  const schemes = security.flatMap((one) => Object.keys(one));
  if (schemes.includes('apiKey')) return ['-H "Authorization: Bearer $KEY"'];
  if (schemes.includes('scimToken')) return ['-H "Authorization: Bearer $SCIM_TOKEN"'];
  // In a session, whatever changes something must come from a page of this server.
  if (schemes.includes('session')) return ['-b cookies.txt', ...(method === 'GET' ? [] : ['-H "Origin: $BASE"'])];
  if (['signIn', 'answerChallenge', 'acceptInvitation'].includes(operationId)) return ['-c cookies.txt'];
  return path.startsWith('/v1/public/consent/') && method === 'POST' ? ["-H 'Origin: https://example.com'"] : [];
}

function readHeaders({ parameters, operationId }: Operation): readonly string[] {
  const isWanted = parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key' && one.required);
  return isWanted ? [`-H 'Idempotency-Key: ${operationId}-0001'`] : [];
}

/** A body without variables is in single quotes; one with variables in a here-document, where the shell expands them. */
function writeBody(body: object | string, type: string): readonly string[] {
  if (typeof body === 'string') return [`-H 'Content-Type: ${type}' --data-binary '${body}'`];
  if (type === 'application/x-www-form-urlencoded')
    return Object.entries(body).map(([name, value]) =>
      String(value).startsWith('$') ? `-d "${name}=${value}"` : `-d ${name}=${value}`,
    );
  const text = writeJson(body);
  const hasVariables = /"\$[A-Z_]+"/.test(text);
  // Not --json: curl has it since 7.82 only, and systems that are supported still come with older ones.
  const flag = `-H 'Content-Type: ${type}' -d`;
  return [hasVariables ? `${flag} @- <<JSON\n${text.replaceAll('"$', '"$')}\nJSON` : `${flag} '${text}'`];
}

/** JSON over lines, but short lists and objects in one. */
export function writeJson(value: unknown, indent = ''): string {
  const short = writeShort(value);
  if (typeof value !== 'object' || value === null || short.length + indent.length <= 60) return short;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + writeJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${writeJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function writeShort(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeShort).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${writeShort(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
