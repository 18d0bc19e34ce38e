import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Surface } from '../http/answer.ts';
import { Problem, type ProblemCode } from '../http/problem.ts';
import { type Client, readJsonBody, readOwnAddress } from '../http/request.ts';
import { namedObject, schemasOf } from '../http/schemas.ts';

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

/** An object of a message: values by lower-case names, which compare without case (RFC 7643 section 2.1). */
export type Attributes = ReadonlyMap<string, unknown>;

export function invalidValue(message: string): Problem {
  return new Problem('invalidValue', message);
}

/** Quotes text of the client for a message, cut to 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);
}

/** The maximum length of an attribute name or a path, which may contain a filter. */
export const longestPath = 1024;

/** The name of an attribute in lower case, without the URN of the schema (RFC 7644 section 3.10). */
export function attributeName(path: string, urn: string): string {
  const name = path.toLowerCase();
  const prefix = `${urn.toLowerCase()}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/**
 * Reads an object.
 * @param where its name in error messages.
 * @param code of the problem if the value is not an object.
 * @throws {Problem} `code`; `invalidSyntax` for a name that is too long, or that occurs twice in different case.
 */
export function readAttributes(
  value: unknown,
  where: string,
  urn: string,
  code: 'invalidSyntax' | 'invalidValue' = 'invalidValue',
): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(code, `${where} must be an object.`);
  const attributes = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    if (name.length > longestPath)
      throw new Problem('invalidSyntax', `${where} has a name that is too long: ${quote(name)}.`);
    const key = attributeName(name, urn);
    if (attributes.has(key)) throw new Problem('invalidSyntax', `${where} has ${quote(name)} more than once.`);
    attributes.set(key, member);
  }
  return attributes;
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

/** Reads a boolean. Entra sends "True" and "False" unless its `aadOptscim062020` flag is set. */
export function readFlag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' && value.length <= 'false'.length ? value.toLowerCase() : '';
  if (word !== 'true' && word !== 'false') throw invalidValue(`${where} must be true or false.`);
  return word === 'true';
}

/** Reads a string; null clears it (RFC 7643 section 2.5), undefined means that it was omitted. */
export function readText(value: unknown, where: string, longest: number): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string' || value.length > longest)
    throw invalidValue(`${where} must be a string of at most ${longest} characters.`);
  return value;
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
