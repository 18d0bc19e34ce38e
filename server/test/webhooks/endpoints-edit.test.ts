import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watch } from '../accounts/members/membership-helpers.ts';
import { assertNothingWritten, assertProblem, describeServer, payload } from '../consent/helpers.ts';
import { assertAbsent, needle } from '../needle.ts';
import { createClient, hour, newAddress } from './webhook-client.ts';

describeServer('PATCH /v1/webhooks/{id}', (server) => {
  test('changes each field, separately and together; the others are unchanged', async () => {
    const client = await createClient(server);
    const { secret: _, ...created } = await client.created();
    let expected = created;
    for (const change of [
      { url: newAddress() },
      { description: 'To the ticket system' },
      { eventTypes: ['dsr.created'] },
      { eventTypes: ['breach.reported', 'dsr.created'] },
      { eventTypes: null },
      { description: null },
      { status: 'paused' },
      { status: 'enabled' },
      { filter: { severity: ['high', 'critical'], 'purposes.marketing': [false] } },
      { filter: null },
      { rateLimit: 1 },
      { retrySchedule: [1, 60, 86_400] },
      { rateLimit: null, retrySchedule: null },
      { url: newAddress(), description: 'Again', eventTypes: ['webhook.test'], status: 'paused' },
    ]) {
      server.clock.advance(1);
      expected = { ...expected, ...change, updatedAt: server.clock.now() };
      // Types are stored in the order of the list.
      if (expected.eventTypes?.length === 2) expected.eventTypes = ['dsr.created', 'breach.reported'];
      assert.deepEqual(payload(await client.edit(created.id, change), 200), expected);
      assert.deepEqual(await client.read(created.id), expected);
    }
  });

  test('writes nothing without a change', async () => {
    const client = await createClient(server);
    const eventTypes = ['dsr.created', 'breach.reported'];
    const sending = { filter: { type: ['access', null] }, rateLimit: 5, retrySchedule: [9, 10] };
    const fields = { description: 'One', eventTypes, ...sending, asymmetric: true };
    const { id, url, secret: _, ...rest } = await client.created(fields);
    server.clock.advance(1);
    await assertNothingWritten(server, async () => {
      for (const change of [
        {},
        { url: url.replace('https://hooks', 'HTTPS://HOOKS') },
        { description: 'One', status: 'enabled' },
        { eventTypes: eventTypes.toReversed() },
        { ...sending, asymmetric: true },
      ]) {
        const signalled = await client.signalled(async () =>
          assert.deepEqual(payload(await client.edit(id, change), 200), { id, url, ...rest }),
        );
        assert.deepEqual(signalled, []);
      }
    });
  });

  test('rejects the address of another webhook, and accepts its own', async () => {
    const client = await createClient(server);
    const [one, other] = [await client.created(), await client.created()];
    await assertNothingWritten(server, async () =>
      assertProblem(await client.edit(one.id, { url: other.url, description: 'x' }), '409 conflict'),
    );
    payload(await client.edit(one.id, { url: one.url, description: 'x' }), 200);
  });

  test('stores events while it is paused, and sends them immediately when it is enabled', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    assert.deepEqual(await client.signalled(() => client.happen()), [id]);
    const whilePaused = await client.signalled(async () => {
      payload(await client.edit(id, { status: 'paused' }), 200);
      await client.happen();
      payload(await client.edit(id, { description: 'Still paused' }), 200);
    });
    assert.deepEqual(whilePaused, []);
    assert.deepEqual(await client.queued(id), ['breach.reported', 'breach.reported']);
    assert.deepEqual(await client.signalled(() => client.edit(id, { status: 'enabled' })), [id]);
  });

  test('receives newly subscribed types of events from then on', async () => {
    const client = await createClient(server);
    const { id } = await client.created({ eventTypes: ['dsr.created'] });
    await client.happen();
    assert.deepEqual(await client.queued(id), []);
    payload(await client.edit(id, { eventTypes: ['dsr.created', 'breach.reported'] }), 200);
    await client.happen();
    assert.deepEqual(await client.queued(id), ['breach.reported']);
    payload(await client.edit(id, { eventTypes: null }), 200);
    await client.happen();
    assert.deepEqual(await client.queued(id), ['breach.reported', 'breach.reported']);
  });

  test('enables a disabled webhook, and resets its failures', async () => {
    const client = await createClient(server);
    const clear = { disabledReason: null, disabledAt: null, failingSince: null, lastError: null };
    for (const status of ['enabled', 'paused']) {
      const { id } = await client.created();
      await client.fail(id);
      await client.disable(id);
      const disabled = await client.read(id);
      assert.equal(disabled.status, 'disabled');
      server.clock.advance(hour);
      const signalled = await client.signalled(async () => {
        const edited = payload(await client.edit(id, { status }), 200);
        assert.deepEqual(edited, { ...disabled, ...clear, status, updatedAt: server.clock.now() });
      });
      assert.deepEqual(signalled, status === 'enabled' ? [id] : []);
      assert.deepEqual({ ...(await client.read(id)), ...clear }, await client.read(id));
    }
  });

  test('leaves a webhook disabled after other edits', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    await client.disable(id, 'gone');
    const signalled = await client.signalled(async () => {
      const { status, disabledReason } = payload(await client.edit(id, { description: 'x', url: newAddress() }), 200);
      assert.deepEqual([status, disabledReason], ['disabled', 'gone']);
    });
    assert.deepEqual(signalled, []);
  });

  test('resets the failures after a change of the address and after a pause, and not after other edits', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    await client.fail(id);
    const failingSince = server.clock.now();
    server.clock.advance(hour);
    for (const change of [{ description: 'x' }, { eventTypes: ['dsr.created'] }, { status: 'paused' }])
      assert.equal(payload(await client.edit(id, change), 200).failingSince, failingSince);
    for (const change of [{ status: 'enabled' }, { url: newAddress() }]) {
      const edited = payload(await client.edit(id, change), 200);
      assert.deepEqual([edited.failingSince, edited.lastError], [null, null]);
      assert.deepEqual([(await client.read(id)).failingSince, (await client.read(id)).lastError], [null, null]);
      await client.fail(id);
    }
  });

  test('records in the audit log what changed: hosts instead of addresses, and no description', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    const hidden = ['path', 'description', 'more', 'ann', 'bob'].map(needle);
    const [path, description, more, ann, bob] = hidden as [string, string, string, string, string];
    const { events } = await watch(server, client.tenant.id, async () => {
      await client.edit(id, { url: `https://other.example.com/${path}`, description });
      await client.edit(id, { url: `https://other.example.com/${more}` });
      await client.edit(id, { eventTypes: ['dsr.created'], status: 'paused' });
      await client.edit(id, { filter: { subjectId: [ann] }, asymmetric: true });
      await client.edit(id, { filter: { subjectId: [bob] }, rateLimit: 7, retrySchedule: [1, 2] });
    });
    assert.deepEqual(
      events.map(({ diff: { states, ...diff } }) => {
        assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
        return diff;
      }),
      [
        {
          changed: ['url', 'description'],
          before: { host: 'hooks.example.com' },
          after: { host: 'other.example.com' },
        },
        { changed: ['url'], before: { host: 'other.example.com' }, after: { host: 'other.example.com' } },
        {
          changed: ['eventTypes', 'status'],
          before: { eventTypes: null, status: 'enabled' },
          after: { eventTypes: ['dsr.created'], status: 'paused' },
        },
        {
          changed: ['filter', 'asymmetric'],
          before: { filter: null, asymmetric: false },
          after: { filter: ['subjectId'], asymmetric: true },
        },
        {
          changed: ['filter', 'rateLimit', 'retrySchedule'],
          before: { filter: ['subjectId'], rateLimit: null, retrySchedule: null },
          after: { filter: ['subjectId'], rateLimit: 7, retrySchedule: [1, 2] },
        },
      ],
    );
    for (const { action, module, targetId, targetRef } of events)
      assert.deepEqual([action, module, targetId, targetRef], ['webhook.edited', 'webhooks', id, 'other.example.com']);
    assertAbsent(JSON.stringify(events), ...hidden);
  });
});
