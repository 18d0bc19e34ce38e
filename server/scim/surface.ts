import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJsonBody } from '../http/body.ts';
import type { Problem, ProblemCode } from '../http/problem.ts';
import { schemasOf } from '../http/schemas.ts';
import type { Surface } from '../http/surface.ts';

/** The media type of RFC 7644 section 3.1. */
export const scimType = 'application/scim+json';
export const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The most bytes of a body under /scim/v2 (contract.md "Headers"). */
const bodyLimit = 1024 * 1024;

/** The values of scimType that RFC 7644 section 3.12 defines, as far as they are codes of ours. */
const scimTypes: ReadonlySet<string> = new Set([
  'invalidFilter',
  'invalidPath',
  'invalidSyntax',
  'invalidValue',
  'mutability',
  'noTarget',
  'uniqueness',
]);

/** What the failures that every surface shares are called here; SCIM knows no 422. */
const renamed: Partial<Record<ProblemCode, { readonly status: number; readonly scimType: string }>> = {
  invalid_json: { status: 400, scimType: 'invalidSyntax' },
  validation_failed: { status: 400, scimType: 'invalidValue' },
};

/** RFC 7644 section 3.12. */
const ScimError = z
  .strictObject({
    schemas: schemasOf(errorUrn),
    status: z.string().meta({ description: 'The HTTP status, as text.' }),
    scimType: z
      .enum([...scimTypes])
      .optional()
      .meta({ description: 'What is wrong, where the status alone does not tell it.' }),
    detail: z.string().meta({ description: 'What is wrong and what to do about it, for people.' }),
  })
  .meta({ id: 'ScimError' });

/** SCIM 2.0: bare resources, and errors in the form of RFC 7644 section 3.12. */
export const scim: Surface = {
  base: '/scim/v2',
  answerType: scimType,
  bodyTypes: [scimType, 'application/json'],
  text: {
    errors: ScimError,
    commonCodes: [
      'invalidValue',
      'unauthenticated',
      'not_found',
      'method_not_allowed',
      'rate_limited',
      'internal_error',
      'unavailable',
    ],
    bodyCodes: ['invalidSyntax', 'payload_too_large', 'unsupported_media_type'],
    nameCode: (code) => (scimTypes.has(code) ? code : null),
    tellsLocation: true,
  },
  admitsFirst: true,
  isVersioned: false,
  readBody: (request: IncomingMessage) => readJsonBody(request, bodyLimit, [scimType, 'application/json']),
  present: (resource) => JSON.stringify(resource),
  presentProblem(problem: Problem) {
    const { status, scimType: type } = renamed[problem.code] ?? {
      status: problem.status,
      scimType: scimTypes.has(problem.code) ? problem.code : undefined,
    };
    const body = {
      schemas: [errorUrn],
      status: String(status),
      ...(type && { scimType: type }),
      detail: problem.message,
    };
    return { status, body };
  },
};
