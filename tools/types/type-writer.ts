// Writes the schemas of server/openapi.json as TypeScript.

/** As much of an OpenAPI 3.1 document as types are made of. */
export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
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
  readonly tags: readonly [string];
  readonly description?: string;
  readonly 'x-scope'?: string;
  readonly 'x-sdk-method'?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

type WrittenOperation = Omit<ApiOperation, 'responses'> & {
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
};

interface Response {
  readonly description: string;
  readonly content?: Content;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Schema {
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

/** A type that is sent, where a field may also be undefined and a time a Date, or received. */
type Direction = 'sent' | 'received';

/** Parameters that many operations have, under the names of the interfaces that the SDK has for them. */
const commonQueries: Readonly<Record<string, readonly string[]>> = {
  PageParams: ['cursor', 'limit'],
  ScimProjection: ['attributes', 'excludedAttributes'],
};

/** The width of generated code. */
export const columns = 120;
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

/** The content of a successful response, and what of it is in the envelope `{ data }`. */
export function readSuccess({ responses }: ApiOperation) {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const [media = '', { schema } = {}] = Object.entries(success?.content ?? {})[0] ?? [];
  const isEnvelope = schema?.properties?.data !== undefined && schema.required?.length === 1;
  return { media, schema, isEnvelope, payload: isEnvelope ? schema.properties?.data : schema };
}

function withoutUndefined(text: string): string {
  return text.replaceAll(' | undefined', '');
}

/** Writes the declarations of named schemas, and of those that they refer to. */
export class TypeWriter {
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
    // The description of every id and every time is noise on each field.
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

  /** The parameters of the query of an operation, without those that it refuses. */
  listQuery({ parameters = [] }: ApiOperation): readonly Parameter[] {
    return parameters
      .map((one) =>
        '$ref' in one ? (this.#document.components.parameters[one.$ref.split('/').at(-1) as string] as Parameter) : one,
      )
      .filter(({ in: place, description }) => place === 'query' && !description?.startsWith('Rejected'));
  }

  /** The interface of the query of an operation, which it declares unless it is a common one; null without a query. */
  queryType(operation: ApiOperation, path: string): string | null {
    const query = this.listQuery(operation);
    if (query.length === 0) return null;
    const names = query.map(({ name }) => name);
    const bases = Object.keys(commonQueries).filter((base) =>
      commonQueries[base]?.every((name) => names.includes(name)),
    );
    const inherited = bases.flatMap((base) => commonQueries[base]);
    const own = query.filter(({ name }) => !inherited.includes(name));
    if (own.length === 0) return bases.join(' & ');
    const properties = Object.fromEntries(
      own.map(({ name, schema, description }) => [
        name,
        description === undefined ? schema : { ...schema, description },
      ]),
    );
    const required = own.filter((one) => one.required).map(({ name }) => name);
    // Both ledgers have the same queries, but for the way to name an entry.
    const isSame = path.startsWith('/v1/ledgers/') && !path.endsWith('/inclusion-proof');
    const id = isSame ? operation.operationId.replace(/Audit|Consent/, '') : operation.operationId;
    const name = this.#rename(`${id.charAt(0).toUpperCase()}${id.slice(1)}Params`);
    this.#declare(name, { type: 'object', properties, required }, 'sent', bases);
    return name;
  }

  /** The result of the method of an operation. Of a list only the items matter: the client reads the rest. */
  resultType(operation: ApiOperation): string {
    const { media, schema, payload } = readSuccess(operation);
    if (schema === undefined || payload === undefined) return 'void';
    if (media.endsWith('jsonl') || schema.format === 'binary') return 'ByteStream';
    const { properties = {} } = this.resolve(payload);
    const names = Object.keys(properties).sort().join();
    const items = names === 'data,page' ? properties.data : (properties.Resources ?? properties.items);
    const item = items?.items && /^(?:data,page|items|items,nextCursor|Resources,.*)$/.test(names) && items.items;
    if (!item) return this.type(payload, 'received');
    const isWhole = names === 'items' || properties.nextCursor?.type === 'null';
    return `${isWhole ? 'Items' : 'Page'}<${this.type(item, 'received')}>`;
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
    // Types that are sent have their limits.
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

export function quote(value: unknown): string {
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

/** A doc comment, wrapped; each tag starts a line. */
export function writeComment(text: string, indent: string, tags: readonly string[] = []): string {
  if (text === '') return '';
  const line = `${indent}/** ${text} */\n`;
  if (line.length <= columns && !text.includes('\n') && tags.length === 0) return line;
  const lines = [text, ...tags].flatMap((block) => wrap(block, columns - indent.length - 3));
  return `${indent}/**\n${lines.map((one) => `${indent} * ${one}\n`).join('')}${indent} */\n`;
}

/** The lines of a text; those of a tag after its first one are indented. */
function wrap(text: string, width: number): readonly string[] {
  const margin = text.startsWith('@') ? '  ' : '';
  const lines: string[] = [];
  let last = '';
  for (const word of text.split(/\s+/)) {
    if (last !== '' && last.length + 1 + word.length > width) {
      lines.push(last);
      last = margin + word;
    } else last = last === '' ? word : `${last} ${word}`;
  }
  return [...lines, last];
}
