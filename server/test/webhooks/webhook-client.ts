import { randomUUID } from 'node:crypto';
import { runTransaction } from '../../storage/database.ts';
import { disableEndpoint } from '../../webhooks/endpoints/changes.ts';
import type { DisabledReason } from '../../webhooks/endpoints/endpoint.ts';
import { type Endpoint, type EndpointKey, findEndpoint } from '../../webhooks/endpoints/store.ts';
import { createFreshTenant, payload } from '../consent/helpers.ts';
import { type RequestOptions, TenantClient, type TestResponse, type TestServer } from '../harness.ts';

export const hour = 60 * 60 * 1000;

/** A unique address. */
export function newAddress(): string {
  return `https://hooks.example.com/${randomUUID()}`;
}

/** A client of a tenant that no other test uses. */
export async function createClient(server: TestServer): Promise<WebhookClient> {
  return new WebhookClient(server, await createFreshTenant(server));
}

/** The operations on webhooks, as one tenant calls them. */
export class WebhookClient extends TenantClient {
  override send(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<TestResponse> {
    return super.send(method, `/v1/webhooks${path}`, body, options);
  }

  /** Creates a webhook: `body` overrides fields of a valid one. */
  create(body: object = {}, options: RequestOptions = {}): Promise<TestResponse> {
    return this.send('POST', '', { url: newAddress(), ...body }, options);
  }

  /** Creates a webhook. @returns it, with its secret. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  async created(body: object = {}): Promise<any> {
    return payload(await this.create(body), 201);
  }

  edit(id: string, body: unknown): Promise<TestResponse> {
    return this.send('PATCH', `/${id}`, body);
  }

  delete(id: string): Promise<TestResponse> {
    return this.send('DELETE', `/${id}`);
  }

  rotate(id: string, body?: unknown): Promise<TestResponse> {
    return this.send('POST', `/${id}/rotate-secret`, body);
  }

  test(id: string): Promise<TestResponse> {
    return this.send('POST', `/${id}/test`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  async read(id: string): Promise<any> {
    return payload(await this.send('GET', `/${id}`), 200);
  }

  list(filter: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.send('GET', `?${new URLSearchParams(filter)}`);
  }

  /** Triggers an event: `breach.reported`. */
  async happen(): Promise<void> {
    const discoveredAt = this.server.clock.now();
    const body = { title: 'Lost laptop', description: 'On a train.', discoveredAt, severity: 'high' };
    payload(await this.server.request('POST', '/v1/breach', { key: this.tenant.key, body }), 201);
  }

  /** The types of all events queued for or delivered to a webhook, oldest first. */
  async queued(id: string): Promise<readonly string[]> {
    const rows = await this.server.installation.database.kysely
      .selectFrom('webhook_deliveries')
      .select('event_type')
      .where('endpoint_id', '=', id)
      .orderBy('id')
      .execute();
    return rows.map((row) => row.event_type);
  }

  /** The endpoint as the sender reads it. */
  async sending(id: string): Promise<Endpoint> {
    const found = await findEndpoint(this.server.installation.database.kysely, this.tenant.id, id);
    if (found === undefined) throw new Error('the sender finds no such webhook');
    return found;
  }

  /** Disables a webhook that has failed for a time, as the server does. @param sent as the sender read it. */
  async disable(id: string, reason: DisabledReason = 'failing', sent?: Endpoint): Promise<boolean> {
    const { installation, clock } = this.server;
    const endpoint = sent ?? (await this.sending(id));
    return runTransaction(installation.database, clock.now(), (tx) => disableEndpoint(tx, endpoint, reason));
  }

  /** Records a failure of a webhook, as the sender does. */
  async fail(id: string, failingSince = this.server.clock.now()): Promise<void> {
    await this.server.installation.database.kysely
      .insertInto('webhook_health')
      .values({ tenant_id: this.tenant.id, endpoint_id: id, failing_since: failingSince, last_error: 'answered 500' })
      .execute();
  }

  /** Runs a step. @returns the webhooks that it signals to the sender, in order. */
  async signalled(step: () => Promise<unknown>): Promise<readonly string[]> {
    const { signals } = this.server.installation.database;
    const signalled: string[] = [];
    const listen = (endpoints: readonly EndpointKey[]) => signalled.push(...endpoints.map(({ id }) => id));
    signals.on('deliveries', listen);
    try {
      await step();
    } finally {
      signals.off('deliveries', listen);
    }
    return signalled;
  }
}
