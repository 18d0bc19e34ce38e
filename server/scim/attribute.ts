import { z } from 'zod';
import { Problem } from '../http/problem.ts';

/** An attribute as the schema of its resource describes it (RFC 7643 section 7). */
export const SchemaAttribute = z.strictObject({
  name: z.string(),
  type: z.enum(['string', 'boolean', 'complex']),
  multiValued: z.boolean(),
  description: z.string(),
  required: z.boolean(),
  caseExact: z.boolean().optional(),
  canonicalValues: z.array(z.string()).optional(),
  mutability: z.enum(['readOnly', 'readWrite', 'immutable']),
  returned: z.literal('default'),
  uniqueness: z.enum(['none', 'server']).optional(),
  get subAttributes(): z.ZodOptional<z.ZodArray<typeof SchemaAttribute>> {
    return z.array(SchemaAttribute).optional();
  },
});
type SchemaAttribute = z.output<typeof SchemaAttribute>;
// `.meta()` would make the type of the constant depend on itself.
z.globalRegistry.add(SchemaAttribute, { id: 'ScimAttribute' });

/** The facts about an attribute that its zod schema does not state. By default, an attribute is read-only. */
interface Facts extends Partial<Pick<SchemaAttribute, 'required' | 'caseExact' | 'mutability' | 'uniqueness'>> {
  readonly canonicalValues?: string[];
}

const facts = z.registry<Facts & { readonly description: string }>();

/** An attribute or a sub-attribute in responses: optional because of `attributes` and `excludedAttributes`. */
export function shown<Value extends z.ZodType>(
  value: Value,
  description: string,
  others: Facts = {},
): z.ZodOptional<Value> {
  const schema = value.optional();
  facts.add(schema, { description, ...others });
  return schema;
}

interface Conversions<Item, Change, Value> {
  /** The description in the API document. */
  readonly documented?: string;
  /** The value in a response; undefined to leave it out. */
  present(item: Item): Value | undefined;
  /** The value in a body, for the API document. */
  readonly input?: z.ZodType;
  /**
   * Reads a value that a body or a `replace` sets; a PATCH can replace only attributes with the mutability `readWrite`.
   * @throws {Problem} `invalidValue`.
   */
  read?(value: unknown): Change;
  /** Null clears it; for other attributes, null in a body is the same as no value (RFC 7643 section 2.5). */
  readonly isCleared?: true;
  /** The error of a `replace` by nothing. */
  readonly requires?: string;
}

/** An attribute of a resource. A table of these describes, documents, presents and reads the resources. */
export interface Attribute<Item, Change, Value = unknown> extends Conversions<Item, Change, Value> {
  readonly shown: z.ZodOptional<z.ZodType<Value>>;
}

type Table<Item, Change> = Readonly<Record<string, Attribute<Item, Change>>>;

/** Returns a function that checks the types of an attribute of a table. */
export function attributesOf<Item, Change = never>() {
  return <Value>(
    schema: z.ZodOptional<z.ZodType<Value>>,
    conversions: Conversions<Item, Change, NoInfer<Value>>,
  ): Attribute<Item, Change, Value> => ({ shown: schema, ...conversions });
}

/** The schemas of the attributes in responses, for the schema of the resource. */
export function shapeOf<const Attributes extends Table<never, unknown>>(table: Attributes) {
  const shape = Object.entries(table).map(([name, { shown: schema, documented }]) => [
    name,
    documented === undefined ? schema : schema.meta({ description: documented }),
  ]);
  return Object.fromEntries(shape) as { readonly [Name in keyof Attributes]: Attributes[Name]['shown'] };
}

/** The schemas of the attributes in a body. */
export function inputOf(table: Table<never, unknown>): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(Object.entries(table).flatMap(([name, { input }]) => (input ? [[name, input]] : [])));
}

/** The attributes as the schema of the resource lists them: required ones first. */
export function describeAttributes(table: Table<never, unknown>): SchemaAttribute[] {
  const all = Object.entries(table).map(([name, attribute]) => describe(name, attribute.shown));
  return all.sort((one, other) => Number(other.required) - Number(one.required));
}

function describe(name: string, schema: z.ZodOptional): SchemaAttribute {
  const { description = '', ...others } = facts.get(schema) ?? {};
  const value = schema.unwrap();
  const item = value instanceof z.ZodArray ? value.element : value;
  const isFlag = item instanceof z.ZodBoolean || (item instanceof z.ZodLiteral && item.value === true);
  const type = item instanceof z.ZodObject ? 'complex' : isFlag ? 'boolean' : 'string';
  return {
    name,
    type,
    description,
    multiValued: value instanceof z.ZodArray,
    required: false,
    mutability: 'readOnly',
    returned: 'default',
    ...(type === 'string' && { caseExact: false, uniqueness: 'none' }),
    ...others,
    ...(item instanceof z.ZodObject && {
      subAttributes: Object.entries(item.shape).map(([part, shape]) => describe(part, shape as z.ZodOptional)),
    }),
  };
}

/** The names of the attributes that a PATCH can replace. */
export function replaceableOf<const Attributes extends Table<never, unknown>>(table: Attributes) {
  const all = describeAttributes(table).filter(({ mutability }) => mutability === 'readWrite');
  return all.map(({ name }) => name as keyof Attributes & string);
}

/** Reads the attributes of a body that a client can set. @throws {Problem} `invalidValue`. */
export function readBody<Change extends object>(table: Table<never, Change>, body: Attributes): Change {
  const changes = Object.entries(table).map(([name, { read, isCleared }]) => {
    const value = body.get(name.toLowerCase());
    return value === undefined || (value === null && !isCleared) ? {} : read?.(value);
  });
  return Object.assign({}, ...changes);
}

/** The attributes of a resource in a response. */
export function presentAttributes<Item, const Attributes extends Table<Item, unknown>>(table: Attributes, item: Item) {
  const resource: Record<string, unknown> = {};
  for (const name in table) {
    const value = table[name]?.present(item);
    if (value !== undefined) resource[name] = value;
  }
  return resource as z.output<z.ZodObject<{ -readonly [Name in keyof Attributes]: Attributes[Name]['shown'] }>>;
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
