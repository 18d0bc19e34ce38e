import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as edge from '../../src/edge.ts';
import { eventShapes } from '../../src/event-shapes.ts';
import { createFetchHandler } from '../../src/fetch.ts';
import * as node from '../../src/node.ts';
import { checkEventData, findEventDataIssues, type Kind, type Shape } from '../../src/schemas.ts';
import { createSignedRequest } from '../../src/testing.ts';
import { body, event, now, secret, sign } from './vectors.ts';

const samples: { readonly [Name in Kind]: readonly unknown[] } = {
  'a string': ['', 'x'],
  'a string or null': ['x', null],
  'an integer': [0, 7, -1],
  'an integer or null': [7, null],
  'a boolean': [true, false],
  'a boolean, or absent': [true, undefined],
  'an object of booleans': [{}, { analytics: true }],
  'an object of strings or null': [{ analytics: 'consent' }, null],
};
const foreign: { readonly [Name in Kind]: readonly unknown[] } = {
  'a string': [undefined, null, 1, true, {}, []],
  'a string or null': [undefined, 1, {}],
  'an integer': [undefined, null, '1', 1.5, 2 ** 53, true],
  'an integer or null': [undefined, '1', 1.5],
  'a boolean': [undefined, null, 'true', 1],
  'a boolean, or absent': [null, 'true'],
  'an object of booleans': [undefined, null, [], [true], 'x', { analytics: 'yes' }],
  'an object of strings or null': [undefined, [], ['consent'], 'x', { analytics: true }],
};

const make = (shape: Shape, pick: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, kind]) => [
      name,
      typeof kind === 'object' ? make(kind, pick) : samples[kind][pick % samples[kind].length],
    ]),
  );
const findIn = (type: string, data: unknown) => findEventDataIssues({ ...event, type, data } as never);

describe('the schemas of data', () => {
  for (const [type, shape] of Object.entries(eventShapes))
    test(`accept ${type}, with later additions, and report each field of another type`, () => {
      for (const pick of [0, 1]) {
        const data = make(shape, pick);
        assert.deepEqual(findIn(type, data), []);
        assert.deepEqual(findIn(type, { ...data, later: { on: 1 } }), []);
        check(shape, data, 'data', (changed) => findIn(type, changed));
      }
    });

  test('accept events of later types, also with names of properties of every object', () => {
    for (const type of ['consent.later', '__proto__', 'constructor', 'toString', ''])
      assert.deepEqual(findIn(type, { any: 'thing' }), []);
  });

  test('treat inherited properties as absent', () => {
    assert.deepEqual(findIn('webhook.test', Object.create({ webhookId: 'x' })), [
      { path: 'data.webhookId', issue: 'must be a string' },
    ]);
  });

  test('report missing arguments', () => {
    for (const wrong of [undefined, null, 'x', body])
      assert.throws(() => findEventDataIssues(wrong as never), { code: 'options_invalid' });
  });
});

/** Replaces each field with foreign values, and removes each. */
function check(
  shape: Shape,
  data: Readonly<Record<string, unknown>>,
  path: string,
  find: (changed: unknown) => unknown,
): void {
  for (const [name, kind] of Object.entries(shape)) {
    const place = `${path}.${name}`;
    if (typeof kind === 'object') {
      for (const wrong of [undefined, null, 'x', []])
        assert.deepEqual(find({ ...data, [name]: wrong }), [{ path: place, issue: 'must be an object' }]);
      const inner = data[name] as Readonly<Record<string, unknown>>;
      check(kind, inner, place, (changed) => find({ ...data, [name]: changed }));
      continue;
    }
    for (const wrong of foreign[kind]) {
      const issues = find({ ...data, [name]: wrong }) as readonly { readonly path: string; readonly issue: string }[];
      assert.deepEqual(
        issues.map((one) => one.path),
        [place],
        `${place} ${JSON.stringify(wrong)}`,
      );
      assert.match(issues[0]?.issue ?? '', /^must be an? /);
    }
  }
}

describe('validate', () => {
  const wrong = JSON.stringify({
    ...event,
    data: { ...event.data, dsrId: 5, subjectId: 'ada@example.com', outcome: null },
  });
  const later = JSON.stringify({ ...event, type: 'dsr.later', data: {} });

  for (const [name, build] of Object.entries({ node, edge }))
    test(`of the ${name} build hides a known type with invalid data from a caller that wants the event`, async () => {
      const verifier = build.createWebhookVerifier({ secrets: secret, now, validate: checkEventData });
      for (const good of [body, later]) await verifier.constructEvent({ body: good, signature: sign(good) });
      const delivery = { body: wrong, signature: sign(wrong) };
      await verifier.verifySignature(delivery);
      for (const call of [
        async () => verifier.constructEvent(delivery),
        async () => build.constructEvent({ ...delivery, secrets: secret, now, validate: checkEventData }),
      ])
        await assert.rejects(call, (error) => {
          assert.ok(node.WebhookVerificationError.isInstance(error));
          assert.equal(error.code, 'event_data_invalid');
          assert.match(error.message, /data\.dsrId must be a string; data\.outcome must be a string/);
          // Nothing of the data.
          assert.doesNotMatch(error.message, /ada/);
          return true;
        });
      // Only after its signature was verified.
      await assert.rejects(async () => verifier.constructEvent({ body: wrong, signature: sign(body) }), {
        code: 'signature_mismatch',
      });
    });

  test('of an adapter hides such an event from the handler', async () => {
    const handled: string[] = [];
    const handle = createFetchHandler({
      secrets: secret,
      now,
      validate: checkEventData,
      handler: ({ id }) => handled.push(id),
      onError: () => undefined,
    });
    const post = async (text: string) => {
      const signed = await createSignedRequest({ event: text, secrets: secret, now });
      const response = await handle(new Request('https://example.com', signed));
      return [response.status, (await response.json()).error?.code];
    };
    assert.deepEqual(await post(wrong), [400, 'event_data_invalid']);
    assert.deepEqual(handled, []);
    for (const good of [JSON.stringify(event), later]) assert.deepEqual(await post(good), [200, undefined]);
    assert.equal(handled.length, 2);
  });

  test('of your own passes its exceptions on unchanged', () => {
    const thrown = new RangeError('not for us');
    const validate = () => {
      throw thrown;
    };
    const delivery = { body, signature: sign(body), secrets: secret, now, validate };
    assert.throws(
      () => node.constructEvent(delivery),
      (error) => error === thrown,
    );
  });
});
