import { z } from 'zod';
import type { Surface } from '../http/answer.ts';
import { Problem, type ProblemCode } from '../http/problem.ts';
import { readFormBody } from '../http/request.ts';

/** The most bytes of a token request; a key, an id and every scope need much less. */
const bodyLimit = 8 * 1024;

/** The codes of RFC 6749 section 5.2 that the REST API has too. */
const oauthCodes: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
];

/** RFC 6749 section 5.2. */
const OauthError = z
  .strictObject({
    error: z.enum([...oauthCodes, 'temporarily_unavailable', 'server_error']),
    error_description: z.string().meta({ description: 'What is wrong and what to do about it, for people.' }),
  })
  .meta({ id: 'OauthError' });

/**
 * OAuth 2.0: form requests, JSON answers, errors in the form of RFC 6749 section 5.2. A client sends its credentials in
 * the Authorization header or in the form (section 2.3.1); operations read them from the form in both cases.
 */
export const oauth: Surface = {
  base: '/oauth',
  answerType: 'application/json; charset=utf-8',
  bodyTypes: ['application/x-www-form-urlencoded'],
  text: {
    errors: OauthError,
    commonCodes: ['not_found', 'method_not_allowed', 'rate_limited', 'internal_error', 'unavailable'],
    bodyCodes: ['payload_too_large', 'unsupported_media_type'],
    nameCode: (code) => nameError(new Problem(code, '')),
    tellsLocation: false,
  },
  admitsFirst: false,
  isVersioned: false,
  async readBody(request) {
    const { bytes, value } = await readFormBody(request, bodyLimit);
    // "Parameters sent without a value MUST be treated as if they were omitted" (section 3.2).
    const given = Object.entries(value as Record<string, string>).filter(([, text]) => text !== '');
    return { bytes, value: withClientCredentials(Object.fromEntries(given), request.headers.authorization) };
  },
  present: (result) => JSON.stringify(result),
  presentProblem: (problem) => ({
    status: problem.code === 'validation_failed' ? 400 : problem.status,
    body: {
      error: nameError(problem),
      // The characters that section 5.2 allows.
      error_description: problem.message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'"),
    },
  }),
};

/** The OAuth code of an error of any surface (RFC 6749 sections 5.2 and 4.1.2.1). */
function nameError({ code, status }: Problem): string {
  if (oauthCodes.includes(code)) return code;
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

type Form = Readonly<Record<string, string>>;

/**
 * Adds the client credentials of the Authorization header to a form.
 * @param header the Authorization header of the request.
 * @throws {Problem} `invalid_request` for credentials in more than one place (RFC 6749 section 2.3), `invalid_client`
 *   for a header that is not Basic.
 */
export function withClientCredentials(form: Form, header: string | undefined): Form {
  if (header === undefined) return form;
  const credentials = readBasic(header);
  const isOtherId = form.client_id !== undefined && form.client_id !== credentials.client_id;
  if (form.client_secret !== undefined || isOtherId)
    throw new Problem(
      'invalid_request',
      'Send the client credentials in the Authorization header or the form, not both.',
    );
  return { ...form, ...credentials };
}

/** RFC 6749 section 2.3.1: each part is encoded as in a form, then both as in HTTP Basic (RFC 7617). */
function readBasic(header: string): { readonly client_id: string; readonly client_secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] ?? '';
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString());
  if (parts === null) throw invalidClient();
  try {
    const [client_id = '', client_secret = ''] = parts
      .slice(1)
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    return { client_id, client_secret };
  } catch {
    throw invalidClient();
  }
}

/** RFC 6749 section 5.2: the same error for an unknown id and a wrong secret. */
export function invalidClient(): Problem {
  return new Problem(
    'invalid_client',
    'Send the id of an API key as client_id and the key as client_secret; these are unknown, expired or revoked.',
    { headers: { 'WWW-Authenticate': 'Basic realm="svc"' } },
  );
}
