import { Problem, type ProblemCode, problemKinds } from './problem.ts';
import type { AnswerHeader, Auth, Route } from './route.ts';
import { rest, type Surface } from './surface.ts';

/** Codes that operations answer with because of who may call them. */
const authCodes: Readonly<Record<Auth, readonly ProblemCode[]>> = {
  scope: ['insufficient_scope', 'forbidden', 'tenant_not_allowed', 'second_factor_required'],
  session: ['forbidden'],
  scim: [],
  anonymous: ['forbidden'],
  public: [],
};
const keyCodes: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

/** The request id of every example. */
export const exampleRequestId = '5b0a4f64-7d1c-4f0e-9a57-3c1f2f6f4d21';

/** What the examples of some errors have besides a code and a message. */
const exampleOptions: { readonly [Code in ProblemCode]?: ConstructorParameters<typeof Problem>[2] } = {
  validation_failed: { details: [{ path: 'query.limit', issue: 'must be a whole number from 1 to 100' }] },
  consent_notice_not_published: { fields: { requiredStatus: 'published', actualStatus: 'draft' } },
  webhook_not_enabled: { fields: { requiredStatus: 'enabled', actualStatus: 'paused' } },
};

/** The headers of answers, which operations refer to: a description and an example of each. */
const answerHeaders = {
  'Svc-Request-Id': ['The id of the request, for support.', exampleRequestId],
  'Svc-Version': ['The API version that was applied.', '2026-11-01'],
  Location: [
    'The address of the created resource.',
    'http://localhost:8787/scim/v2/Users/01a1fe75-1116-7327-9fbc-afc916e187d1',
  ],
  'Idempotent-Replayed': ['`true` on the stored answer to an earlier request.', 'true'],
  RateLimit: [
    'For each limit: the requests that are left (`r`) and the seconds until it resets (`t`).',
    '"key";r=599;t=42',
  ],
  'RateLimit-Policy': [
    'For each limit: the requests (`q`) that it allows in a window of seconds (`w`).',
    '"key";q=600;w=60',
  ],
  'Retry-After': ['Seconds to wait before a retry.', '42'],
  'WWW-Authenticate': ['The authentication scheme that is required: `Bearer`.', 'Bearer'],
  Allow: ['The methods that the path has.', 'GET, HEAD'],
  ETag: ['The version of the body, for `If-None-Match`.', '"1-5f0a7d5e3c0b4c55"'],
  'Cache-Control': ['How long the answer may be cached.', 'no-cache'],
  'Set-Cookie': ['The session cookie.', 'svc_session=…; Path=/; HttpOnly; SameSite=Lax'],
  'Content-Disposition': ['A name for the file.', 'attachment; filename="audit-1024.jsonl"'],
} as const satisfies Record<string, readonly [description: string, example: string]>;

type HeaderName = keyof typeof answerHeaders;

/** The components that responses refer to. */
export const headerComponents = Object.fromEntries(
  Object.entries(answerHeaders).map(([name, [description, example]]) => [
    name,
    { description, schema: { type: 'string' as const }, example },
  ]),
);

/** Every status that an operation answers with. */
export function listStatuses(route: Route): readonly number[] {
  return [route.status, ...(isRevalidated(route) ? [304] : []), ...groupCodes(route).keys()];
}

/** The headers of a success that an operation declares. */
export function listSuccessHeaders(route: Route): readonly HeaderName[] {
  return [
    'Svc-Request-Id',
    ...(route.surface.isVersioned ? (['Svc-Version'] as const) : []),
    ...(route.status === 201 && route.surface.text.tellsLocation ? (['Location'] as const) : []),
    ...(route.idempotencyKey === 'none' ? [] : (['Idempotent-Replayed'] as const)),
    ...listLimitHeaders(route),
    ...listOwnHeaders(route),
  ];
}

/** The answers of an operation that are no success: 304 and errors. */
export function describeOtherAnswers(route: Route): Record<string, unknown> {
  const { surface } = route;
  const errors = [...groupCodes(route)].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => describeCode(surface, code)).join('\n\n'),
      headers: nameHeaders(listErrorHeaders(route, status)),
      content: {
        [mediaType(surface.answerType)]: {
          schema: surface.text.errors,
          examples: Object.fromEntries(
            codes.map((code) => [code, { $ref: `#/components/examples/${nameExample(surface, code)}` }]),
          ),
        },
      },
    },
  ]);
  return {
    ...(isRevalidated(route) && {
      304: {
        description: 'The body is the one that `If-None-Match` names.',
        headers: nameHeaders(['Svc-Request-Id', 'Svc-Version', ...listOwnHeaders(route)]),
      },
    }),
    ...Object.fromEntries(errors),
  };
}

/** An example of every error, in the form of each surface that answers with it. */
export function listErrorExamples(routes: readonly Route[]): Record<string, { summary: string; value: unknown }> {
  const examples: Record<string, { summary: string; value: unknown }> = {};
  for (const route of routes)
    for (const code of [...groupCodes(route).values()].flat()) {
      const { surface } = route;
      const message = tellMeaning(code);
      const problem = new Problem(code, message, exampleOptions[code]);
      const { body } = surface.presentProblem(problem, exampleRequestId);
      examples[nameExample(surface, code)] = { summary: message, value: body };
    }
  return Object.fromEntries(Object.entries(examples).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The media type of a Content-Type. */
export function mediaType(contentType: string): string {
  return contentType.split(';')[0] as string;
}

/** References to headers. */
export function nameHeaders(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Whether a client can ask for a body only if it has changed. */
export function isRevalidated({ headers = [] }: Route): boolean {
  return headers.includes('ETag');
}

function listOwnHeaders({ headers = [] }: Route): readonly AnswerHeader[] {
  return headers;
}

/** The codes of an operation by their status, in ascending order. */
function groupCodes(route: Route): ReadonlyMap<number, readonly ProblemCode[]> {
  const { surface } = route;
  const codes = new Set<ProblemCode>([
    ...surface.text.commonCodes,
    ...authCodes[route.auth],
    ...(route.body ? surface.text.bodyCodes : []),
    ...(route.idempotencyKey === 'required' ? (['idempotency_key_required'] as const) : []),
    ...(route.idempotencyKey === 'none' ? [] : keyCodes),
    ...(route.errors ?? []),
  ]);
  const byStatus = Map.groupBy(codes, (code) => surface.presentProblem(new Problem(code, ''), '').status);
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}

function listErrorHeaders(route: Route, status: number): readonly HeaderName[] {
  return [
    'Svc-Request-Id',
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 405 ? (['Allow'] as const) : []),
    ...(status === 503 ? (['Retry-After'] as const) : []),
    ...(status === 429 ? (['Retry-After', ...listLimitHeaders(route)] as const) : []),
  ];
}

function listLimitHeaders(route: Route): readonly HeaderName[] {
  return ['public', 'anonymous'].includes(route.auth) && route.limits === undefined
    ? []
    : (['RateLimit', 'RateLimit-Policy'] as const);
}

function describeCode({ text }: Surface, code: ProblemCode): string {
  const name = text.nameCode(code);
  return `${name === null ? '' : `\`${name}\`: `}${problemKinds[code].meaning}`;
}

/** What a code means, without the name of its surface. */
function tellMeaning(code: ProblemCode): string {
  return problemKinds[code].meaning.replace(/^(?:SCIM|OAuth): /, '').replace(/^./, (letter) => letter.toUpperCase());
}

/** `not_found`, and of other surfaces `scim.not_found`. */
function nameExample(surface: Surface, code: ProblemCode): string {
  return surface === rest ? code : `${surface.base.split('/')[1]}.${code}`;
}
