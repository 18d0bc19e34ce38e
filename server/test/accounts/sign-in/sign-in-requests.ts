import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { pino } from 'pino';
import { addMember } from '../../../accounts/members/membership.ts';
import { startServer } from '../../../cli/server/start-server.ts';
import { RateLimiter } from '../../../http/rate-limit.ts';
import type { MemberRole } from '../../../http/roles.ts';
import type { HashCost } from '../../../installation/password-hash.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import type { RequestOptions, TestResponse, TestServer } from '../../harness.ts';

/** The secret of installations whose passwords a test hashes itself. */
export const secret = 'a secret that only these tests know about';
/** A cost that is fit for tests of many tries, and for hashes of an earlier time. */
export const lowCost: HashCost = { memory: 64, passes: 1, parallelism: 1 };

/** The requests that a server accepts in these tests. */
export type Requests = Pick<TestServer, 'request'>;

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly tenant?: string;
}

/** Signs in as a program would, which sends no Origin. */
export function signIn(
  { request }: Requests,
  { email, password, tenant }: Credentials,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return request('POST', '/v1/auth/sign-in', { key: null, headers, body: { email, password, tenant } });
}

/** Signs in with a password that is wrong. */
export function failSignIn(
  server: Requests,
  { email }: Pick<Credentials, 'email'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return signIn(server, { email, password: 'not the password of anybody' }, headers);
}

/** The cookies that an answer sets, by name: the value and the attributes, in order. */
export function readCookies(response: TestResponse): ReadonlyMap<string, { value: string; attributes: string[] }> {
  return new Map(
    response.headers.getSetCookie().map((text) => {
      const [pair = '', ...attributes] = text.split('; ');
      const split = pair.indexOf('=');
      return [pair.slice(0, split), { value: pair.slice(split + 1), attributes }];
    }),
  );
}

/** A cookie of an answer as a Cookie header. */
export function cookieOf(response: TestResponse, name: string): string {
  const cookie = readCookies(response).get(name);
  assert.ok(cookie, `${name} is not set: ${response.text}`);
  return `${name}=${cookie.value}`;
}

/** The cookies of a browser after a sign-in. */
export function sessionOf({ url }: TestServer, response: TestResponse): Readonly<Record<string, string>> {
  assert.equal(response.status, 200, response.text);
  return { Cookie: cookieOf(response, 'svc_session'), Origin: url };
}

/** True if a session is still valid. */
export async function isOpen({ request }: Requests, session: Readonly<Record<string, string>>): Promise<boolean> {
  const { status } = await request('GET', '/v1/me', { headers: session });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

/** Makes a person a member of another tenant too. */
export async function addMembership(
  { installation, clock }: TestServer,
  tenantId: string,
  email: string,
  { isAccepted = true, isActivated = true, role = 'auditor' as MemberRole } = {},
): Promise<string> {
  return runTransaction(installation.database, clock.now(), async (tx) => {
    const member = { email, role, isActivated, isAccepted };
    const added = await addMember(tx, systemSource(tenantId), member, 'test');
    assert.ok(added);
    return added.user_id;
  });
}

/** The details of the events of a tenant with this action, oldest first. */
export async function readEvents({ request }: Requests, key: string, action: string) {
  const { body } = await request('GET', '/v1/audit?module=identity&limit=100', { key });
  const items: readonly { readonly id: string; readonly action: string }[] = body.data.items;
  const wanted = items.filter((item) => item.action === action).reverse();
  const events = [];
  for (const { id } of wanted) events.push((await request('GET', `/v1/audit/${id}`, { key })).body.data);
  return events;
}

/** Another server on the same database, with separate counts, as after a restart. */
export async function startBeside({ installation, clock }: TestServer): Promise<Requests & AsyncDisposable> {
  const server = await startServer(installation, {
    log: pino({ level: 'silent' }),
    limiter: new RateLimiter(clock.milliseconds),
    checksResults: true,
  });
  const request = async (method: string, path: string, { key, body, headers }: RequestOptions = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text), text };
  };
  return { request, [Symbol.asyncDispose]: () => server.close() };
}

/** Counts how many hashes of passwords this process computes during a step. */
export async function countHashes(step: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ARGON2REQUEST') count += 1;
    },
  }).enable();
  try {
    await step();
    return count;
  } finally {
    hook.disable();
  }
}
