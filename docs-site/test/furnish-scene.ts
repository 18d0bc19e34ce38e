import { randomUUID } from 'node:crypto';
import { readWidget } from '../../server/site/widgets/widget.ts';
import type { Scene } from '../../server/test/http/scene.ts';
import { countOutcomes } from '../../server/webhooks/deliveries/statistics-store.ts';

/** Data for a useful example response, where an operation also succeeds on an empty tenant. */
const furnishings: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  listConsentNotices: (scene) => scene.notice(),
  listConsentRecords: (scene) => scene.record(),
  getConsentNoticeStatistics: (scene) => scene.record(),
  listConsentNoticeSightings: async (scene) => {
    const { server } = scene;
    const headers = { Origin: 'https://example.com' };
    await server.request('GET', readWidget('consent-banner')?.path ?? '', { key: null, headers });
    const path = `/v1/public/consent/${await scene.notice()}`;
    await server.request('GET', path, { key: null, headers });
    const body = { subjectId: 'visitor', purposes: { analytics: true } };
    await server.request('POST', `${path}/records`, {
      key: null,
      body,
      headers: { Origin: 'https://staging.example' },
    });
    await server.app.usage.write(server.installation.database);
  },
  listAuditEvents: (scene) => scene.record(),
  listAuditCheckpoints: (scene) => scene.checkpoint('audit'),
  createConsentCheckpoint: (scene) => scene.record(),
  listConsentCheckpoints: (scene) => scene.checkpoint('consent'),
  listControls: workOnControls,
  getReadiness: workOnControls,
  getTestHealth: workOnControls,
  listEvidence: (scene) => scene.evidence(),
  listControlTests: (scene) => scene.controlTest(),
  listTestResults: async (scene) => {
    const path = `/v1/control-framework/controls/${await scene.control()}/tests/${await scene.controlTest()}/results`;
    await send(scene, 'POST', path, { status: 'pass', notes: 'All 42 accounts belong to staff.' });
  },
  getOverview: workOnControls,
  listMembers: addMembers,
  listUsers: addMembers,
  listInvitations: (scene) => scene.invitation(),
  listDsrs: (scene) => scene.dsr(),
  listBreaches: (scene) => scene.breach(),
  getTrustCenter: publishTrustCenter,
  getPublicTrustWidget: publishTrustCenter,
  listWebhooks: (scene) => scene.webhook(),
  getWebhookStatistics: async (scene) => {
    const endpoint = { tenant_id: scene.tenant.id, id: await scene.webhook() };
    const counted = { endpoint, responseTime: 120 } as const;
    const { installation, clock } = scene.server;
    const outcomes = (['delivered', 'delivered', 'failed'] as const).map((result) => ({ ...counted, result }));
    await countOutcomes(installation.database.kysely, clock.now(), outcomes);
  },
  listWebhookDeliveries: (scene) => scene.deadLetter(),
  redeliverWebhookDeliveries: (scene) => scene.deadLetter(),
  countWebhookRedelivery: (scene) => scene.deadLetter(),
  listWebhookRedeliveries: (scene) => scene.redelivery(),
  listScimUsers: (scene) => scene.server.createMember({ tenantId: scene.tenant.id, email: 'ada@example.com' }),
  listScimGroups: (scene) => scene.auditor(),
  getScimGroup: (scene) => scene.auditor(),
};

async function addMembers(scene: Scene): Promise<void> {
  await scene.caller();
  await scene.member();
}

/** Puts into the scene of an operation what its answer is about. */
export async function furnishScene(scene: Scene, operationId: string): Promise<void> {
  await furnishings[operationId]?.(scene);
}

/** A tenant that follows two frameworks and has begun: one control implemented, one whose test failed. */
async function workOnControls(scene: Scene): Promise<void> {
  const base = '/v1/control-framework';
  await send(scene, 'POST', `${base}/adopt`, { frameworks: ['GDPR', 'SOC2'] });
  const { items } = await send(scene, 'GET', base);
  const [done, failing] = items.map(({ controlId }: { readonly controlId: string }) => `${base}/controls/${controlId}`);
  const collectedAt = '2026-11-02T09:00:00Z';
  await send(scene, 'POST', `${done}/evidence`, { title: 'Signed policy', kind: 'document', collectedAt });
  await send(scene, 'PATCH', done, { status: 'implemented' });
  const { id } = await send(scene, 'POST', `${failing}/tests`, {
    title: 'Compare with the list',
    cadence: 'quarterly',
  });
  await send(scene, 'POST', `${failing}/tests/${id}/results`, { status: 'fail' });
}

async function publishTrustCenter(scene: Scene): Promise<void> {
  await send(scene, 'PUT', '/v1/trust', {
    published: true,
    headline: 'How we keep your data',
    contactEmail: 'privacy@example.com',
    frameworks: [{ code: 'SOC2', achievedAt: '2026-06-30T00:00:00Z' }],
    links: [{ label: 'Privacy policy', url: 'https://example.com/privacy' }],
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what comes back has many shapes
async function send({ server, tenant }: Scene, method: string, path: string, body?: object): Promise<any> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const answer = await server.request(method, path, { key: tenant.key, headers, body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body.data;
}
