import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestResponse, TestServer, TestTenant } from '../../harness.ts';

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
