import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Surface } from '../http/answer.ts';
import { Problem, type ProblemCode } from '../http/problem.ts';
import { type Client, readJsonBody, readOwnAddress } from '../http/request.ts';
import { namedObject, schemasOf } from '../http/schemas.ts';
import { type Attributes, invalidValue, longestPath, quote, readAttributes } from './attribute.ts';

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
const renamed: Partial<Record<ProblemCode, Pick<Problem, 'status' | 'code'>>> = {
  invalid_json: { status: 400, code: 'invalidSyntax' },
  validation_failed: { status: 400, code: 'invalidValue' },
};

/** RFC 7644 section 3.12. */
const ScimError = namedObject('ScimError', {
  schemas: schemasOf(errorUrn),
  status: z.string().meta({ description: 'The HTTP status, as text.' }),
  scimType: z
    .enum([...scimTypes])
    .optional()
    .meta({ description: 'What is wrong, if the status is not specific enough.' }),
  detail: z.string().meta({ description: 'What is wrong and what to do about it, in plain text.' }),
});

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
      'conflict',
      'rate_limited',
      'internal_error',
      'unavailable',
    ],
    bodyCodes: ['invalidSyntax', 'payload_too_large', 'unsupported_media_type'],
    nameCode: (code) => (scimTypes.has(code) ? code : null),
    sendsLocation: true,
  },
  admitsFirst: true,
  isVersioned: false,
  readBody: (request: IncomingMessage) => readJsonBody(request, bodyLimit, [scimType, 'application/json']),
  present: (resource) => JSON.stringify(resource),
  presentProblem(problem: Problem) {
    const { status, code: type } = renamed[problem.code] ?? problem;
    const body = {
      schemas: [errorUrn],
      status: String(status),
      ...(scimTypes.has(type) && { scimType: type }),
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
 * @throws {Problem} `validation_failed` for an invalid Host.
 */
export function createLocate(baseUrl: string | null, client: Pick<Client, 'host'>): Locate {
  const address = readOwnAddress(baseUrl, client);
  return (path) => address + scim.base + path;
}

/**
 * Reads the body of a request.
 * @param urn which `schemas` must contain (RFC 7643 section 3), in any case.
 * @throws {Problem} `invalidSyntax` if the body is not an object, `invalidValue` for other schemas.
 */
export function readMessage(body: unknown, urn: string): Attributes {
  const message = readAttributes(body, 'The body', urn, 'invalidSyntax');
  const schemas = message.get('schemas');
  const isUrn = (schema: unknown) =>
    typeof schema === 'string' && schema.length === urn.length && schema.toLowerCase() === urn.toLowerCase();
  if (!Array.isArray(schemas) || !schemas.some(isUrn))
    throw invalidValue(`schemas must be an array that contains ${urn}.`);
  return message;
}

/** The `meta` of a resource. Its parts are optional because of `attributes` and `excludedAttributes`. */
export function metaOf<Type extends string, Times extends z.ZodRawShape>(type: Type, times: Times) {
  return z
    .strictObject({ resourceType: z.literal(type).optional(), ...times, location: z.url().optional() })
    .meta({ id: `Scim${type}Meta` })
    .optional();
}

/** The `schemas` of a body, for the documentation. */
export function schemasInput(urn: string) {
  return z.array(z.string()).meta({ description: `Contains ${urn}.` });
}

/**
 * A resource in a body, which the handler reads itself, because its names compare without case.
 * @param id of the schema in the OpenAPI document, with this shape.
 */
export function readByHand(id: string, urn: string, shape: z.ZodRawShape): z.ZodType<unknown> {
  return z.unknown().meta({ documentedAs: z.looseObject({ schemas: schemasInput(urn), ...shape }).meta({ id }) });
}

/** Providers send at most a hundred, and many members of a group in one operation. */
const mostOperations = 1000;

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The body of a PATCH, for the documentation. */
export const PatchBody = z.unknown().meta({
  documentedAs: z
    .object({
      schemas: schemasInput(patchUrn),
      Operations: z
        .array(
          z
            .object({
              op: z.enum(['add', 'remove', 'replace']),
              path: z.string().optional(),
              value: z.unknown().optional().meta({ description: 'Any JSON value; optional for `remove`.' }),
            })
            .meta({ id: 'ScimPatchOperation' }),
        )
        .min(1)
        .max(mostOperations),
    })
    .meta({ id: 'ScimPatch' }),
});

/** One operation of a PATCH (RFC 7644 section 3.5.2), not yet checked against a resource. */
export interface PatchOperation {
  /** In lower case; empty if it is missing. */
  readonly op: string;
  /** Null for an operation on the resource itself. */
  readonly path: string | null;
  /** Undefined if it is missing. */
  readonly value: unknown;
}

/**
 * Reads the body of a PATCH (RFC 7644 section 3.5.2).
 * @throws {Problem} `invalidSyntax`, `invalidPath`, or `invalidValue` for other schemas.
 */
export function readPatch(body: unknown): readonly PatchOperation[] {
  const operations = readMessage(body, patchUrn).get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw new Problem('invalidSyntax', 'Operations must be an array with at least one operation.');
  if (operations.length > mostOperations)
    throw new Problem('invalidSyntax', `Operations may have at most ${mostOperations} operations.`);
  return operations.map((given, index) => {
    const where = `Operations[${index}]`;
    const operation = readAttributes(given, where, patchUrn, 'invalidSyntax');
    const op = operation.get('op');
    const path = operation.get('path') ?? null;
    if (path !== null && typeof path !== 'string') throw new Problem('invalidPath', `${where}.path must be a string.`);
    if (path !== null && path.length > longestPath)
      throw new Problem('invalidPath', `${where}.path is too long: ${quote(path)}.`);
    return { op: typeof op === 'string' ? op.slice(0, 20).toLowerCase() : '', path, value: operation.get('value') };
  });
}

/** The operations that RFC 7644 section 3.5.2 defines. */
export type PatchKind = 'add' | 'remove' | 'replace';

export function isOperation(op: string): op is PatchKind {
  return op === 'add' || op === 'remove' || op === 'replace';
}
