import type { DescribedWidget } from '../../site/widgets/tags.ts';
import type { RequestError } from '../src/api.ts';

/** State of the API: the recorded example of an operation, or one of the states that every page must handle. */
export type ApiState =
  | 'as recorded'
  | 'waiting'
  | 'empty'
  | 'broken'
  | 'forbidden'
  | 'long text'
  | 'right-to-left text';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
}

interface Content {
  readonly schema: Schema;
  readonly example: unknown;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = (await (await fetch('/server/openapi.json')).json()) as OpenApi;

// `/v1/webhooks/deliveries` before `/v1/webhooks/{id}`.
const templates = Object.keys(document.paths)
  .toSorted((one, two) => one.split('{').length - two.split('{').length)
  .map((path) => ({ path, pattern: new URLPattern({ pathname: path.replace(/\{(\w+)\}/g, ':$1') }) }));

/** The request id of every error. */
export const requestId = 'req_0123456789abcdef';

/** A text of 500 characters without a space. */
const longText = 'Donaudampfschifffahrt'.repeat(24).slice(0, 500);
const rightToLeft = 'سياسة الخصوصية وملفات تعريف الارتباط '.repeat(14).slice(0, 500);

/** Answers a request of the dashboard, with the examples of the OpenAPI document. */
export async function answerApi(state: ApiState, input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const { pathname } = new URL(String(input), location.href);
  if (state === 'waiting') return new Promise(() => undefined);
  if (state === 'broken') return refuse(500, 'internal_error', 'An unexpected error occurred.');
  if (pathname === '/widgets/index.json')
    return Response.json({ widgets: ['svc-consent', 'svc-trust-badge'].map(describe) });
  if (pathname === '/.well-known/svc-ledger-key') return new Response('acme.example+12345678+AZ');
  if (state === 'forbidden') return refuse(403, 'insufficient_scope', 'The scope is missing.');
  const content = findContent(pathname, init.method ?? 'GET');
  if (content === undefined) return refuse(404, 'not_found', `${pathname} has no example.`);
  // A record belongs to a version: no tenant has one without the other.
  const shown = state === 'empty' && pathname.endsWith('/versions') ? 'as recorded' : state;
  return Response.json(change(content.example, content.schema, shown));
}

/** A widget of the index, which is no part of the API. */
function describe(name: string): DescribedWidget {
  const version = {
    version: '1.0.0',
    released: true,
    script: '<script></script>',
    element: `<${name}></${name}>`,
    tag: '',
  };
  return { name: name as DescribedWidget['name'], package: name, versions: [{ ...version, addOns: [], files: [] }] };
}

function refuse(status: number, code: string, message: string): Response {
  const error: Partial<RequestError> = { code, message, details: [] };
  return Response.json({ error }, { status, headers: { 'Svc-Request-Id': requestId } });
}

function findContent(pathname: string, method: string): Content | undefined {
  const template = templates.find(({ pattern }) => pattern.test({ pathname }));
  const operation = document.paths[template?.path ?? '']?.[method.toLowerCase()] as
    | { readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>> }
    | undefined;
  const [, success] = Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2')) ?? [];
  return success?.content?.['application/json'];
}

/** An example without items, or with other free texts. */
function change(value: unknown, schema: Schema, state: ApiState): unknown {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) return change(value, document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, state);
  if (value === null) return null;
  if (anyOf !== undefined) return change(value, anyOf.find(({ type }) => type !== 'null') ?? {}, state);
  if (Array.isArray(value))
    return state === 'empty' ? [] : value.map((item) => change(item, schema.items ?? {}, state));
  if (typeof value === 'object') {
    const { properties = {}, additionalProperties } = schema;
    const other = typeof additionalProperties === 'object' ? additionalProperties : {};
    const changed = Object.entries(value).map(([name, one]) => [name, change(one, properties[name] ?? other, state)]);
    return Object.fromEntries(changed);
  }
  const { enum: known, const: only, format, pattern } = schema;
  const isText = schema.type === 'string' && [known, only, format, pattern].every((bound) => bound === undefined);
  if (!isText) return value;
  if (state === 'long text') return longText;
  return state === 'right-to-left text' ? rightToLeft : value;
}
