import { test } from 'node:test';
import { assertProblem, capture, describeServer, payload, visit, withdraw } from '../consent/helpers.ts';
import { ControlClient } from '../controls/helpers.ts';
import type { TestResponse } from '../harness.ts';
import { PrivacyClient, shift } from '../privacy/requests.ts';

const minutes = 60_000;

// A client reports when something happened. A wrong clock must not become evidence.
describeServer('the time of an event that a client reports', (server) => {
  const privacy = () => new PrivacyClient(server, server.tenant);
  const controls = () => new ControlClient(server, server.tenant);
  const base = '/v1/control-framework/controls';

  interface Operation {
    readonly field: string;
    /** By how much the clock of the client may be ahead. */
    readonly ahead: number;
    /** Prepares the request, which is then sent with each time. */
    prepare(): Promise<(time: string) => Promise<TestResponse>>;
  }
  const operations: Readonly<Record<string, Operation>> = {
    'capture with a key': {
      ...{ field: 'capturedAt', ahead: 5 * minutes },
      async prepare() {
        const notice = await server.createNotice();
        return (capturedAt) => capture(server, notice, { capturedAt });
      },
    },
    'capture from a page': {
      ...{ field: 'capturedAt', ahead: 5 * minutes },
      async prepare() {
        const notice = await server.createNotice();
        return (capturedAt) => visit(server, notice, { capturedAt });
      },
    },
    withdrawal: {
      ...{ field: 'capturedAt', ahead: 5 * minutes },
      async prepare() {
        const notice = await server.createNotice();
        return async (capturedAt) => {
          const { id } = payload(await capture(server, notice));
          return withdraw(server, notice, id, { capturedAt });
        };
      },
    },
    'request of a data subject': {
      ...{ field: 'receivedAt', ahead: 0 },
      prepare: async () => (receivedAt) => privacy().open({ receivedAt }),
    },
    breach: {
      ...{ field: 'discoveredAt', ahead: 0 },
      prepare: async () => (discoveredAt) => privacy().report({ discoveredAt }),
    },
    evidence: {
      ...{ field: 'collectedAt', ahead: 0 },
      async prepare() {
        const id = await controls().create();
        return (collectedAt) =>
          server.request('POST', `${base}/${id}/evidence`, {
            body: { title: 'Report', kind: 'document', collectedAt },
          });
      },
    },
    'result of a test': {
      ...{ field: 'testedAt', ahead: 0 },
      async prepare() {
        const id = await controls().create();
        const tests = `${base}/${id}/tests`;
        const body = { title: 'Restore' };
        const testId = payload(await server.request('POST', tests, { body })).id;
        return (testedAt) =>
          server.request('POST', `${tests}/${testId}/results`, { body: { status: 'pass', testedAt } });
      },
    },
  };

  for (const [name, { field, ahead, prepare }] of Object.entries(operations)) {
    test(`${name}: from 2000 to ${ahead / minutes} minutes ahead`, async () => {
      const send = await prepare();
      const now = server.clock.now();
      for (const time of ['2000-01-01T00:00:00.000Z', shift(now, -1), now, shift(now, ahead)])
        payload(await send(time));
      for (const time of [
        '0000-01-01T00:00:00Z',
        '0001-01-01T00:00:00Z',
        '1999-12-31T23:59:59.999Z',
        '2000-01-01T00:00:00+00:01',
        shift(now, ahead + 1),
        '2999-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999Z',
      ])
        assertProblem(await send(time), '422 validation_failed', [`body.${field}`]);
    });
  }

  test('a framework cannot have been achieved before 2000 or in the future', async () => {
    const now = server.clock.now();
    const send = (achievedAt: string) =>
      server.request('PUT', '/v1/trust', { body: { published: false, frameworks: [{ code: 'GDPR', achievedAt }] } });
    payload(await send('2000-01-01T00:00:00Z'), 200);
    for (const time of ['1999-12-31T23:59:59.999Z', shift(now, 1)])
      assertProblem(await send(time), '422 validation_failed', ['body.frameworks.0.achievedAt']);
  });

  test('evidence can be requested for at most two years ahead', async () => {
    const id = await controls().create();
    const send = (evidenceDueAt: string) =>
      controls().edit(id, { status: 'evidence_requested', evidenceDueAt, reason: 'Audit' });
    assertProblem(await send('2028-11-21T12:00:00.001Z'), '422 validation_failed', ['body.evidenceDueAt']);
    payload(await send('2028-11-21T12:00:00.000Z'), 200);
  });
});
