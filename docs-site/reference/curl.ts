import { writeJson } from '../../server/site/documentation/write-json.ts';
import type { Operation } from './reference.ts';
import { readRequestExample } from './request-examples.ts';
import { readPathExamples } from './variables.ts';

/** Characters of a line of JSON in the narrow column of examples. */
export const exampleColumns = 60;

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
  const text = writeJson(body, exampleColumns);
  const hasVariables = /"\$[A-Z_]+"/.test(text);
  // Not --json: curl has it since 7.82 only, and systems that are supported still come with older ones.
  const flag = `-H 'Content-Type: ${type}' -d`;
  return [hasVariables ? `${flag} @- <<JSON\n${text.replaceAll('"$', '"$')}\nJSON` : `${flag} '${text}'`];
}
