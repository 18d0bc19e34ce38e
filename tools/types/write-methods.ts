// Writes the methods of the SDK from the operations of server/openapi.json.
import {
  type ApiDocument,
  type ApiOperation,
  columns,
  listOperations,
  readSuccess,
  TypeWriter,
  writeComment,
} from './type-writer.ts';

/** The methods that are written by hand, because they do more than their operation says. */
const byHand = new Set([
  'consent.notices.retrieve',
  'consent.notices.publish',
  'controls.update',
  'controls.evidence.upload',
  'controls.evidence.download',
  'public.consent.capture',
]);
const resourcesByHand = /^ledgers(?:\.|$)/;
/** The resources that a class by hand adds methods to, besides those of operations above and those with further resources. */
const extended = ['consent.subjects'];
/** The names of classes that would be those of types. */
const classNames: Readonly<Record<string, string>> = {
  dsr: 'DataSubjectRequests',
  scimToken: 'ScimTokens',
  tenant: 'TenantSettings',
};
/** The body may be omitted: it withdraws whatever can be withdrawn. */
const optionalBodies = ['withdrawConsentRecord'];
/** A POST that creates nothing and may be sent again. */
const idempotentPosts = ['createScimGroup'];
/** Needs one of its parameters, which the document cannot say. */
const requiredQueries = ['countWebhookRedelivery'];

const errorClasses: Readonly<Record<string, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionError',
  404: 'NotFoundError',
  409: 'ConflictError',
  422: 'ValidationError',
  429: 'RateLimitError',
};
/** A code that more operations than this have is not noted at each. */
const fewOperations = 30;
const projection = 'projection: ScimProjection = {}';
const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'remove',
};

/** An operation with its resource, such as `consent.notices`, and the name of its method. */
type Listed = ReturnType<typeof listOperations>[number] & { readonly resource: string; readonly name: string };

/** Writes a class for each resource, which has the methods of its operations. */
export function writeMethods(document: ApiDocument): string {
  const listed = listOperations(document).flatMap((one): Listed[] => {
    const [, resource = '', name = ''] = /^(.+)\.(\w+)$/.exec(one.operation['x-sdk-method'] ?? '') ?? [];
    return resource === '' ? [] : [{ ...one, resource, name }];
  });
  const writer = new MethodWriter(document, listed);
  const written = listed.filter(
    ({ resource, name }) => !resourcesByHand.test(resource) && !byHand.has(`${resource}.${name}`),
  );
  const all = listed.map(({ resource, name }) => ({ resource, isByHand: byHand.has(`${resource}.${name}`) }));
  const classes = [...Map.groupBy(written, ({ resource }) => resource)].map(([resource, methods]) => {
    const isBase =
      extended.includes(resource) ||
      all.some((one) => one.resource.startsWith(`${resource}.`) || (one.resource === resource && one.isByHand));
    return writer.writeClass(resource, isBase, methods);
  });
  return `// biome-ignore-all format: generated
import type {
  ApiPromise,
  ChangeOptions,
  ListOptions,
  PagePromise,
  RequestOptions,
} from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { Items, PageParams, ScimProjection } from '../types/values.ts';
import { get, page, patch, post, put, Resource, remove, scim } from './resource.ts';

${classes.join('\n')}`;
}

class MethodWriter {
  readonly #types: TypeWriter;
  readonly #document: ApiDocument;
  readonly #listed: readonly Listed[];
  readonly #uses = new Map<string, number>();

  constructor(document: ApiDocument, listed: readonly Listed[]) {
    this.#types = new TypeWriter(document, false, (name) => `Api.${name}`);
    this.#document = document;
    this.#listed = listed;
    for (const { operation } of listed)
      for (const { code } of listErrors(operation)) this.#uses.set(code, (this.#uses.get(code) ?? 0) + 1);
  }

  /** @param isBase whether a class by hand extends it. */
  writeClass(resource: string, isBase: boolean, methods: readonly Listed[]): string {
    const name = classNames[resource] ?? resource.replaceAll(/(?:^|\.)(\w)/g, (_, letter) => letter.toUpperCase());
    const scopes = [...new Set(methods.flatMap(({ operation }) => operation['x-scope'] ?? []))];
    const named = scopes.length === 0 ? '' : ` Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`;
    const [tag] = methods[0]?.operation.tags ?? [];
    const text = this.#document.tags.find((one) => one.name === tag)?.description ?? '';
    const head = `export ${isBase ? 'abstract ' : ''}class ${name}${isBase ? 'Methods' : ''} extends Resource {\n`;
    const body = methods.map((method) => this.#writeMethod(method)).join('\n');
    return `${writeComment(text + named, '')}${head}${body}}\n`;
  }

  #writeMethod(listed: Listed): string {
    const { operation, method, path, name } = listed;
    const { parameters, values } = this.#listArguments(listed);
    const { extras, call, result } = this.#describeAnswer(listed);
    const hasPrecondition = operation.parameters?.some((one) => '$ref' in one && one.$ref.endsWith('/IfMatch'));
    if (hasPrecondition) extras.push('ifMatch');
    if (parameters.includes(projection)) extras.push('query: projection');
    if (idempotentPosts.includes(operation.operationId)) extras.push('idempotent: true');
    const options = call === 'list' ? 'ListOptions' : 'RequestOptions';
    const all = [
      ...parameters,
      hasPrecondition ? '{ ifMatch, ...options }: ChangeOptions = {}' : `options?: ${options}`,
    ];
    const isPage = extras.includes("page: 'items'");
    const maker = isPage ? 'page' : verbs[method];
    const given = [`'${operation.operationId}'`, `'${path}'`, ...values];
    const request = `${maker}(${given.join(', ')})`;
    const others = extras.filter((one) => one !== "page: 'items'");
    const wrapped = others.length === 0 ? request : `{ ...${request}, ${others.join(', ')} }`;
    const short = `  ${name}(${all.join(', ')}): ${result} {\n`;
    const head =
      short.length - 1 <= columns
        ? short
        : `  ${name}(\n${all.map((one) => `    ${one},\n`).join('')}  ): ${result} {\n`;
    const line = `    return this.api.${call}(${wrapped}, options);\n`;
    const body = line.length - 1 <= columns ? line : writeLong(call, maker, given, others);
    return `${this.#writeText(listed)}${head}${body}  }\n`;
  }

  /** The parameters of the method before its options, and the arguments with which it makes the operation. */
  #listArguments(listed: Listed): { readonly parameters: readonly string[]; readonly values: readonly string[] } {
    const { operation, method, path } = listed;
    const places = [...path.matchAll(/\{(\w+)\}/g)].map(({ 1: given = '', index }) => {
      const name = given === 'id' ? this.#nameId(path.slice(0, index + 4)) : given;
      return { name, field: given === name ? name : `${given}: ${name}` };
    });
    const parameters = places.map(({ name }) => `${name}: string`);
    const values = places.length === 0 ? '{}' : `{ ${places.map(({ field }) => field).join(', ')} }`;
    const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    if (schema !== undefined) {
      const type = this.#types.type(schema, 'sent');
      const { schemas, Operations: operations } = this.#types.resolve(schema).properties ?? {};
      if (schemas !== undefined) {
        // The method writes the schema of a SCIM message.
        const list = `schemas: ['${/urn:[\w:.]*\w/.exec(schemas.description ?? '')?.[0]}']`;
        const body = operations && `operations: ${this.#types.type(operations, 'sent')}`;
        parameters.push(body ?? `body: Omit<${type}, 'schemas'>`, projection);
        return { parameters, values: [values, `{ ${list}, ${body ? 'Operations: operations' : '...body'} }`] };
      }
      const isOptional = operation.requestBody?.required !== true || optionalBodies.includes(operation.operationId);
      parameters.push(`body: ${type}${isOptional ? ' = {}' : ''}`);
      return { parameters, values: [values, 'body'] };
    }
    const own = this.#types.queryType(operation, path);
    const query = own?.startsWith('Api.ListScim') ? `${own} & Pick<PageParams, 'cursor'>` : own;
    // A DELETE of SCIM returns no attributes to choose from.
    if (query !== null && !(query === 'ScimProjection' && method === 'DELETE')) {
      const isRequired =
        this.#types.listQuery(operation).some(({ required }) => required) ||
        requiredQueries.includes(operation.operationId);
      parameters.push(`params: ${query}${isRequired ? '' : ' = {}'}`);
      return { parameters, values: [values, 'params'] };
    }
    const isShort = places.length === 0 && !['PUT', 'PATCH'].includes(method);
    return { parameters, values: isShort ? [] : [values] };
  }

  /** The name of the `{id}` at the end of a path: `noticeId`, after the first operation at that path. */
  #nameId(path: string): string {
    const id = this.#listed.find((one) => one.path === path)?.operation.operationId ?? path;
    return `${id
      .match(/[A-Z][a-z]+/g)
      ?.at(-1)
      ?.toLowerCase()}Id`;
  }

  #describeAnswer({ operation, path }: Listed) {
    const type = this.#types.resultType(operation);
    const { isEnvelope, payload } = readSuccess(operation);
    const isScim = path.startsWith('/scim/');
    const extras = isScim ? ['...scim'] : [];
    if (operation.security.length === 0) extras.push("credential: 'none'");
    const item = /^Page<(.*)>$/.exec(type)?.[1];
    if (item !== undefined) {
      const { page } = this.#types.resolve(payload ?? {}).properties ?? {};
      extras.push(isScim ? "page: 'scim'" : page === undefined ? "page: 'items'" : "page: 'data'");
      return { extras, call: 'list', result: `PagePromise<${item}>` };
    }
    if (type === 'void') extras.push("answer: 'none'");
    else if (!isEnvelope && !isScim) extras.push("answer: 'bare'");
    return { extras, call: 'request', result: `ApiPromise<${type}>` };
  }

  #writeText({ operation }: Listed): string {
    const { summary, description = '', 'x-scope': scope } = operation;
    const [text = ''] = description.startsWith('Needs the scope') ? [] : description.split('\n\nNeeds the scope');
    const need = scope === undefined ? '' : `Needs the scope \`${scope}\`.`;
    const words = [`${summary}.`, text, need].filter((part) => part !== '').join(' ');
    const named = words.replaceAll(/`(\w+)`/g, (whole, id) => {
      const method = this.#listed.find((one) => one.operation.operationId === id)?.operation['x-sdk-method'];
      return method === undefined ? whole : `\`${method}\``;
    });
    const limit = this.#types.listQuery(operation).find(({ name }) => name === 'limit')?.schema;
    const isUsual = limit === undefined || (limit.maximum === 100 && limit.default === 25);
    const range = `@param params \`limit\` is ${limit?.minimum} to ${limit?.maximum}, default ${limit?.default}.`;
    const own = listErrors(operation).filter(
      ({ code }) => (this.#uses.get(code) ?? 0) <= fewOperations && !code.startsWith('idempotency_'),
    );
    const throws = [...Map.groupBy(own, ({ error }) => error)].map(
      ([error, codes]) => `@throws {${error}} ${codes.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join(' ')}`,
    );
    return writeComment(named, '  ', [...(isUsual ? [] : [range]), ...throws]);
  }
}

function writeLong(
  call: string,
  maker: string | undefined,
  given: readonly string[],
  others: readonly string[],
): string {
  const short = `    const operation = ${maker}(${given.join(', ')});\n`;
  const split = `    const operation = ${maker}(\n${given.map((one) => `      ${one},\n`).join('')}    );\n`;
  const operation = others.length === 0 ? 'operation' : `{ ...operation, ${others.join(', ')} }`;
  return `${short.length - 1 <= columns ? short : split}    return this.api.${call}(${operation}, options);\n`;
}

/** The codes that an operation may fail with. */
function listErrors({ responses }: ApiOperation) {
  return Object.entries(responses).flatMap(([status, { description }]) =>
    Array.from(description.matchAll(/^`(\w+)`: (.*)$/gm), ([, code = '', meaning = '']) => {
      const error = status.startsWith('5') ? 'ServerError' : (errorClasses[status] ?? 'ApiError');
      return { error, code, meaning };
    }),
  );
}
