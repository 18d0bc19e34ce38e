import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { payload } from '../../consent/helpers.ts';
import { TenantClient, type TestResponse, type TestServer, type TestTenant } from '../../harness.ts';
import { readAllPages } from '../../ledger/audit/audit-trail.ts';

/** A trust center with something in every field. */
export const trustCenter = {
  published: true,
  headline: 'Your data is safe with us',
  description: 'First paragraph.\n\nSecond paragraph.',
  contactEmail: 'privacy@example.com',
  securityContact: 'https://example.com/security',
  frameworks: [
    {
      code: 'GDPR',
      achievedAt: '2026-03-01T00:00:00.000Z',
      expiresAt: '2027-03-01T00:00:00.000Z',
      reportUrl: 'https://example.com/report.pdf',
    },
    { code: 'SOC2', achievedAt: '2026-05-01T00:00:00.000Z', expiresAt: null, reportUrl: null },
  ],
  links: [
    { label: 'Privacy policy', url: 'https://example.com/privacy' },
    { label: 'Status', url: 'https://status.example.com/' },
  ],
  subprocessors: [{ name: 'Example Cloud GmbH', purpose: 'Servers', country: 'Germany', since: null, until: null }],
  showsProof: true,
} as const;

/** The operations on the trust center, as one tenant calls them. */
export class TrustClient extends TenantClient {
  /** Replaces the trust center: `change` changes one with something in every field. */
  put(change: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.replace({ ...trustCenter, ...change }, headers);
  }

  replace(body: object, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.send('PUT', '/v1/trust', body, { headers });
  }

  saveDraft(body: object, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.send('PUT', '/v1/trust/draft', body, { headers });
  }

  discardDraft(headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.send('DELETE', '/v1/trust/draft', undefined, { headers });
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  async read(): Promise<any> {
    return payload(await this.send('GET', '/v1/trust'), 200);
  }

  async readTag(): Promise<string> {
    return (await this.send('GET', '/v1/trust')).headers.get('etag') as string;
  }

  /** The events of the trust center, oldest first. */
  async readEvents() {
    const { events } = await readAllPages(this.server, { module: 'trust' }, { key: this.tenant.key });
    return events.toReversed();
  }
}

/** A tenant that no other test sees, with its trust center as it was put. */
export async function publishTrust(server: TestServer, change: object = {}): Promise<TestTenant> {
  const tenant = await server.createTenant(`t${randomUUID()}`);
  const response = await putTrust(server, tenant, { ...trustCenter, ...change });
  assert.equal(response.status, 200, response.text);
  return tenant;
}

export function putTrust(server: TestServer, { key }: TestTenant, body: object): Promise<TestResponse> {
  return server.request('PUT', '/v1/trust', { key, body });
}

/** @param query with its question mark. */
export function readWidget(server: TestServer, slug: string, query = ''): Promise<TestResponse> {
  return server.request('GET', `/v1/public/trust/${slug}/widget${query}`, { key: null });
}

export function readPage(server: TestServer, slug: string): Promise<TestResponse> {
  return server.request('GET', `/trust/${slug}`, { key: null });
}
