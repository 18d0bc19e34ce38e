import { setTimeout as wait } from 'node:timers/promises';
import { type Change, capturedPurposes } from '../crash/load.ts';
import { patchUrn, scimType, userUrn } from '../scim/scim-client.ts';
import type { Answer, Client, Sent } from './client.ts';
import { waitUntil } from './faults.ts';
import type { LoadedTenant } from './tenants.ts';

/** How much is sent. */
export interface LoadSizes {
  /** Captures under way at any time: each is sent when the one before it was acknowledged. */
  readonly captures: number;
  /** Reads of each kind a second. */
  readonly reads: number;
  /** Users a second that are created, changed and suspended. */
  readonly users: number;
  /** Exports a minute. */
  readonly exports: number;
}

/** A user who was acknowledged as created and suspended. */
export interface SuspendedUser {
  readonly id: string;
  readonly userName: string;
}

/** The role that each user gets after the creation. */
export const givenRole = 'dpo';
/** One of so many acknowledged decisions is sent again. */
const repeatedShare = 20;
const pause = 250;
/** How long a change may be refused, in milliseconds. */
const patience = 300_000;
/** Requests of a fixed rate that may be under way; further ones are counted as not sent. */
const mostUnderWay = 100;

export interface LoadOptions {
  readonly client: Client;
  readonly tenants: readonly LoadedTenant[];
  readonly sizes: LoadSizes;
  readonly random: () => number;
  readonly notSent: (kind: string) => void;
}

interface AcknowledgedDecision {
  readonly tenant: LoadedTenant;
  readonly subjectId: string;
  /** Of its record. */
  readonly id: string;
}

/** Clients of the servers: visitors, an identity provider, and programs that read. */
export class ScaleLoad {
  /** The acknowledged decisions of each notice, with the ids of their records. */
  readonly confirmed = new Map<string, Map<Change, string>>();
  /** The suspended users of each tenant, by its slug. */
  readonly users = new Map<string, SuspendedUser[]>();
  /** Answers that contradict what was acknowledged. */
  readonly wrong: string[] = [];
  /** Decisions that were acknowledged, and sent again. */
  repeated = 0;
  readonly #options: LoadOptions;
  /** The last decisions that were acknowledged. */
  readonly #latest: AcknowledgedDecision[] = [];
  readonly #tags = new Map<string, string>();
  readonly #stopping = new AbortController();
  #number = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    for (const { slug, notices } of options.tenants) {
      this.users.set(slug, []);
      for (const notice of notices) this.confirmed.set(notice, new Map());
    }
  }

  /** Sends until it is stopped. Resolves when every change that was begun is acknowledged. */
  async run(): Promise<void> {
    const { captures, reads, users, exports } = this.#options.sizes;
    await Promise.all([
      ...Array.from({ length: captures }, () => this.#captureRepeatedly()),
      this.#sendAtRate('notice', reads, (since) => this.#readNotice(since)),
      this.#sendAtRate('list of records', reads, (since) => this.#listRecords(since)),
      this.#sendAtRate('state of a subject', reads, (since) => this.#readSubject(since)),
      this.#sendAtRate('SCIM create', users, (since) => this.#provisionUser(since)),
      this.#sendAtRate('export', exports / 60, (since) => this.#export(since)),
    ]);
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopping.abort();
  }

  get #isOver(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #captureRepeatedly(): Promise<void> {
    const { client, random } = this.#options;
    while (!this.#isOver) {
      const tenant = this.#pick(this.#options.tenants);
      const notice = this.#pick(tenant.notices);
      this.#number += 1;
      const change: Change = { subjectId: `visitor-${this.#number}`, kind: 'public', at: new Date().toISOString() };
      const capture: Sent = {
        kind: 'capture',
        method: 'POST',
        path: `/v1/public/consent/${notice}/records`,
        headers: { Origin: tenant.origin },
        body: { subjectId: change.subjectId, purposes: capturedPurposes, capturedAt: change.at },
        expected: [201],
      };
      const answer = await this.#sendUntilAcknowledged(capture);
      if (answer === null) continue;
      const id = readId(answer);
      this.confirmed.get(notice)?.set(change, id);
      this.#keepLatest({ tenant, subjectId: change.subjectId, id });
      if (random() * repeatedShare >= 1) continue;
      this.repeated += 1;
      const again = await client.send({ ...capture, kind: 'capture, repeated' });
      if (again !== null && readId(again) !== id)
        this.wrong.push(`${change.subjectId}: the same decision became the records ${id} and ${readId(again)}`);
    }
  }

  /** A visitor's banner: the notice is requested with the tag of the last answer. */
  async #readNotice(since: number): Promise<void> {
    const notice = this.#pick(this.#pick(this.#options.tenants).notices);
    const tag = this.#tags.get(notice);
    const answer = await this.#options.client.send({
      kind: 'notice',
      path: `/v1/public/consent/${notice}`,
      headers: tag === undefined ? {} : { 'If-None-Match': tag },
      expected: [200, 304],
      since,
    });
    if (answer === null) return;
    const { etag = '' } = answer.headers;
    if (tag !== undefined && etag !== tag) this.wrong.push(`the notice ${notice} had the tag ${tag}, and then ${etag}`);
    this.#tags.set(notice, etag);
  }

  async #listRecords(since: number): Promise<void> {
    const { apiKey, notices } = this.#pick(this.#options.tenants);
    const path = `/v1/consent/${this.#pick(notices)}/records?limit=50`;
    await this.#options.client.send({ kind: 'list of records', path, headers: bearer(apiKey), since });
  }

  /** A program reads what was just acknowledged to a visitor, from any server. */
  async #readSubject(since: number): Promise<void> {
    if (this.#latest.length === 0) return;
    const { tenant, subjectId, id } = this.#pick(this.#latest);
    const answer = await this.#options.client.send({
      kind: 'state of a subject',
      path: `/v1/consent/subjects/${subjectId}`,
      headers: bearer(tenant.apiKey),
      since,
    });
    if (answer !== null && !answer.text.includes(id))
      this.wrong.push(`${subjectId} had the record ${id}, which the state of the subject lacks`);
  }

  /** An identity provider creates a user, gives them a role, and suspends them. */
  async #provisionUser(since: number): Promise<void> {
    const tenant = this.#pick(this.#options.tenants);
    this.#number += 1;
    const userName = `user-${this.#number}@${tenant.slug}.example`;
    const common = { headers: { ...bearer(tenant.scimToken), 'Content-Type': scimType } };
    const creation: Sent = {
      ...common,
      kind: 'SCIM create',
      method: 'POST',
      path: '/scim/v2/Users',
      body: { schemas: [userUrn], userName },
      expected: [201, 409],
      since,
    };
    const created = await this.#sendUntilAcknowledged(creation);
    // Created by a request whose answer was lost: identity providers look the user up.
    const filter = new URLSearchParams({ filter: `userName eq "${userName}"` });
    const search: Sent = { ...common, kind: 'SCIM look-up', path: `/scim/v2/Users?${filter}` };
    const found = created?.status === 409 ? await this.#sendUntilAcknowledged(search) : created;
    if (found === null) return;
    const { id, Resources } = JSON.parse(found.text);
    const userId: string | undefined = id ?? Resources?.[0]?.id;
    if (userId === undefined) {
      this.wrong.push(`${userName} could not be created (409), and is not there`);
      return;
    }
    for (const [kind, path, value] of [
      ['SCIM patch', 'roles', [{ value: givenRole }]],
      ['SCIM suspend', 'active', false],
    ] as const) {
      const body = { schemas: [patchUrn], Operations: [{ op: 'replace', path, value }] };
      const patch: Sent = { ...common, kind, method: 'PATCH', path: `/scim/v2/Users/${userId}`, body };
      if ((await this.#sendUntilAcknowledged(patch)) === null) return;
    }
    this.users.get(tenant.slug)?.push({ id: userId, userName });
  }

  async #export(since: number): Promise<void> {
    const { client, random } = this.#options;
    const { apiKey, slug } = this.#pick(this.#options.tenants);
    const ledger = random() < 0.5 ? 'consent' : 'audit';
    const common = { headers: bearer(apiKey) };
    const signed = await client.send({
      ...common,
      kind: 'checkpoint',
      method: 'POST',
      path: `/v1/ledgers/${ledger}/checkpoints`,
      expected: [201],
      since,
    });
    if (signed === null) return;
    const answer = await client.send({ ...common, kind: 'export', path: `/v1/ledgers/${ledger}/export` });
    if (answer === null) return;
    const entries = answer.text.split('\n').filter((line) => line.startsWith('{"sequence":')).length;
    const { size } = JSON.parse(signed.text).data;
    if (entries < size)
      this.wrong.push(`an export of ${slug} had ${entries} of ${size} entries of the ledger ${ledger}`);
  }

  /** Sends at a fixed rate, however long the answers take. */
  async #sendAtRate(kind: string, perSecond: number, send: (since: number) => Promise<void>): Promise<void> {
    if (perSecond === 0) return;
    const underWay = new Set<Promise<void>>();
    const started = performance.now();
    for (let number = 1; !this.#isOver; number += 1) {
      const since = started + (number * 1000) / perSecond;
      await waitUntil(since, this.#stopping.signal);
      if (this.#isOver) break;
      if (underWay.size >= mostUnderWay) {
        this.#options.notSent(kind);
        continue;
      }
      const sending: Promise<void> = send(since).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    await Promise.all(underWay);
  }

  /** Sends like a careful client, the same request until it is acknowledged. @returns null if it never was. */
  async #sendUntilAcknowledged(sent: Sent): Promise<Answer | null> {
    const began = performance.now();
    for (;;) {
      const answer = await this.#options.client.send(sent);
      if (answer !== null) return answer;
      if (performance.now() - began > patience) break;
      await wait(pause);
    }
    this.wrong.push(`${sent.method} ${sent.path} (${sent.kind}) was not acknowledged for ${patience / 1000} s`);
    return null;
  }

  #keepLatest(one: AcknowledgedDecision): void {
    if (this.#latest.push(one) > 1000) this.#latest.shift();
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#options.random() * items.length)] as Item;
  }
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

function readId({ text }: Answer): string {
  return JSON.parse(text).data.id;
}
