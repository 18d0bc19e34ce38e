/** The parts of the OpenAPI document that types are made of. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, ApiParameter>>;
  };
}

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-scope'?: string;
  readonly parameters?: readonly (ApiParameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface ApiParameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** As much of JSON Schema as the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** Whether a value is sent, where a field may be left out by `undefined` too, or comes as JSON, which has none. */
type Direction = 'input' | 'output';

/** Every operation with its method and path. */
export function listOperations({ paths }: ApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** Writes the types of everything that operations take and answer. The same text for the same document. */
export function writeTypes(document: ApiDocument): string {
  return new TypeWriter(document).write();
}

/** A nested type that is named in the document stands under its name, since some hold themselves. */
class TypeWriter {
  readonly #document: ApiDocument;
  readonly #named = new Map<string, string>();

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  write(): string {
    const operations = listOperations(this.#document).map(({ operation }) => this.#writeOperation(operation));
    return [
      '// biome-ignore-all format: written by write-operation-types.ts from server/openapi.json',
      'type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };',
      ...[...this.#named].map(([name, type]) => `type ${name} = ${type};`),
      '',
      '/** What each operation takes and answers by the OpenAPI document, which the server makes of its schemas. */',
      'export interface OperationTypes {',
      ...operations,
      '}',
      '',
    ].join('\n');
  }

  #writeOperation(operation: ApiOperation): string {
    const { operationId, parameters = [], requestBody, responses } = operation;
    const all = parameters.map((parameter) =>
      '$ref' in parameter
        ? (this.#document.components.parameters[
            parameter.$ref.slice('#/components/parameters/'.length)
          ] as ApiParameter)
        : parameter,
    );
    const of = (place: ApiParameter['in']) => this.#writeParameters(all, place);
    const body = requestBody && Object.values(requestBody.content)[0]?.schema;
    const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
    const result = success?.content && Object.values(success.content)[0]?.schema;
    const payload =
      result?.properties?.data !== undefined && result.required?.length === 1 ? result.properties.data : result;
    const parts = [
      `path: ${of('path')}`,
      `query: ${of('query')}`,
      `body: ${body === undefined ? 'never' : this.#writeType(body, 'input')}`,
      `answer: ${payload === undefined ? 'never' : this.#writeType(payload, 'output')}`,
    ];
    return `  ${operationId}: {\n${parts.map((part) => `    ${part};\n`).join('')}  };`;
  }

  #writeParameters(parameters: readonly ApiParameter[], place: ApiParameter['in']): string {
    const fields = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema }) =>
        this.#writeField(name, required === true, this.#writeType(schema, 'input'), 'input'),
      );
    return fields.length === 0 ? 'never' : `{ ${fields.join(' ')} }`;
  }

  #writeField(name: string, isRequired: boolean, type: string, direction: Direction): string {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `readonly ${key}${isRequired ? '' : '?'}: ${type}${!isRequired && direction === 'input' ? ' | undefined' : ''};`;
  }

  #writeType(schema: Schema, direction: Direction): string {
    const write = (part: Schema) => this.#writeType(part, direction);
    const { $ref, anyOf, type, properties, additionalProperties, items, minItems, maxItems } = schema;
    if ($ref !== undefined) {
      return this.#writeNamed($ref.slice('#/components/schemas/'.length), direction);
    }
    if ('const' in schema) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    if (anyOf !== undefined) return anyOf.map((part) => `(${write(part)})`).join(' | ');
    if (Array.isArray(type)) return type.map((one) => `(${write({ ...schema, type: one as string })})`).join(' | ');
    switch (type) {
      case 'object':
        return properties === undefined && typeof additionalProperties === 'object'
          ? `{ readonly [key: string]: ${write(additionalProperties)} }`
          : this.#writeObject(schema, direction);
      case 'array':
        return minItems === 1 && maxItems === 1
          ? `readonly [${write(items ?? {})}]`
          : `readonly (${write(items ?? {})})[]`;
      case 'integer':
      case 'number':
        return 'number';
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      default:
        // A schema without rules is any JSON value.
        return direction === 'input' ? 'unknown' : 'Json';
    }
  }

  #writeObject({ properties = {}, required = [] }: Schema, direction: Direction): string {
    const fields = Object.entries(properties).map(([name, field]) =>
      this.#writeField(name, required.includes(name), this.#writeType(field, direction), direction),
    );
    return fields.length === 0 ? 'Record<string, never>' : `{ ${fields.join(' ')} }`;
  }

  #writeNamed(name: string, direction: Direction): string {
    const alias = direction === 'input' ? `${name}Sent` : name;
    if (!this.#named.has(alias)) {
      this.#named.set(alias, '');
      this.#named.set(alias, this.#writeType(this.#document.components.schemas[name] as Schema, direction));
    }
    return alias;
  }
}
