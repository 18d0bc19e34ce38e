import { randomUUID } from 'node:crypto';
import type { Route } from '../../http/route.ts';
import { noticeContent, type RequestOptions, type TestServer } from '../harness.ts';

/** Real resources of one tenant. */
export interface Resources {
  readonly noticeId: string;
  readonly recordId: string;
  readonly eventId: string;
  readonly subjectId: string;
}

/** Makes a published notice with a record, and finds the audit event of the record. */
export async function createResources(server: TestServer, key: string): Promise<Resources> {
  const noticeId = await server.createNotice({ key });
  const subjectId = `subject-${randomUUID()}`;
  const captured = await server.request('POST', `/v1/consent/${noticeId}/records`, {
    key,
    headers: { 'Idempotency-Key': randomUUID() },
    body: { subjectId, purposes: { analytics: true, marketing: true } },
  });
  const events = await server.request('GET', '/v1/audit?limit=1', { key });
  return { noticeId, recordId: captured.body.data.id, eventId: events.body.data.items[0].id, subjectId };
}

/** Ids that look right and belong to nothing. */
export function unknownResources(): Resources {
  return { noticeId: randomUUID(), recordId: randomUUID(), eventId: randomUUID(), subjectId: randomUUID() };
}

/** What stands for a path parameter, by the path up to it. */
const parameterSamples: Readonly<Record<string, keyof Resources>> = {
  '/v1/audit/{id}': 'eventId',
  '/v1/consent/{id}': 'noticeId',
  '/v1/consent/{id}/records/{recordId}': 'recordId',
  '/v1/consent/subjects/{subjectId}': 'subjectId',
  '/v1/public/consent/{noticeId}': 'noticeId',
};

/** A body that each operation accepts. */
const bodySamples: Readonly<Record<string, (resources: Resources) => object>> = {
  createConsentNotice: () => noticeContent,
  editConsentNotice: () => ({ name: 'Renamed' }),
  captureConsentRecord: ({ subjectId }) => ({ subjectId, purposes: { analytics: true } }),
  withdrawConsentRecord: () => ({ purposes: ['analytics'] }),
  recordConsentDecision: ({ noticeId, subjectId }) => ({ noticeId, subjectId, purpose: 'analytics', granted: true }),
  capturePublicConsentRecord: ({ subjectId }) => ({
    subjectId,
    purposes: { necessary: true, analytics: true, marketing: false },
  }),
};

/** The path of a route with real ids in it. */
export function fillPath({ path }: Route, resources: Resources): string {
  return path.replace(/\{\w+\}/g, (parameter, start: number) => {
    const name = path.slice(0, start + parameter.length);
    const sample = parameterSamples[name];
    if (sample === undefined) throw new Error(`${name} has no sample: add one to parameterSamples in route-samples.ts`);
    return resources[sample];
  });
}

/** A request that the route accepts, without its key. */
export function acceptedRequest(route: Route, resources: Resources): RequestOptions {
  return {
    headers: {
      ...(route.idempotencyKey === 'required' && { 'Idempotency-Key': randomUUID() }),
      ...(route.scope === null && { Origin: `https://${noticeContent.domain}` }),
    },
    ...(route.body !== null && { body: bodySample(route, resources) }),
  };
}

function bodySample(route: Route, resources: Resources): object {
  const sample = bodySamples[route.operationId];
  if (sample === undefined) {
    throw new Error(`${route.operationId} has no sample body: add one to bodySamples in route-samples.ts`);
  }
  return sample(resources);
}
