import assert from 'node:assert/strict';

/** One request, with places for what a server made up: `$notice3` is the fourth notice that it told of, `$c` its latest cursor. */
export interface Step {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly advance: number;
}

/** How to reach a server. */
export interface Access {
  readonly url: string;
  readonly key: string;
  readonly slug: string;
  readonly scimToken?: string;
  /** What stands for `$run`. */
  readonly run?: string;
}

export const nothing: Step = { id: '', method: 'POST', path: '', query: {}, body: undefined, headers: {}, advance: 0 };

/** What a server makes up, or writes some time later; and who a person is behind whom a test stands. */
const ownWords = [
  ...['createdAt', 'created', 'displayPrefix', 'lastUsedAt', 'secret', 'token', 'key', 'publicKey', 'note'],
  ...['rootHash', 'leafHash', 'ip', 'userAgent', 'attempts'],
];

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Any = any;

/** Plays requests to one server, and tells its answers in words that do not depend on what it made up. */
export class Player {
  readonly #access: Access;
  readonly #ids: string[] = [];
  readonly #kinds = new Map<string, string[]>();
  #cursor = 'none';

  constructor(access: Access) {
    this.#access = access;
  }

  /** The ids of a kind that were told so far, oldest first. */
  idsOf(kind: string): readonly string[] {
    return this.#kinds.get(kind) ?? [];
  }

  /** Keeps an id in mind that no answer told. */
  learn(kind: string, id: string): void {
    this.#add(kind, id);
  }

  async read(path: string): Promise<Any> {
    const response = await fetch(this.#access.url + path, { headers: { Authorization: `Bearer ${this.#access.key}` } });
    return ((await response.json()) as Any).data;
  }

  /** An event, but for its predecessor, which the first one of a test server lacks. */
  async readEvent(id: string): Promise<object> {
    const { prevHash: _, ...event } = await this.read(`/v1/audit/${id}`);
    return this.#tell(event);
  }

  async play({ id, method, path, query, body, headers }: Step) {
    const { url, key, scimToken } = this.#access;
    const isScim = path.startsWith('/scim/');
    const search = new URLSearchParams(JSON.parse(this.#fill(JSON.stringify(query)))).toString();
    const response = await fetch(`${url}${this.#fill(path)}${search === '' ? '' : `?${search}`}`, {
      method,
      headers: {
        Authorization: `Bearer ${isScim ? scimToken : key}`,
        'User-Agent': 'test',
        ...(body !== undefined && { 'Content-Type': isScim ? 'application/scim+json' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && method !== 'GET' && { body: this.#fill(JSON.stringify(body)) }),
    });
    const text = await response.text();
    if (response.headers.get('content-type')?.startsWith('application/jsonl')) {
      const [header, ...lines] = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const { verifierKey: _, checkpoint: __, ...told } = header;
      return { status: 200, lines: lines.map(({ sequence }) => sequence), header: this.#tell(told) };
    }
    const answer = text === '' ? { data: null } : JSON.parse(text);
    const { status } = response;
    const replayed = response.headers.get('idempotent-replayed');
    const version = response.headers.get('svc-version');
    if (isScim) {
      const { data = null, ...resource } = answer;
      if (status === 201) this.#keep(path, resource.id);
      return { status, location: this.#tell(response.headers.get('location')), data: this.#tell(data ?? resource) };
    }
    if (status >= 400) {
      const { requestId, ...error } = answer.error;
      assert.equal(requestId, response.headers.get('svc-request-id'));
      return { status, error: this.#tell(error) };
    }
    // The log of a new tenant has events of its own; they are compared at the end.
    if (id === 'listAuditEvents') return { status, replayed, version };
    if (status === 201) this.#keep(path, answer.data.id, answer.data.token);
    this.#keepListed(id, answer.data);
    this.#cursor = answer.data?.nextCursor ?? answer.data?.page?.nextCursor ?? this.#cursor;
    return { status, replayed, version, data: this.#tell(answer.data) };
  }

  #keep(path: string, id: string, token?: string): void {
    const kind = kinds.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other';
    this.#add(kind, id);
    if (kind === 'invitation' && token !== undefined) this.#add('token', token);
  }

  /** What is made without being answered is told by lists. */
  #keepListed(id: string, data: Any): void {
    if (id === 'listUserSessions') for (const { id: session } of data.items) this.#add('session', session);
    const found = id === 'listControls' ? 'control' : id === 'listWebhookDeliveries' ? 'delivery' : null;
    if (id === 'listControlTests') for (const { id: test } of data.items) this.#add('test', test);
    if (found !== null) for (const { id: one } of data.items.slice(0, 10)) this.#add(found, one);
  }

  #add(kind: string, id: string): void {
    const known = this.idsOf(kind);
    if (!known.includes(id)) this.#kinds.set(kind, [...known, id]);
  }

  /** The id at the end of a path. */
  lastIdOf(path: string): string {
    return this.#fill(path).split('/').at(-1) ?? '';
  }

  #fill(text: string): string {
    return text
      .replaceAll('$slug', this.#access.slug)
      .replaceAll('$run', this.#access.run ?? '')
      .replace(/\$c(?![a-z])/g, () => this.#cursor)
      .replace(/\$([a-z-]+)(\d+)/g, (_, kind, number) => {
        const ids = this.#kinds.get(kind) ?? [];
        return ids[Number(number) % ids.length] ?? 'nobody';
      });
  }

  #tell(value: Any): Any {
    if (typeof value === 'string') {
      const url = value
        .replace(this.#access.url, '')
        .replace(/\/trust\/tenant-\w+$/, '/trust/test')
        .replace(/^tenant-\w+$|^Test$/, 'test')
        .replace(/^scim_\w{4}$/, 'scim_');
      return url
        .replace(/[0-9a-f]{64}|^[\w+/]{43}=$/g, '#')
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
          if (!this.#ids.includes(id)) this.#ids.push(id);
          return `$${this.#ids.indexOf(id)}`;
        });
    }
    if (Array.isArray(value)) return value.map((one) => this.#tell(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [
          key,
          /ursor$/.test(key) ? value[key] !== null : ownWords.includes(key) ? '#' : this.#tell(value[key]),
        ]),
    );
  }
}

const kinds: readonly (readonly [string, RegExp])[] = [
  ['record', /records|withdrawals/],
  ['notice', /^\/v1\/consent\/notices$/],
  ['invitation', /^\/v1\/users\/invitations$/],
  ['user', /^\/scim\/v2\/Users$/],
  ['control', /\/controls$/],
  ['evidence', /\/evidence$/],
  ['test', /\/tests$/],
  ['api-keys', /^\/v1\/api-keys/],
  ['redelivery', /^\/v1\/webhooks\/redeliver$/],
  ['delivery', /^\/v1\/webhooks\/(?:deliveries\/|.*\/test$)/],
  ['dsr', /^\/v1\/dsr$/],
  ['breach', /^\/v1\/breach$/],
  ['webhooks', /^\/v1\/webhooks$/],
];

/** A query as it is sent. */
export function texts(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [key, typeof one === 'string' ? one : String(JSON.stringify(one))]),
  );
}
