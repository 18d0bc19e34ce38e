import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { FaultLog } from '../../storage/fault-log.ts';
import { WebhookSender } from '../../webhooks/sender/sender.ts';
import type { ConnectOptions } from '../../webhooks/transport/connection.ts';
import { Receivers } from '../../webhooks/transport/receivers.ts';
import { createFreshTenant, payload } from '../consent/helpers.ts';
import type { TestServer, TestTenant } from '../harness.ts';

/** Settings of a server whose webhooks may go to receivers of the test. */
export const allowPrivate = { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' };

export interface ReceivedDelivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Answer of a receiver: a status, and headers. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** A receiver with configurable responses, by default 204. */
export interface ScriptedReceiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly ReceivedDelivery[];
  /** Its next answers; null for none. */
  reply: Reply | null | ((delivery: ReceivedDelivery) => Reply | null);
}

export async function startScriptedReceiver(): Promise<ScriptedReceiver> {
  const received: ReceivedDelivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const delivery = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
    received.push(delivery);
    const reply = typeof receiver.reply === 'function' ? receiver.reply(delivery) : receiver.reply;
    if (reply !== null) response.writeHead(reply.status, reply.headers).end(reply.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: ScriptedReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    reply: { status: 204 },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** A sender that works when the test says so, at the time of the test's clock. */
export interface TestSender extends AsyncDisposable {
  readonly sender: WebhookSender;
  /** Sends all that is due now, and writes how it went. */
  deliver(): Promise<void>;
}

/** @param random what spreads the retries; 0.5 leaves the schedule as it is. */
export function createTestSender(
  { installation }: TestServer,
  random = () => 0.5,
  log = pino({ level: process.env.SVC_TEST_LOG ?? 'silent' }, pino.destination(2)),
  options: Omit<ConnectOptions, 'policy'> = {},
): TestSender {
  const receivers = new Receivers({ policy: { allowPrivate: true }, ...options });
  const { database, clock, box } = installation;
  const sender = new WebhookSender({ database, clock, box, receivers, faults: new FaultLog(database, log), random });
  const deliver = async () => {
    do {
      while (sender.hasWork) {
        await sender.tick();
        await sender.drain();
      }
      while (await sender.poll());
    } while (sender.hasWork);
  };
  return { sender, deliver, [Symbol.asyncDispose]: () => sender.stop(0) };
}

/** An endpoint as its creation showed it. */
export interface TestEndpoint {
  readonly id: string;
  readonly secret: string;
}

export async function createEndpoint(
  server: TestServer,
  { key }: TestTenant,
  url: string,
  more: object = {},
): Promise<TestEndpoint> {
  return payload(await server.request('POST', '/v1/webhooks', { key, body: { url, ...more } }));
}

/** A tenant with one endpoint at a receiver. */
export async function createSubscriber(server: TestServer, url: string, more: object = {}) {
  const tenant = await createFreshTenant(server);
  return { tenant, endpoint: await createEndpoint(server, tenant, url, more) };
}

/** The path of an endpoint at its receiver, and its other settings. */
type Scene = Readonly<Record<string, unknown>> & { readonly path?: string };

/** A tenant with an endpoint at a receiver, and a sender that works when the test says so: all end with the test. */
export async function openScene(context: TestContext, server: TestServer, { path = '', ...more }: Scene = {}) {
  const receiver = await startScriptedReceiver();
  const sending = createTestSender(server);
  context.after(async () => {
    await sending.sender.stop(0);
    await receiver[Symbol.asyncDispose]();
  });
  return { receiver, sending, ...(await createSubscriber(server, receiver.url + path, more)) };
}

/** Triggers events. @returns the id of the data-subject request. */
export async function openRequest(server: TestServer, { key }: TestTenant, subjectId = 'someone'): Promise<string> {
  return payload(await server.request('POST', '/v1/dsr', { key, body: { subjectId, type: 'access' } })).id;
}

/** The deliveries of a tenant, oldest first. */
export async function readDeliveries(server: TestServer, { id }: TestTenant) {
  const { kysely } = server.installation.database;
  return kysely.selectFrom('webhook_deliveries').selectAll().where('tenant_id', '=', id).orderBy('id').execute();
}

/** The attempts at a delivery, oldest first. */
export async function readAttempts(server: TestServer, deliveryId: string) {
  const { kysely } = server.installation.database;
  return kysely
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('at')
    .orderBy('id')
    .execute();
}

/** The end of a lease that goes on. */
export function runningLease(): string {
  return new Date(Date.now() + 19_000).toISOString();
}

/** Changes the ends of all leases, as time does: by default to one that has passed. */
export async function expireLeases({ installation }: TestServer, end = '2026-01-01T00:00:00.000Z'): Promise<void> {
  await installation.database.kysely
    .updateTable('webhook_deliveries')
    .set({ claimed_until: end })
    .where('claimed_until', 'is not', null)
    .execute();
}

/** The one delivery of a tenant. */
export async function readOnlyDelivery(server: TestServer, tenant: TestTenant) {
  const deliveries = await readDeliveries(server, tenant);
  assert.equal(deliveries.length, 1);
  return deliveries[0] as (typeof deliveries)[number];
}
