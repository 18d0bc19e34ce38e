// `npm run test:growth [operationId]`: sends every operation and page inputs of 1 × and 16 × the size, in every place where a
// client may write, and fails if 16 × the size costs the server more than 64 × the processor time.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Route } from '../../server/http/route.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { acceptedCall, join as joinOptions } from '../../server/test/http/route-samples.ts';
import { createScene } from '../../server/test/http/scene.ts';
import {
  type HostileRequest,
  type Input,
  type JsonSchema,
  listHeaderInputs,
  listInputs,
  type Sample,
} from './inputs.ts';

const times = 16;
const mostGrowth = 64;
/** Milliseconds that a request takes in any case; what is faster counts as this. */
const floor = 0.5;
/** Readings for each size where one reading is not beyond doubt. */
const readings = 5;
/** Milliseconds of one reading. What would take longer is not tried: the time of a quarter of the size says enough. */
const longestReading = 5000;
const longestRun = 600_000;

/** Pages that no route object describes. */
const pages = [
  '/',
  '/demo',
  '/docs',
  '/docs/start/developer',
  '/trust',
  '/trust/acme',
  '/widgets',
  '/.well-known',
  '/nothing',
];

const bodyLimits: Readonly<Record<string, number>> = { '/v1': 64 * 1024, '/scim/v2': 1024 * 1024, '/oauth': 8 * 1024 };

interface Finding {
  readonly name: string;
  readonly input: Input;
  /** Milliseconds. */
  readonly small: number;
  readonly large: number;
  readonly bytes: number;
}

const onlyNamed = process.argv[2];
const began = performance.now();
await using server = await startTestServer('sqlite', {
  SVC_LIMIT_API_KEY: '1000000000',
  SVC_LIMIT_TENANT: '1000000000',
  SVC_LIMIT_SCIM: '1000000000',
});
const client = new Worker(join(import.meta.dirname, 'send.ts'), { execArgv: process.execArgv });
const port = Number(new URL(server.url).port);

const findings: Finding[] = [];
let isCut = false;
for (const [index, { name, inputs }] of (await listSubjects(server)).entries()) {
  if (onlyNamed !== undefined && !name.includes(onlyNamed)) continue;
  if (performance.now() - began > longestRun) {
    isCut = true;
    break;
  }
  const measured = [];
  for (const input of await inputs()) measured.push(await measure(name, input));
  findings.push(...measured);
  const worst = measured.toSorted((one, other) => growthOf(other) - growthOf(one))[0];
  console.log(
    `${String(index + 1).padStart(3)} ${name}: ${measured.length} inputs${worst ? `, at most ${growthOf(worst).toFixed(1)} ×` : ''}`,
  );
}
await report();
await client.terminate();

/** Lists the subjects of the measurement: the operations by their ids, and the pages. */
async function listSubjects({ app }: TestServer) {
  const schemas = readSchemas();
  const operations = app.routes.map((route, index) => ({
    name: route.operationId,
    inputs: async () => {
      const sample = await sampleOf(route, schemas.get(route.operationId) ?? null);
      // Headers are read before it is known which operation is meant: one of each kind is enough.
      const isFirst = app.routes.findIndex(({ auth, method }) => auth === route.auth && method === route.method);
      return [...listInputs(sample), ...(isFirst === index ? listHeaderInputs(sample) : [])];
    },
  }));
  const unlisted = pages.map((path) => ({
    name: `page ${path}`,
    inputs: async () => {
      const request = { method: 'GET', target: path, headers: {}, body: null };
      const sample = { request, json: null, bodyLimit: 0, schema: null, parameters: [], path };
      return [...listInputs(sample), ...listHeaderInputs(sample)];
    },
  }));
  return [...operations, ...unlisted];
}

async function sampleOf(route: Route, schema: JsonSchema | null): Promise<Sample> {
  const { path: target, request, credentials } = await acceptedCall(route, await createScene(server));
  const { key, body, rawBody, headers = {} } = joinOptions(credentials, request);
  const isForm = rawBody !== undefined;
  const text = isForm ? String(rawBody) : body === undefined ? null : JSON.stringify(body);
  return {
    request: {
      method: route.method,
      target,
      headers: { ...(typeof key === 'string' && { Authorization: `Bearer ${key}` }), ...headers },
      body: text,
    },
    json: body,
    bodyLimit: bodyLimits[route.surface.base] as number,
    schema: isForm ? null : schema,
    parameters: [...route.path.matchAll(/\{\w+\}/g)].map(([parameter]) => parameter),
    path: route.path,
  };
}

/** The schemas of bodies in the OpenAPI document, by operation, with what they refer to in place. */
function readSchemas(): ReadonlyMap<string, JsonSchema> {
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  const document: any = JSON.parse(readFileSync(join(import.meta.dirname, '../../server/openapi.json'), 'utf8'));
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const resolve = (value: any, depth = 0): any => {
    if (typeof value !== 'object' || value === null || depth > 20) return value;
    if (Array.isArray(value)) return value.map((item) => resolve(item, depth + 1));
    if (typeof value.$ref === 'string') {
      let target = document;
      for (const key of value.$ref.slice(2).split('/')) target = target[key];
      return resolve(target, depth + 1);
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member, depth + 1)]));
  };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const operations: any[] = Object.values(document.paths).flatMap((item: any) => Object.values(item));
  return new Map(
    operations.flatMap(({ operationId, requestBody }) => {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const [content]: any[] = Object.values(requestBody?.content ?? {});
      return content ? [[operationId, resolve(content.schema)] as const] : [];
    }),
  );
}

/** Measures both sizes: once, and several times where the one reading does not already acquit it. */
async function measure(subject: string, input: Input): Promise<Finding> {
  const name = `${subject}, ${input.name}`;
  const small = Math.max(await spend(input.make(input.room / times)), floor);
  const middle = await spend(input.make(input.room / 4));
  const foreseen = (middle * middle) / small;
  if (foreseen > longestReading && foreseen > small * mostGrowth)
    return { name: `${name} (foreseen)`, input, small, large: foreseen, bytes: input.room };
  const first = await read(name, input, 1);
  return growthOf(first) < mostGrowth / 4 ? first : read(name, input, readings);
}

/** The medians of so many readings of each size. */
async function read(name: string, input: Input, count: number): Promise<Finding> {
  const [few, many] = [input.make(input.room / times), input.make(input.room)];
  const large: number[] = [];
  const small: number[] = [];
  for (let reading = 0; reading < count; reading += 1) {
    small.push(await spend(few));
    large.push(await spend(many));
  }
  return { name, input, small: medianOf(small), large: medianOf(large), bytes: input.room };
}

/** The milliseconds of the processor that the server takes for a request. */
async function spend(sent: HostileRequest): Promise<number> {
  const headers =
    'Idempotency-Key' in sent.headers ? sent.headers : { ...sent.headers, 'Idempotency-Key': randomUUID() };
  const before = process.threadCpuUsage();
  const answer = await new Promise<number | string>((resolve) => {
    client.once('message', resolve);
    client.postMessage({ port, sent: { ...sent, headers } });
  });
  const { user, system } = process.threadCpuUsage(before);
  if (typeof answer === 'number' && answer >= 500)
    throw new Error(`${sent.method} ${sent.target.slice(0, 80)} answered ${answer}`);
  return (user + system) / 1000;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}

function byCost(one: Finding, other: Finding): number {
  return other.large / other.bytes - one.large / one.bytes;
}

function growthOf({ small, large }: Finding): number {
  return large / Math.max(small, floor);
}

async function report(): Promise<void> {
  const bad = findings.filter((finding) => growthOf(finding) > mostGrowth);
  // One reading may have caught the collection of garbage: the dearest are read again.
  const dear: Finding[] = [];
  for (const { name, input } of findings.toSorted(byCost).slice(0, 100)) dear.push(await read(name, input, readings));
  dear.sort(byCost);
  const line = (finding: Finding) =>
    `  ${((finding.large / finding.bytes) * 1024).toFixed(3)} ms/KiB  ${finding.small.toFixed(1)} → ${finding.large.toFixed(1)} ms  ${finding.name}`;
  console.log(`\nThe dearest inputs, each byte:\n${dear.slice(0, 10).map(line).join('\n')}`);
  if (bad.length > 0)
    console.log(`\n16 × the size costs more than ${mostGrowth} × the time:\n${bad.map(line).join('\n')}`);
  if (isCut) console.log(`\nStopped after ${longestRun / 1000} s: not everything was measured.`);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`\n${findings.length - bad.length} passed, ${bad.length} failed in ${seconds} s`);
  if (bad.length > 0 || isCut) process.exitCode = 1;
}
