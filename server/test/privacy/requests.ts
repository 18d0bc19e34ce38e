import assert from 'node:assert/strict';
import { watch } from '../accounts/members/membership-helpers.ts';
import { payload } from '../consent/helpers.ts';
import { TenantClient, type TestResponse } from '../harness.ts';

export const hour = 60 * 60 * 1000;
export const day = 24 * hour;

/** The time so many milliseconds after another, or before. */
export function shift(time: string, milliseconds: number): string {
  return new Date(Date.parse(time) + milliseconds).toISOString();
}

/** The operations on data-subject requests and breaches, as one tenant calls them. */
export class PrivacyClient extends TenantClient {
  /** Opens a request: `body` changes one that is fine. */
  open(body: object = {}): Promise<TestResponse> {
    return this.send('POST', '/v1/dsr', { subjectId: 'subject-1', type: 'access', ...body });
  }

  /** Opens a request. @returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  async opened(body: object = {}): Promise<any> {
    return payload(await this.open(body), 201);
  }

  /** Makes a request with the form of the tenant, which this turns on: `body` changes one that is fine. */
  async submit(body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    await this.send('PATCH', '/v1/tenant', { dsrForm: true });
    return this.server.request('POST', `/v1/public/dsr/${this.tenant.slug}`, {
      key: null,
      body: { type: 'access', email: 'ada@example.com', ...body },
      headers,
    });
  }

  /** Makes a request with the form. @returns what the person learns. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  async submitted(body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<any> {
    return payload(await this.submit(body, headers), 201);
  }

  extend(id: string, reason: unknown = 'There is much to collect.'): Promise<TestResponse> {
    return this.send('POST', `/v1/dsr/${id}/extend`, { reason });
  }

  editDsr(id: string, body: object): Promise<TestResponse> {
    return this.send('PATCH', `/v1/dsr/${id}`, body);
  }

  complete(id: string, body: object = { outcome: 'fulfilled' }): Promise<TestResponse> {
    return this.send('POST', `/v1/dsr/${id}/complete`, body);
  }

  /** Reports an incident that was discovered now: `body` changes one that is fine. */
  report(body: object = {}): Promise<TestResponse> {
    return this.send('POST', '/v1/breach', {
      title: 'Lost laptop',
      description: 'It stayed on a train.',
      discoveredAt: this.server.clock.now(),
      severity: 'high',
      ...body,
    });
  }

  /** Reports an incident. @returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  async reported(body: object = {}): Promise<any> {
    return payload(await this.report(body), 201);
  }

  edit(id: string, body: object): Promise<TestResponse> {
    return this.send('PATCH', `/v1/breach/${id}`, body);
  }

  /** Reads one request or incident. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  async read(kind: 'dsr' | 'breach', id: string): Promise<any> {
    return payload(await this.send('GET', `/v1/${kind}/${id}`), 200);
  }

  /** A list with filters. */
  async list(kind: 'dsr' | 'breach', filter: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.send('GET', `/v1/${kind}?${new URLSearchParams(filter)}`);
  }

  /** Chooses the period of requests. */
  async chooseDays(dsrDays: number): Promise<void> {
    payload(await this.send('PATCH', '/v1/tenant', { dsrDays }), 200);
  }

  /** Runs a step that must append one audit event, without its texts: with these details and the hash of the row. @returns its webhooks. */
  async audited(step: () => Promise<unknown>, action: string, targetId: string | null, expected: object) {
    const { events, webhooks } = await watch(this.server, this.tenant.id, step);
    assert.deepEqual(
      events.map(({ action, module, targetRef, reason }) => [action, module, targetRef, reason]),
      [[action, 'privacy', null, null]],
    );
    const { states, ...diff } = events[0].diff;
    assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(diff, expected);
    if (targetId !== null) assert.equal(events[0].targetId, targetId);
    return webhooks;
  }
}
