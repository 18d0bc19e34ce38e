import { z } from 'zod';
import { readFormBody } from '../http/body.ts';
import { Problem, type ProblemCode } from '../http/problem.ts';
import type { Surface } from '../http/surface.ts';
import { withClientCredentials } from './oauth-client.ts';

/** The most bytes of a token request: a key, an id and every scope need a fraction of it. */
const bodyLimit = 8 * 1024;

/** The codes of RFC 6749 section 5.2 that are codes of ours. */
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
 * OAuth 2.0: forms in, bare JSON out, errors in the form of RFC 6749 section 5.2. The client shows its credentials in
 * the Authorization header or in the form (section 2.3.1); operations find them in the form either way.
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
    const form = Object.fromEntries(given);
    return { bytes, value: withClientCredentials(form, request.headers.authorization) };
  },
  present: (result) => JSON.stringify(result),
  presentProblem: (problem) => ({
    status: problem.code === 'validation_failed' ? 400 : problem.status,
    body: { error: nameError(problem), error_description: describeError(problem) },
  }),
};

/** What the failures that every surface shares are called here; RFC 6749 names them in sections 5.2 and 4.1.2.1. */
function nameError({ code, status }: Problem): string {
  if (oauthCodes.includes(code)) return code;
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** In the characters that section 5.2 allows. */
function describeError({ message }: Problem): string {
  return message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
