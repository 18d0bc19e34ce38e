import { randomUUID } from 'node:crypto';
import { createStartToken } from '../../accounts/members/start-link.ts';
import type { platformRoles } from '../../http/roles.ts';
import { createEnrolledMember, type Enrolled } from '../accounts/mfa/authenticator.ts';
import { evidenceItem, ownControl } from '../controls/samples.ts';
import type { RequestOptions, TestMember, TestServer, TestTenant } from '../harness.ts';
import { storeDelivery } from '../webhooks/stored-deliveries.ts';

/** A scene in a separate tenant. */
export async function createScene(server: TestServer): Promise<Scene> {
  return new Scene(server, await server.createTenant(`scene-${randomUUID()}`));
}

/** The objects of one tenant that requests can name; each is created on first use. */
export class Scene {
  readonly server: TestServer;
  readonly tenant: TestTenant;
  readonly subjectId = `subject-${randomUUID()}`;
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(server: TestServer, tenant: TestTenant) {
    this.server = server;
    this.tenant = tenant;
  }

  /** A published notice. */
  notice(): Promise<string> {
    return this.#once('notice', () => this.server.createNotice({ key: this.tenant.key }));
  }

  /** The hash of what visitors see of the notice. */
  async shownHash(): Promise<string> {
    const path = `/v1/consent/${await this.notice()}/versions`;
    const { body } = await this.server.request('GET', path, { key: this.tenant.key });
    return body.data.items[0].shown.en;
  }

  /** A notice that was never published. */
  draft(): Promise<string> {
    return this.#once('draft', () => this.server.createNotice({ key: this.tenant.key, publish: false }));
  }

  /** Gives the notice an unpublished change. */
  async editNotice(): Promise<void> {
    const body = { controllerName: 'Another Ltd' };
    await this.#send('PATCH', `/v1/consent/${await this.notice()}`, { key: this.tenant.key, body });
  }

  async draftTrust(): Promise<void> {
    await this.#send('PUT', '/v1/trust/draft', { key: this.tenant.key, body: { headline: `Draft ${randomUUID()}` } });
  }

  /** A record of the subject on the notice. */
  record(): Promise<string> {
    return this.#once('record', async () => {
      const purposes = { analytics: true, marketing: true };
      const records = `/v1/consent/${await this.notice()}/records`;
      const { id } = await this.#post(records, { subjectId: this.subjectId, purposes });
      return id as string;
    });
  }

  /** Another subject with a record, and without a request. */
  subjectToErase(): Promise<string> {
    return this.#once('subject to erase', async () => {
      const subjectId = `erased-${randomUUID()}`;
      await this.#post(`/v1/consent/${await this.notice()}/records`, { subjectId, purposes: { analytics: true } });
      return subjectId;
    });
  }

  /** The event of the record. */
  event(): Promise<string> {
    return this.#once('event', async () => {
      await this.record();
      const events = await this.server.request('GET', '/v1/audit?limit=1', { key: this.tenant.key });
      return events.body.data.items[0].id;
    });
  }

  /** An open request of the subject. */
  dsr(): Promise<string> {
    return this.#once('request', async () => {
      const { id } = await this.#post('/v1/dsr', { subjectId: this.subjectId, type: 'erasure' });
      return id as string;
    });
  }

  /** A completed request of another subject. */
  completedDsr(): Promise<string> {
    return this.#once('completed request', async () => {
      const { id } = await this.#post('/v1/dsr', { subjectId: `completed-${randomUUID()}`, type: 'access' });
      await this.#post(`/v1/dsr/${id}/complete`, { outcome: 'fulfilled' });
      return id as string;
    });
  }

  /** A closed incident. */
  closedBreach(): Promise<string> {
    return this.#once('closed breach', async () => {
      const discoveredAt = this.server.clock.now();
      const incident = { title: 'Lost key', description: 'Of an empty room.', discoveredAt, severity: 'low' };
      const { id } = await this.#post('/v1/breach', incident);
      const body = { status: 'closed', notificationReason: 'Found again.' };
      await this.#send('PATCH', `/v1/breach/${id}`, { key: this.tenant.key, body });
      return id as string;
    });
  }

  /** Turns on the form for requests. @returns the slug of the tenant. */
  requestForm(): Promise<string> {
    return this.#once('form', async () => {
      await this.#send('PATCH', '/v1/tenant', { key: this.tenant.key, body: { dsrForm: true } });
      return this.tenant.slug;
    });
  }

  /** An open request that was made with the form. */
  publicDsr(): Promise<string> {
    return this.#once('public request', async () => {
      const path = `/v1/public/dsr/${await this.requestForm()}`;
      const body = { type: 'erasure', email: 'ada@example.com' };
      const answer = await this.server.request('POST', path, { key: null, body });
      return answer.body.data.reference;
    });
  }

  /** The token that confirms the address of the request that was made with the form. */
  confirmationToken(): Promise<string> {
    return this.#once('confirmation', async () => {
      return (await this.#post(`/v1/dsr/${await this.publicDsr()}/confirmation-link`)).token;
    });
  }

  /** An open incident. */
  breach(): Promise<string> {
    return this.#once('breach', async () => {
      const discoveredAt = this.server.clock.now();
      const incident = { title: 'Stolen phone', description: 'In a café.', discoveredAt, severity: 'low' };
      const { id } = await this.#post('/v1/breach', incident);
      return id as string;
    });
  }

  /** An enabled webhook. */
  webhook(): Promise<string> {
    return this.#once('webhook', async () => {
      const { id } = await this.#post('/v1/webhooks', { url: 'https://receiver.example.com/events' });
      return id as string;
    });
  }

  /** A delivery to the webhook that failed permanently. */
  deadLetter(): Promise<string> {
    return this.#once('dead letter', async () =>
      storeDelivery(this.server, this.tenant, { webhookId: await this.webhook() }),
    );
  }

  /** The same delivery, waiting for another attempt instead. */
  async waitingDelivery(): Promise<void> {
    await this.server.installation.database.kysely
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', due_at: this.server.clock.now(), finished_at: null })
      .where('id', '=', await this.deadLetter())
      .execute();
  }

  /** A job to redeliver the dead letter, which does not run. */
  redelivery(): Promise<string> {
    return this.#once('redelivery', async () => {
      await this.deadLetter();
      return (await this.#post('/v1/webhooks/redeliver', { webhookId: await this.webhook() })).id;
    });
  }

  /** A custom control. */
  control(): Promise<string> {
    return this.#once('control', async () => (await this.#post('/v1/control-framework/controls', ownControl())).id);
  }

  /** An item of evidence of the control. */
  evidence(): Promise<string> {
    return this.#once('evidence', async () => {
      const path = `/v1/control-framework/controls/${await this.control()}/evidence`;
      return (await this.#post(path, evidenceItem)).id;
    });
  }

  /** An item of evidence of the control, with a file. */
  evidenceFile(): Promise<string> {
    return this.#once('evidence file', async () => {
      const about = new URLSearchParams({ ...evidenceItem, name: 'visitors.txt' });
      const path = `/v1/control-framework/controls/${await this.control()}/evidence/files?${about}`;
      const headers = { 'Content-Type': 'application/octet-stream' };
      const { key } = this.tenant;
      return (await this.server.request('POST', path, { key, headers, rawBody: 'Visitors' })).body.data.id;
    });
  }

  /** A test of the control. */
  controlTest(): Promise<string> {
    return this.#once('control test', async () => {
      const path = `/v1/control-framework/controls/${await this.control()}/tests`;
      return (await this.#post(path, { title: 'Look at the list' })).id;
    });
  }

  /** A checkpoint of a ledger that has entries. */
  checkpoint(ledger: 'audit' | 'consent'): Promise<unknown> {
    return this.#once(`checkpoint ${ledger}`, async () => {
      await this.record();
      await this.#send('POST', `/v1/ledgers/${ledger}/checkpoints`, { key: this.tenant.key });
    });
  }

  /** The user who calls the operations of signed-in users. */
  caller(): Promise<TestMember> {
    return this.#once('caller', () => this.server.createMember({ tenantId: this.tenant.id }));
  }

  /** A member with a platform role: the administrator of the server, or the staff that reads the tenant. */
  operator(role: (typeof platformRoles)[number]): Promise<TestMember> {
    return this.#once(role, () => this.server.createMember({ tenantId: this.tenant.id, role }));
  }

  /** The same with a second factor; request it before anything requests the caller. */
  enrolledCaller(): Promise<TestMember & Enrolled> {
    return this.#once('caller', () => createEnrolledMember(this.server, { tenantId: this.tenant.id }));
  }

  /** Another member, with a session. */
  member(): Promise<TestMember> {
    return this.#once('member', () => this.server.createMember({ tenantId: this.tenant.id, role: 'cs_agent' }));
  }

  /** The same with a second factor; request it before anything requests the member. */
  enrolledMember(): Promise<TestMember & Enrolled> {
    const wanted = { tenantId: this.tenant.id, role: 'cs_agent' } as const;
    return this.#once('member', () => createEnrolledMember(this.server, wanted));
  }

  /** A member in the group of the auditors. */
  auditor(): Promise<TestMember> {
    return this.server.createMember({ tenantId: this.tenant.id, role: 'auditor' });
  }

  /** Another tenant that the caller can sign in to. @returns its slug. */
  async otherTenantOfCaller(): Promise<string> {
    const { email } = await this.caller();
    const { id, slug } = await this.server.createTenant(`scene-${randomUUID()}`);
    await this.server.createMember({ tenantId: id, email });
    return slug;
  }

  /** The token of a link that signs the caller in on this machine. */
  async startToken(): Promise<string> {
    const { email } = await this.caller();
    return (await createStartToken(this.server.installation, { tenant: this.tenant.slug, email })) as string;
  }

  /** Signs the caller in again. */
  async openOtherSession(): Promise<void> {
    const { email, password } = await this.caller();
    await this.#send('POST', '/v1/auth/sign-in', { key: null, body: { email, password } });
  }

  invitation(): Promise<{ readonly id: string; readonly token: string }> {
    const email = `invited-${randomUUID()}@example.com`;
    return this.#once('invitation', () => this.#post('/v1/users/invitations', { email }));
  }

  /** The token of a link with which the other member sets a password. */
  async passwordReset(): Promise<{ readonly token: string }> {
    return this.#post(`/v1/users/${(await this.member()).userId}/password-reset`);
  }

  apiKey(): Promise<{ readonly id: string; readonly key: string }> {
    return this.#once('API key', () => this.#post('/v1/api-keys', { name: 'sample', scopes: ['keys:write'] }));
  }

  /** An access token of the API key. */
  async accessToken(): Promise<string> {
    const { id, key } = await this.apiKey();
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: key });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return (await this.#send('POST', '/oauth/token', { key: null, headers, rawBody: form.toString() })).access_token;
  }

  /** The SCIM token of the tenant. */
  scimToken(): Promise<string> {
    return this.#once('SCIM token', () => this.server.createScimToken(this.tenant.id));
  }

  /** Makes SCIM requests of the tenant be parsed with tolerance. */
  async takeExtendedScim(): Promise<void> {
    await this.#send('PATCH', '/v1/tenant', { key: this.tenant.key, body: { scimCompatibility: 'extended' } });
  }

  /** A published trust center. @returns its slug. */
  trustCenter(): Promise<string> {
    return this.#once('trust center', async () => {
      await this.#send('PUT', '/v1/trust', { key: this.tenant.key, body: { published: true } });
      return this.tenant.slug;
    });
  }

  #once<Thing>(name: string, make: () => Promise<Thing>): Promise<Thing> {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made as Promise<Thing>;
  }

  // biome-ignore lint/suspicious/noExplicitAny: created objects have many shapes
  async #post(path: string, body?: object): Promise<any> {
    const headers = { 'Idempotency-Key': randomUUID() };
    return (await this.#send('POST', path, { key: this.tenant.key, headers, ...(body && { body }) })).data;
  }

  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  async #send(method: string, path: string, options: RequestOptions): Promise<any> {
    const { status, body, text } = await this.server.request(method, path, options);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return body;
  }
}
