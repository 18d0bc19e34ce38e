// Writes the types of the packages from server/openapi.json: `npm run types`. A test compares the files with the document.
import { readFileSync, writeFileSync } from 'node:fs';
import { leftOutOperations } from '../../packages/node-sdk/test/operations/left-out-operations.ts';

/** As much of an OpenAPI 3.1 document as types are made of. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: ApiOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** One operation of the document. */
export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-scope'?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

type WrittenOperation = Omit<ApiOperation, 'responses'> & {
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
};

interface Response {
  readonly description: string;
  readonly content?: Content;
}

interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A field of an interface. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly comment: string;
}

interface Declaration {
  readonly fields: readonly Field[] | null;
  readonly text: string;
  readonly comment: string;
  readonly bases: readonly string[];
}

/** Whether a type is sent, where a field may also be undefined and a time a Date, or received. */
type Direction = 'sent' | 'received';

/** Parameters that many operations have, under the names of the interfaces that the SDK has for them. */
const commonQueries: Readonly<Record<string, readonly string[]>> = {
  PageParams: ['cursor', 'limit'],
  ScimProjection: ['attributes', 'excludedAttributes'],
};

const documentUrl = new URL('../../server/openapi.json', import.meta.url);
const notice = '// Generated from server/openapi.json by tools/types/write.ts.\n';
const columns = 120;
/** An interface extends another one that has all of its fields, if those are so many. */
const leastShared = 4;

/** Every operation with its method, its path and the responses that it refers to. */
export function listOperations({ paths, components }: ApiDocument) {
  const readResponse = (one: WrittenOperation['responses'][string]) =>
    '$ref' in one ? (components.responses[one.$ref.split('/').at(-1) as string] as Response) : one;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]) => {
      const responses = Object.entries(written.responses).map(([status, one]) => [status, readResponse(one)]);
      const operation: ApiOperation = { ...written, responses: Object.fromEntries(responses) };
      return { path, method: method.toUpperCase(), operation };
    }),
  );
}

function withoutUndefined(text: string): string {
  return text.replaceAll(' | undefined', '');
}

/** Writes the declarations of named schemas, and of those that they refer to. */
class TypeWriter {
  readonly #document: ApiDocument;
  readonly #rename: (name: string) => string;
  readonly #isOpen: boolean;
  readonly #commonComments: ReadonlySet<string>;
  readonly #declarations = new Map<string, Declaration>();
  readonly #open = new Set<string>();

  /** @param isOpen whether an enumeration also accepts values that later versions add. */
  constructor(document: ApiDocument, isOpen: boolean, rename: (name: string) => string = (name) => name) {
    this.#document = document;
    this.#isOpen = isOpen;
    this.#rename = rename;
    // What is said of every id and every time is noise on each field.
    const counts = new Map<string, number>();
    for (const { properties = {} } of Object.values(document.components.schemas))
      for (const { description = '' } of Object.values(properties))
        counts.set(description, (counts.get(description) ?? 0) + 1);
    this.#commonComments = new Set([...counts].filter(([, uses]) => uses > 20).map(([text]) => text));
  }

  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.#document.components.schemas[name] as Schema);
  }

  /** The type of a schema, as TypeScript. */
  type(schema: Schema, direction: Direction): string {
    const { $ref, type, anyOf, items, properties, additionalProperties } = schema;
    if ($ref !== undefined) return this.#name($ref.split('/').at(-1) as string, direction);
    if (schema.const !== undefined) return quote(schema.const);
    // In a query a boolean is text, which the client writes.
    if (schema.enum?.join() === 'true,false') return 'boolean';
    if (schema.enum !== undefined) return this.#union(schema.enum.map(quote));
    if (anyOf !== undefined) return join(anyOf.map((one) => this.type(one, direction)));
    if (Array.isArray(type)) return join(type.map((one) => this.type({ ...schema, type: one }, direction)));
    if (type === 'array') {
      const item = this.type(items as Schema, direction);
      if (schema.minItems === 1 && schema.maxItems === 1) return `readonly [${item}]`;
      return `readonly ${/ [|&] /.test(item) ? `(${item})` : item}[]`;
    }
    if (properties !== undefined)
      return `{ ${this.#fields(schema, direction)
        .map((field) => writeField(field))
        .join(' ')} }`;
    if (type === 'object') {
      const values = typeof additionalProperties === 'object' ? this.type(additionalProperties, direction) : 'Json';
      return `Readonly<Record<string, ${values}>>`;
    }
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'string') return direction === 'sent' && schema.format === 'date-time' ? 'Time' : 'string';
    return type === 'boolean' || type === 'null' ? type : 'Json';
  }

  /** Declares an interface for the query of an operation, unless it is one of the common ones. */
  declareQuery({ operationId, parameters = [] }: ApiOperation, path: string): void {
    const query = parameters
      .map((one) =>
        '$ref' in one ? (this.#document.components.parameters[one.$ref.split('/').at(-1) as string] as Parameter) : one,
      )
      .filter(({ in: place, description }) => place === 'query' && !description?.startsWith('Refused'));
    const names = query.map(({ name }) => name);
    const bases = Object.keys(commonQueries).filter((base) =>
      commonQueries[base]?.every((name) => names.includes(name)),
    );
    const inherited = bases.flatMap((base) => commonQueries[base]);
    const own = query.filter(({ name }) => !inherited.includes(name));
    if (own.length === 0) return;
    const properties = Object.fromEntries(
      own.map(({ name, schema, description }) => [
        name,
        description === undefined ? schema : { ...schema, description },
      ]),
    );
    const required = own.filter((one) => one.required).map(({ name }) => name);
    // Both ledgers have the same queries, but for the way to name an entry.
    const isSame = path.startsWith('/v1/ledgers/') && !path.endsWith('/inclusion-proof');
    const id = isSame ? operationId.replace(/Audit|Consent/, '') : operationId;
    const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Params`;
    this.#declare(name, { type: 'object', properties, required }, 'sent', bases);
  }

  /** All declarations, by name. */
  get names(): readonly string[] {
    return [...this.#declarations.keys()].sort();
  }

  /** @param others names that are imported in place of being declared. */
  write(others: readonly string[] = []): string {
    const names = this.names.filter((name) => !others.includes(name));
    return names.map((name) => this.#writeDeclaration(name)).join('\n');
  }

  #name(schemaName: string, direction: Direction): string {
    const name = this.#rename(schemaName);
    this.#declare(name, this.#document.components.schemas[schemaName] as Schema, direction);
    return name;
  }

  #declare(name: string, schema: Schema, direction: Direction, bases: readonly string[] = []): void {
    // A schema may contain itself.
    if (this.#open.has(name)) return;
    this.#open.add(name);
    const fields = schema.properties === undefined ? null : this.#fields(schema, direction);
    const text = fields === null ? this.type(schema, direction) : fields.map(writeField).join('\n');
    this.#open.delete(name);
    const earlier = this.#declarations.get(name);
    // Optional fields that are sent may be undefined, too; then the type of what is received allows it as well.
    if (earlier !== undefined && withoutUndefined(earlier.text) !== withoutUndefined(text))
      throw new Error(`${name} is sent and received, and differs: give the server's schema another name for each.`);
    // What is sent is described with its limits.
    if (earlier === undefined || direction === 'sent')
      this.#declarations.set(name, { fields, text, comment: schema.description ?? '', bases });
  }

  #fields(schema: Schema, direction: Direction): readonly Field[] {
    return Object.entries(schema.properties ?? {}).map(([name, value]) => {
      const isOptional = !schema.required?.includes(name);
      const type = this.type(value, direction);
      const orUndefined = isOptional && direction === 'sent' ? ' | undefined' : '';
      return { name, isOptional, type: type + orUndefined, comment: this.#describe(value, direction) };
    });
  }

  /** The description, and for what is sent its limits. */
  #describe(schema: Schema, direction: Direction): string {
    const words = this.#commonComments.has(schema.description ?? '') ? '' : (schema.description ?? '');
    if (direction === 'received') return words;
    const range = (least: number | undefined, most: number | undefined, unit: string) =>
      most === undefined || most >= Number.MAX_SAFE_INTEGER
        ? []
        : [`${least === undefined ? 'At most ' : `${least} to `}${most.toLocaleString('en-US')}${unit}.`];
    const target = this.resolve(schema);
    const limits = [
      ...range(target.minLength, target.maxLength, ' characters'),
      ...range(target.minimum, target.maximum, ''),
      ...range(target.minItems, target.maxItems, ' items'),
      ...(['string', 'number', 'boolean'].includes(typeof schema.default) ? [`Default: \`${schema.default}\`.`] : []),
    ].filter((limit) => !words.includes(limit.slice(0, -1)));
    return [words, ...limits].filter((part) => part !== '').join(' ');
  }

  #union(values: readonly string[]): string {
    return this.#isOpen ? `Open<${values.join(' | ')}>` : join(values);
  }

  #writeDeclaration(name: string): string {
    const { fields, text, comment, bases } = this.#declarations.get(name) as Declaration;
    const head = writeComment(comment, '');
    if (fields === null) return `${head}${writeAlias(name, text)}\n`;
    const base = this.#findBase(name, fields);
    const inherited = new Set(base?.[1].fields?.map(writeField));
    const own = fields.filter((field) => !inherited.has(writeField(field)));
    const lines = own.map((field) => `${writeComment(field.comment, '  ')}  ${writeField(field)}\n`);
    const parents = [...bases, ...(base === undefined ? [] : [base[0]])].join(', ');
    return `${head}export interface ${name}${parents && ` extends ${parents}`} {\n${lines.join('')}}\n`;
  }

  /** The largest interface all of whose fields this one has too, and whose name shares a word with its name. */
  #findBase(name: string, fields: readonly Field[]): readonly [string, Declaration] | undefined {
    const texts = new Set(fields.map(writeField));
    return [...this.#declarations]
      .filter(
        ([other, { fields: shared }]) =>
          other !== name &&
          listWords(other).some((word) => listWords(name).includes(word)) &&
          shared !== null &&
          shared.length >= leastShared &&
          shared.length < fields.length &&
          shared.every((field) => texts.has(writeField(field))),
      )
      .sort(([, one], [, two]) => (two.fields?.length ?? 0) - (one.fields?.length ?? 0))[0];
  }
}

function listWords(name: string): readonly string[] {
  return name.match(/[A-Z][a-z]+/g) ?? [];
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function join(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function writeField({ name, type, isOptional }: Field): string {
  return `readonly ${/^[\w$]+$/.test(name) ? name : quote(name)}${isOptional ? '?' : ''}: ${type};`;
}

function writeAlias(name: string, type: string): string {
  const line = `export type ${name} = ${type};`;
  if (line.length <= columns) return line;
  const open = /^Open<(.*)>$/.exec(type)?.[1];
  const values = (open ?? type)
    .split(' | ')
    .map((value) => `  | ${value}`)
    .join('\n');
  if (open === undefined) return `export type ${name} =\n${values};`;
  return `export type ${name} = Open<\n${open.length + 2 <= columns ? `  ${open}` : values}\n>;`;
}

/** A doc comment, wrapped. */
export function writeComment(text: string, indent: string): string {
  if (text === '') return '';
  const line = `${indent}/** ${text} */\n`;
  if (line.length <= columns && !text.includes('\n')) return line;
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) as string;
    if (last !== '' && indent.length + 3 + last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return `${indent}/**\n${lines.map((one) => `${indent} * ${one}\n`).join('')}${indent} */\n`;
}

/** Writes the types of what the operations of the SDK send and receive. */
function writeApiTypes(document: ApiDocument): string {
  const { writer, results } = writeOperations(document, isInSdk);
  return `// biome-ignore-all lint/suspicious/noConfusingVoidType: it is what the methods return
${notice}import type { ByteStream, Page } from '../transport.ts';
import type { Items, Json, PageParams, ScimProjection, Time } from './values.ts';

${writer.write()}
${results}`;
}

/** Writes what the dashboard needs besides the SDK: the operations of a session, and the scope of every operation. */
function writeDashboardTypes(document: ApiDocument): string {
  const sdkNames = writeOperations(document, isInSdk).writer.names;
  const { writer, results } = writeOperations(document, (id) => !isInSdk(id) && !id.endsWith('AccessToken'));
  const types = writer.write(sdkNames);
  const imported = sdkNames.filter((name) => new RegExp(`\\b${name}\\b`).test(types + results));
  const scopes = listOperations(document).flatMap(({ operation }) => {
    const scope = operation['x-scope'];
    return scope === undefined ? [] : [`  ${operation.operationId}: '${scope}',\n`];
  });
  return `// biome-ignore-all format: generated
${notice}import type { Page } from '../../../packages/node-sdk/src/transport.ts';
import type { ${imported.join(', ')} } from '../../../packages/node-sdk/src/types/api.ts';
import type { Items } from '../../../packages/node-sdk/src/types/values.ts';

${types}
${results}
/** The scope that each operation needs. */
export const operationScopes = {
${scopes.join('')}} as const;

${writeChoices(document)}`;
}

/** The values of every enumeration, for the fields and filters that offer them: `roleValues` of `Role`. */
function writeChoices({ components }: ApiDocument): string {
  return Object.entries(components.schemas)
    .filter(([, schema]) => schema.enum !== undefined && schema.enum.length > 1)
    .map(([name, schema]) => {
      const constant = `${name[0]?.toLowerCase()}${name.slice(1)}Values`;
      return `export const ${constant} = [${schema.enum?.map(quote).join(', ')}] as const;\n`;
    })
    .join('');
}

function isInSdk(operationId: string): boolean {
  return !Object.hasOwn(leftOutOperations, operationId);
}

function writeOperations(document: ApiDocument, isIncluded: (operationId: string) => boolean) {
  const writer = new TypeWriter(document, false);
  const results: string[] = [];
  for (const { path, operation } of listOperations(document)) {
    if (!isIncluded(operation.operationId)) continue;
    writer.declareQuery(operation, path);
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) writer.type(schema, 'sent');
    results.push(`  readonly ${operation.operationId}: ${writeResult(operation, writer)};\n`);
  }
  return {
    writer,
    results: `/** What the method of each operation returns, by its id in the OpenAPI document. */
export interface OperationResults {
${results.join('')}}
`,
  };
}

/** Of a list only the items matter: the client reads the rest. */
function writeResult({ responses }: ApiOperation, writer: TypeWriter): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const [content] = Object.entries(success?.content ?? {});
  if (content === undefined) return 'void';
  const [media, { schema }] = content;
  if (media.endsWith('jsonl') || schema.format === 'binary') return 'ByteStream';
  const isEnvelope = schema.properties?.data !== undefined && schema.required?.length === 1;
  const payload = isEnvelope ? (schema.properties?.data as Schema) : schema;
  const { properties = {} } = writer.resolve(payload);
  const names = Object.keys(properties).sort().join();
  const items = names === 'data,page' ? properties.data : (properties.Resources ?? properties.items);
  const item = items?.items && /^(?:data,page|items|items,nextCursor|Resources,.*)$/.test(names) && items.items;
  if (!item) return writer.type(payload, 'received');
  const isWhole = names === 'items' || properties.nextCursor?.type === 'null';
  return `${isWhole ? 'Items' : 'Page'}<${writer.type(item, 'received')}>`;
}

/** Writes the types of the data of each event. */
export function writeEventTypes(document: ApiDocument): string {
  const writer = new TypeWriter(document, true, (name) => name.replace(/EventData$/, 'Data'));
  const members = listEvents(document).map(
    ({ type, data }) => `  readonly '${type}': ${writer.type(data, 'received')};\n`,
  );
  return `${notice}
/** Values known today; a newer server may send others. */
type Open<Known extends string> = Known | (string & Record<never, never>);

${writer.write()}
/** The data of each type of event. */
export interface EventData {
${members.join('')}}
`;
}

/** Writes what is checked of the data of each event. */
function writeEventShapes(document: ApiDocument): string {
  const { schemas } = document.components;
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  const kind = (given: Schema, isOptional: boolean): string => {
    const schema = resolve(given);
    if (schema.properties !== undefined) return shape(schema);
    const [type, ...others] = [schema.type].flat();
    const orNull = others.includes('null') ? ' or null' : '';
    if (typeof schema.additionalProperties === 'object')
      return `'an object of ${resolve(schema.additionalProperties).type}s${orNull}'`;
    const article = type === 'integer' ? 'an' : 'a';
    return `'${article} ${type}${orNull}${isOptional ? ', or absent' : ''}'`;
  };
  const shape = ({ properties = {}, required = [] }: Schema): string =>
    `{ ${Object.entries(properties)
      .map(([name, value]) => `${name}: ${kind(value, !required.includes(name))}`)
      .join(', ')} }`;
  const lines = listEvents(document).map(({ type, data }) => `  '${type}': ${shape(resolve(data))},\n`);
  return `// biome-ignore-all format: generated\n${notice}import type { Shape } from './schemas.ts';

/** The kind of each field of the data of each type of event. */
export const eventShapes: Readonly<Record<string, Shape>> = {
${lines.join('')}};
`;
}

function listEvents(document: ApiDocument) {
  return Object.entries(document.webhooks).map(([type, { post }]) => {
    const body = Object.values(post.requestBody?.content ?? {})[0]?.schema as Schema;
    const name = body.$ref?.split('/').at(-1) as string;
    return { type, data: document.components.schemas[name]?.properties?.data as Schema };
  });
}

/** Each generated file, relative to the repository, and what writes it. */
export const generated: Readonly<Record<string, (document: ApiDocument) => string>> = {
  'packages/node-sdk/src/types/api.ts': writeApiTypes,
  'server/dashboard/src/api-types.ts': writeDashboardTypes,
  'packages/webhook-verify/src/event-data.ts': writeEventTypes,
  'packages/webhook-verify/src/event-shapes.ts': writeEventShapes,
};

export function readDocument(): ApiDocument {
  return JSON.parse(readFileSync(documentUrl, 'utf8')) as ApiDocument;
}

if (import.meta.main)
  for (const [path, write] of Object.entries(generated))
    writeFileSync(new URL(`../../${path}`, import.meta.url), write(readDocument()));
