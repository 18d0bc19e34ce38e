import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture, describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import { allowPrivate, openScene } from './sending.ts';

const traceIds = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c'];
const [one, other] = traceIds.map((id, index) => `00-${id}-b7ad6b716920333${index}-0${index}`) as [string, string];

describeServerOnEachDatabase(
  'the traceparent of a delivery',
  (server) => {
    test('is that of the request of a key, for each of those that are written together, at each attempt', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      const { key } = tenant;
      const notice = await server.createNotice({ key });
      await sending.deliver();
      receiver.reply = { status: 500 };
      const start = receiver.received.length;
      await Promise.all(
        [one, other].map(async (traceparent) => {
          const headers = { traceparent, tracestate: 'vendor=secret', baggage: 'user=jane' };
          payload(await capture(server, notice, { subjectId: traceparent }, { key, headers }));
        }),
      );
      const headers = { traceparent: one };
      payload(await server.request('POST', '/v1/dsr', { key, headers, body: { subjectId: one, type: 'access' } }));
      await sending.deliver();
      server.clock.advance(60_000);
      await sending.deliver();
      const received = receiver.received.slice(start);
      assert.equal(received.length, 6);
      for (const { headers, body } of received) {
        assert.equal(headers.traceparent, JSON.parse(body.toString()).data.subjectId);
        assert.deepEqual([headers.tracestate, headers.baggage], [undefined, undefined]);
      }
    });

    test('is absent without a valid one, and its undefined flags are cleared', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      const invalid = [`01${one.slice(2)}`, one.toUpperCase(), `${one}-`, `00-${'0'.repeat(32)}-b7ad6b7169203331-01`];
      const sent = [...invalid, null, `${one.slice(0, -2)}ff`];
      for (const traceparent of sent) {
        const headers = traceparent === null ? {} : { traceparent };
        const body = { subjectId: 'jane', type: 'access' };
        payload(await server.request('POST', '/v1/dsr', { key: tenant.key, headers, body }));
      }
      await sending.deliver();
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers.traceparent),
        [...Array(5), `${one.slice(0, -2)}03`],
      );
    });

    test('is not what a visitor sends', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      const notice = await server.createNotice({ key: tenant.key });
      const body = { subjectId: 'visitor', purposes: { necessary: true, analytics: true, marketing: false } };
      const headers = { Origin: 'https://example.com', traceparent: one };
      payload(await server.request('POST', `/v1/public/consent/${notice}/records`, { key: null, headers, body }));
      await sending.deliver();
      const types = receiver.received.map(({ headers }) => [headers['svc-event'], headers.traceparent]);
      assert.deepEqual(types, [
        ['consent_notice.published', undefined],
        ['consent.recorded', undefined],
      ]);
    });
  },
  allowPrivate,
);
