import { Refusal } from './refusal.ts';

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error';
const mostResources = 100;
const lastIndex = 2 ** 31 - 1;

const scimTypes = ['invalidFilter', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability', 'noTarget'] as const;
type ScimType = (typeof scimTypes)[number];
/** What the failures that every surface has are called here. */
const renamed: Readonly<Record<string, ScimType>> = {
  invalid_json: 'invalidSyntax',
  validation_failed: 'invalidValue',
};

/** An object of a message: its values by their names in small letters, which compare without case. */
export type Attributes = ReadonlyMap<string, unknown>;

/** A 400 that says in SCIM's words what is wrong. */
export function refuse(type: ScimType, message: string): Refusal {
  return new Refusal(400, type, message);
}

/** The error as SCIM has it (RFC 7644 section 3.12). */
export function presentRefusal({ status, code, message }: Refusal): { readonly status: number; readonly body: object } {
  const other = renamed[code];
  const type = other ?? (code === 'uniqueness' ? code : scimTypes.find((one) => one === code));
  const sent = other === undefined ? status : 400;
  return {
    status: sent,
    body: { schemas: [errorUrn], status: String(sent), ...(type && { scimType: type }), detail: message },
  };
}

/** A text of the client's as a message may repeat it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);
}

/** The name of an attribute in small letters, without the URN of the schema. */
export function attributeName(path: string, urn: string): string {
  const name = path.toLowerCase();
  const prefix = `${urn.toLowerCase()}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Reads an object. @param where what a message calls it. */
export function readAttributes(
  value: unknown,
  where: string,
  urn: string,
  type: 'invalidSyntax' | 'invalidValue' = 'invalidValue',
): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(type, `${where} must be an object.`);
  const attributes = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    const key = attributeName(name, urn);
    if (attributes.has(key)) throw refuse('invalidSyntax', `${where} gives ${quote(name)} more than once.`);
    attributes.set(key, member);
  }
  return attributes;
}

/** Reads the object that a body is, which must name its schema. */
export function readMessage(body: unknown, urn: string): Attributes {
  const message = readAttributes(body, 'The body', urn, 'invalidSyntax');
  const schemas = message.get('schemas');
  const isNamed = (schema: unknown) => typeof schema === 'string' && schema.toLowerCase() === urn.toLowerCase();
  if (!Array.isArray(schemas) || !schemas.some(isNamed))
    throw refuse('invalidValue', `schemas must be an array that contains ${urn}.`);
  return message;
}

/** Reads a boolean, also one that is written as a text. */
export function readFlag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word !== 'true' && word !== 'false') throw refuse('invalidValue', `${where} must be true or false.`);
  return word === 'true';
}

/** Reads the one comparison that a filter may be. */
export function readFilter(text: string, urn: string, attributes: readonly string[]) {
  const [, path = '', literal = ''] = /^ *([^\s"()[\]]+) +eq +(".*") *$/is.exec(text) ?? [];
  const attribute = attributeName(path, urn);
  const value = readLiteral(literal);
  if (value === undefined || !attributes.some((name) => name.toLowerCase() === attribute)) {
    const examples = attributes.map((name) => `${name} eq "…"`).join(' or ');
    throw refuse('invalidFilter', `A filter is one comparison: ${examples}, with the value as a JSON string.`);
  }
  return { attribute, value };
}

function readLiteral(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

type Query = Readonly<Record<string, string | undefined>>;

/** One page of a list (RFC 7644 section 3.4.2). */
export function presentPage<Item>(items: readonly Item[], query: Query, view: (item: Item) => object): object {
  const { startIndex, count } = readPage(query);
  const page = items.slice(startIndex - 1, startIndex - 1 + count).map(view);
  return { schemas: [listUrn], totalResults: items.length, startIndex, itemsPerPage: page.length, Resources: page };
}

/** Reads which page is asked for. */
export function readPage(query: Query): { readonly startIndex: number; readonly count: number } {
  const [startIndex, count] = [readInteger('startIndex', query, 1), readInteger('count', query, mostResources)];
  return {
    startIndex: Math.min(Math.max(startIndex, 1), lastIndex),
    count: Math.min(Math.max(count, 0), mostResources),
  };
}

function readInteger(name: string, query: Query, fallback: number): number {
  const text = query[name] ?? String(fallback);
  if (!/^-?\d+$/.test(text)) throw refuse('invalidValue', `${name} must be a whole number.`);
  return Number(text);
}

/** One operation of a PATCH as it was written. */
export interface PatchOperation {
  readonly op: string;
  readonly path: string | null;
  readonly value: unknown;
}

/** Reads the message of a PATCH (RFC 7644 section 3.5.2). */
export function readPatch(body: unknown): readonly PatchOperation[] {
  const operations = readMessage(body, patchUrn).get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw refuse('invalidSyntax', 'Operations must be an array of one operation or more.');
  return operations.map((one, index) => {
    const where = `Operations[${index}]`;
    const operation = readAttributes(one, where, patchUrn, 'invalidSyntax');
    const op = operation.get('op');
    const path = operation.get('path') ?? null;
    if (path !== null && typeof path !== 'string') throw refuse('invalidPath', `${where}.path must be a text.`);
    return { op: typeof op === 'string' ? op.toLowerCase() : '', path, value: operation.get('value') };
  });
}
