import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Client } from '../http/client.ts';
import { findOwnAddress } from '../http/client.ts';
import { readJsonBody } from '../http/input.ts';
import type { Problem, ProblemCode } from '../http/problem.ts';
import { schemasOf } from '../http/schemas.ts';
import type { Surface } from '../http/surface.ts';
import { invalidValue } from './message.ts';

/** RFC 7644 section 3.1. */
const scimType = 'application/scim+json';
const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The maximum size of a body under /scim/v2, in bytes (contract.md "Headers"). */
const bodyLimit = 1024 * 1024;

/** Our codes among the values of scimType that RFC 7644 section 3.12 defines. */
const scimTypes: ReadonlySet<string> = new Set([
  'invalidFilter',
  'invalidPath',
  'invalidSyntax',
  'invalidValue',
  'mutability',
  'noTarget',
  'uniqueness',
]);

/** Codes that every surface shares, as SCIM reports them: it has no 422. */
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
      .meta({ description: 'What is wrong, if the status is not specific enough.' }),
    detail: z.string().meta({ description: 'What is wrong and what to do about it, in plain text.' }),
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

/** Returns the address of a resource from its path: `/Users/0190…`. */
export type Locate = (path: string) => string;

/**
 * Absolute addresses for `meta.location` and `Location` (RFC 7644 section 3.1).
 * @param baseUrl the public address of this server; null to use the Host header.
 * @throws {Problem} `invalidValue` for an invalid Host.
 */
export function createLocate(baseUrl: string | null, client: Pick<Client, 'host'>): Locate {
  const address = findOwnAddress(baseUrl, client);
  if (address === null) throw invalidValue('The Host header must be a host and a port.');
  return (path) => address + scim.base + path;
}
