import { hash } from 'node:crypto';
import type { RecordedCall } from '../../server/http/openapi-operation.ts';
import type { Operation } from '../reference/reference.ts';
import { readRequestExample } from '../reference/request-examples.ts';
import { isVariable, readPathExamples } from '../reference/variables.ts';
import type { PlayedAnswer } from './play-operation.ts';

/** Where the reader's own server is: the documentation names no other. */
const ownAddress = 'http://localhost:8787';
const firstId = Date.parse('2026-11-21T14:14:07.382Z');
const numbers = ['3358720', '24835293184', '25276502016', '3', '1204', '5311'];
const people = ['ada', 'alan', 'mary'];

/**
 * A pattern of values that differ in every run, with their replacements: equal values get equal ones, so that
 * references still match.
 */
interface Stand {
  readonly pattern: RegExp;
  write(found: string, index: number): string;
}

const stands: readonly Stand[] = [
  { pattern: /http:\/\/127\.0\.0\.1:\d+/g, write: () => ownAddress },
  { pattern: /\b127\.0\.0\.1:\d+/g, write: () => 'receiver.example.com' },
  { pattern: /\b(subject|erased)-[0-9a-f-]{36}/g, write: () => 'customer-42' },
  { pattern: /\bscene-[0-9a-f-]{36}/g, write: () => 'acme' },
  { pattern: /\binvited-[0-9a-f-]{36}/g, write: () => 'grace' },
  { pattern: /\bmember-[0-9a-f-]{36}/g, write: (_found, index) => people[index] ?? `person-${index}` },
  { pattern: /\bOWN-[0-9a-f]{8}\b/g, write: (_found, index) => `OWN-${index + 1}` },
  {
    pattern: /\b(svc_(live|test|at|invitation|reset|start|setup|confirm)|scim|whsec)_\w{20,}/g,
    write: (found) => `${readPrefix(found)}…`,
  },
  { pattern: /\b(svc_(live|test)|scim)_\w{4}(?=")/g, write: (found) => `${readPrefix(found)}b7Kq` },
  { pattern: /\bsecret=[A-Z2-7]{32}/g, write: () => 'secret=…' },
  { pattern: /\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\b/g, write: (_found, index) => writeBackupCode(index) },
  {
    pattern: /(?<="nextCursor":")\w+/g,
    write: (_found, index) => writeBase64(`cursor ${index}`, 33).replace(/\W/g, 'x'),
  },
  {
    // The counts of an erasure are the same in every run.
    pattern: /(?<="(?:bytes|freeBytes|totalBytes|tenants|records|auditEvents)":)\d+(?!\d|,"requests")/g,
    write: (_found, index) => numbers[index] ?? '1',
  },
  { pattern: /(?<="deliveries":\{"pending":)\d+|(?<="dead":)\d+(?=\},"tenants")/g, write: () => '2' },
  { pattern: /(?<="startedAt":")[^"]+/g, write: () => '2026-11-16T09:30:00.000Z' },
  { pattern: /(?<="nodeVersion":")[^"]+/g, write: () => '24.11.0' },
  { pattern: /(?<="code":")\d{6}(?=")/g, write: () => '492039' },
  { pattern: /\b[0-9a-f]{64}\b/g, write: (_found, index) => hash('sha256', `hash ${index}`) },
  {
    pattern: /(?<="salt":")[\w-]{22}/g,
    write: (_found, index) => writeBase64(`salt ${index}`, 16).slice(0, 22).replace(/\W/g, 'x'),
  },
  { pattern: /\bsvc-[0-9a-f]{12}\b/g, write: () => 'svc-4f1d0c6e92ab' },
  {
    pattern: /(?<=svc-[0-9a-f]{12}(?:\/[a-z]+)*\+)[0-9a-f]{8}\+[\w+/]{44}/g,
    write: () => `5c0e71d9+${writeBase64('key', 33)}`,
  },
  { pattern: /(?<=— svc-[0-9a-f]{12} )[\w+/]+=/g, write: (_found, index) => writeBase64(`signature ${index}`, 68) },
  // A line of a signed note, in whose JSON the line before ends with \\n.
  { pattern: /(?<="|\\n)[\w+/]{43}=/g, write: (_found, index) => writeBase64(`root ${index}`, 32) },
];

/** The call of an operation and its answer, as the OpenAPI document and the reference show them. */
export function readCall(operation: Operation, { text, scene }: Pick<PlayedAnswer, 'text' | 'scene'>): RecordedCall {
  const fill = (value: unknown): unknown => fillVariables(value, scene.variables);
  const { query = {}, body } = readRequestExample(operation);
  const lines = text.trimEnd().split('\n');
  const whole = {
    params: fill(readPathExamples(operation.path)),
    query: Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, readParameter(operation, name, value)]),
    ),
    body: fill(body),
    answer: text === '' ? undefined : isFile(operation) ? [text] : lines.map((line) => JSON.parse(line)),
  };
  const settled = JSON.parse(settleText(JSON.stringify(whole), scene.tenantId)) as typeof whole;
  const answers = settled.answer?.slice(0, mostItems + 1).map(cutAnswer) ?? [];
  const isEmpty = (one: unknown) => Object.keys(one as object).length === 0;
  return {
    ...(!isEmpty(settled.params) && { params: settled.params as Readonly<Record<string, string>> }),
    ...(!isEmpty(settled.query) && { query: settled.query as Readonly<Record<string, string | number>> }),
    ...(settled.body !== undefined && { body: settled.body }),
    ...(answers.length > 0 && {
      answer: lines.length > 1 ? answers.map((one) => JSON.stringify(one)).join('\n') : answers[0],
    }),
  };
}

/** True if the response is a file. */
function isFile({ responses }: Operation): boolean {
  return Object.keys(responses['200']?.content ?? {})[0] === 'application/octet-stream';
}

/** Puts the values of a scene where an example names its variables. */
function fillVariables(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (isVariable(value)) return variables[value.slice(1)];
  if (Array.isArray(value)) return value.map((one) => fillVariables(one, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillVariables(one, variables)]));
}

function readParameter({ parameters }: Operation, name: string, value: string): string | number {
  const { type } = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
  return type === 'integer' ? Number(value) : value;
}

const mostItems = 2;
const mostLetters = 160;

/** Leaves out of an answer what only repeats. What is left still fits the schema of the answer. */
function cutAnswer(value: unknown): unknown {
  // A text of several lines has a form, such as a signed note: it stays whole.
  if (typeof value === 'string')
    return value.length <= mostLetters || value.includes('\n') ? value : `${value.slice(0, mostLetters)}…`;
  if (Array.isArray(value)) {
    const isOfObjects = value.some((one) => typeof one === 'object');
    return (isOfObjects ? value.slice(0, mostItems) : value).map(cutAnswer);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, cutAnswer(one)] as const);
  return Object.fromEntries(isMap(Object.values(value)) ? entries.slice(0, mostItems) : entries);
}

/** True if the names of an object are keys of similar values, not fields. */
function isMap(values: readonly unknown[]): boolean {
  const shapes = new Set(
    values.map((one) => (typeof one === 'object' && one !== null ? Object.keys(one).join() : 'plain')),
  );
  return values.length > mostItems && shapes.size === 1 && !shapes.has('plain');
}

/**
 * Puts into an answer what every run has alike. Ids, hashes and secrets are chance; those that stand for them keep their
 * order and their kind, and no secret is one.
 */
export function settleText(text: string, tenantId: string): string {
  return settleIds(stands.reduce(settle, text), tenantId);
}

function settle(text: string, { pattern, write }: Stand): string {
  const known = new Map<string, string>();
  return text.replace(pattern, (found) => {
    const written = known.get(found) ?? write(found, known.size);
    known.set(found, written);
    return written;
  });
}

/** Ids of version 7 (RFC 9562), in the order in which they were made; the tenant is older than all that it has. */
function settleIds(text: string, tenantId: string): string {
  const pattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
  const found = [...new Set(text.match(pattern))].filter((id) => id !== tenantId).sort();
  return text.replace(pattern, (id) => (id === tenantId ? writeId(-1) : writeId(found.indexOf(id))));
}

function writeId(index: number): string {
  const time = (firstId + (index < 0 ? -19 * 86_400_000 : index * 37)).toString(16).padStart(12, '0');
  const chance = hash('sha256', `id ${index}`);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance.slice(0, 3)}-9${chance.slice(3, 6)}-${chance.slice(6, 18)}`;
}

function readPrefix(secret: string): string {
  return /^(svc_)?[a-z]+_/.exec(secret)?.[0] ?? '';
}

function writeBackupCode(index: number): string {
  const digits = hash('sha256', `code ${index}`).toUpperCase();
  return [0, 4, 8, 12].map((from) => digits.slice(from, from + 4)).join('-');
}

function writeBase64(seed: string, bytes: number): string {
  const chance = ['first', 'second'].map((part) => hash('sha512', `${part} ${seed}`, 'buffer'));
  return Buffer.concat(chance).subarray(0, bytes).toString('base64');
}
