import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readPages } from '../consent/helpers.ts';
import { TenantClient, type TestResponse, type TestServer } from '../harness.ts';
import { readAllRows } from '../http/stored-rows.ts';
import { readAllPages } from '../ledger/audit/audit-trail.ts';
import { evidenceItem, ownControl } from './samples.ts';

export const base = '/v1/control-framework';
const controls = `${base}/controls`;

/** The payload of an answer with this status. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function payload(response: TestResponse, status = 200): any {
  assert.equal(response.status, status, response.text);
  return response.body.data;
}

/** A tenant that no other test sees, and what it asks of the control framework. */
export async function openTenant(server: TestServer): Promise<ControlClient> {
  return new ControlClient(server, await server.createTenant(`t${randomUUID()}`));
}

export class ControlClient extends TenantClient {
  async read(path = base) {
    return payload(await this.send('GET', path));
  }

  adopt(...frameworks: readonly string[]): Promise<TestResponse> {
    return this.send('POST', `${base}/adopt`, { frameworks });
  }

  /** Creates a control of the tenant's own. @returns its id. */
  async create(change: object = {}): Promise<string> {
    return payload(await this.send('POST', controls, ownControl(change)), 201).id;
  }

  async get(id: string) {
    return this.read(`${controls}/${id}`);
  }

  edit(id: string, change: object): Promise<TestResponse> {
    return this.send('PATCH', `${controls}/${id}`, change);
  }

  remove(id: string): Promise<TestResponse> {
    return this.send('DELETE', `${controls}/${id}`);
  }

  addEvidence(id: string, change: object = {}): Promise<TestResponse> {
    return this.send('POST', `${controls}/${id}/evidence`, { ...evidenceItem, ...change });
  }

  withdraw(id: string, evidenceId: string, reason = 'Wrong file'): Promise<TestResponse> {
    return this.send('POST', `${controls}/${id}/evidence/${evidenceId}/withdraw`, { reason });
  }

  addTest(id: string, change: object = {}): Promise<TestResponse> {
    return this.send('POST', `${controls}/${id}/tests`, { title: 'Look at the list', ...change });
  }

  async readTests(id: string, query = '') {
    return (await this.read(`${controls}/${id}/tests${query}`)).items;
  }

  retire(id: string, testId: string): Promise<TestResponse> {
    return this.send('DELETE', `${controls}/${id}/tests/${testId}`);
  }

  record(id: string, testId: string, result: object = { status: 'pass' }): Promise<TestResponse> {
    return this.send('POST', `${controls}/${id}/tests/${testId}/results`, result);
  }

  /** Asserts that the pages of a list have these ids, whatever their size. */
  async assertPages(path: string, ids: readonly string[]): Promise<void> {
    for (const limit of [1, 3, ids.length]) {
      const pages = await readPages<{ readonly id: string }>(this.server, path, limit, { key: this.tenant.key });
      assert.ok(pages.every(({ length }) => length <= limit));
      assert.deepEqual(
        pages.flat().map(({ id }) => id),
        ids,
      );
    }
  }

  /** The events of the audit log, with their details, oldest first. */
  async readEvents() {
    const { key } = this.tenant;
    const { events } = await readAllPages(this.server, { module: 'controls', limit: '200' }, { key });
    const details = [...events].reverse().map(({ id }) => this.read(`/v1/audit/${id}`));
    return Promise.all(details);
  }

  /** Events that are queued for webhooks of the tenant, oldest first. */
  async readWebhooks(): Promise<readonly { readonly type: string; readonly data: unknown }[]> {
    const rows = await this.server.installation.database.kysely
      .selectFrom('webhook_events')
      .select(['type', 'data'])
      .where('tenant_id', '=', this.tenant.id)
      .orderBy('id')
      .execute();
    return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
  }

  /** Runs a step and asserts that no row of any tenant was changed by it. */
  async assertNothingWritten(step: () => Promise<unknown>): Promise<void> {
    const { database } = this.server.installation;
    const before = await readAllRows(database);
    await step();
    assert.equal(await readAllRows(database), before);
  }
}
