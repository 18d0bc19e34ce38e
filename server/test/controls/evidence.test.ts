import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { assertAbsent, needle } from '../needle.ts';
import { base, openTenant, payload } from './helpers.ts';
import { evidenceItem } from './samples.ts';

describeServer('the evidence of a control', (server) => {
  const at = (milliseconds: number) => new Date(server.clock.milliseconds() + milliseconds).toISOString();
  const begin = async (change: object = {}) => {
    const client = await openTenant(server);
    const id = await client.create(change);
    return { client, id, path: `${base}/controls/${id}/evidence` };
  };

  test('is stored unchanged, and can be read by id', async () => {
    const { client, id, path } = await begin();
    const wanted = {
      title: '  Access review ',
      kind: 'report',
      description: 'Of the third quarter',
      url: 'HTTPS://Files.Example.com/review.pdf?page=1#top',
      sha256: 'AB'.repeat(32),
      collectedAt: '2026-11-01T10:00:00+02:00',
      expiresAt: '2027-11-01T08:00:00Z',
    };
    const item = payload(await client.send('POST', path, wanted), 201);
    assert.deepEqual(item, {
      id: item.id,
      controlId: id,
      title: 'Access review',
      kind: 'report',
      description: 'Of the third quarter',
      url: 'https://files.example.com/review.pdf?page=1#top',
      sha256: 'ab'.repeat(32),
      file: null,
      collectedAt: '2026-11-01T08:00:00.000Z',
      expiresAt: '2027-11-01T08:00:00.000Z',
      isValid: true,
      createdAt: server.clock.now(),
      withdrawnAt: null,
      withdrawalReason: null,
      erasedAt: null,
    });
    assert.deepEqual(await client.read(`${path}/${item.id}`), item);
    const bare = payload(await client.addEvidence(id), 201);
    const { description, url, sha256, expiresAt } = bare;
    assert.deepEqual([description, url, sha256, expiresAt], [null, null, null, null]);
    const { evidenceCount, evidenceFreshness } = await client.get(id);
    assert.deepEqual([evidenceCount, evidenceFreshness], [2, 'current']);
  });

  test('is rejected with a hash that is none', async () => {
    const { client, id } = await begin();
    await client.assertNothingWritten(async () => {
      for (const sha256 of ['ab', 'g'.repeat(64)])
        assertInvalid(await client.addEvidence(id, { sha256 }), 'body.sha256');
    });
  });

  test('must expire after it was collected', async () => {
    const { client, id } = await begin();
    const { collectedAt } = evidenceItem;
    await client.assertNothingWritten(async () => {
      for (const expiresAt of [collectedAt, '2026-10-31T00:00:00Z'])
        assertInvalid(await client.addEvidence(id, { expiresAt }), 'body.expiresAt');
    });
    const expiresAt = new Date(Date.parse(collectedAt) + 1).toISOString();
    assert.equal(payload(await client.addEvidence(id, { expiresAt }), 201).isValid, false);
    assert.equal((await client.get(id)).evidenceFreshness, 'expired');
  });

  for (const status of ['evidence_requested', 'overdue']) {
    test(`makes a control that is ${status} evidence_submitted, and reports it`, async () => {
      const { client, id } = await begin();
      payload(await client.edit(id, { status: 'evidence_requested', evidenceDueAt: at(1) }));
      if (status === 'overdue') server.clock.advance(2);
      payload(await client.addEvidence(id, { expiresAt: at(-1) }), 201);
      assert.equal((await client.get(id)).status, status, 'one that has ended already is none');
      payload(await client.addEvidence(id), 201);
      const control = await client.get(id);
      assert.deepEqual([control.status, control.evidenceDueAt], ['evidence_submitted', null]);
      const actions = (await client.readEvents()).map(({ action }) => action);
      assert.deepEqual(actions.slice(-2), ['control_evidence.added', 'control.status_changed']);
      const { code } = control;
      const data = { controlId: id, code, from: status, to: 'evidence_submitted' };
      assert.deepEqual((await client.readWebhooks()).at(-1), { type: 'control.status_changed', data });
    });
  }

  test('leaves every other status as it is', async () => {
    const { client, id } = await begin();
    for (const status of ['not_started', 'in_progress', 'implemented', 'needs_review']) {
      payload(await client.edit(id, { status }));
      payload(await client.addEvidence(id), 201);
      assert.equal((await client.get(id)).status, status);
    }
  });

  test('no longer counts when it is withdrawn, and is kept with the reason', async () => {
    const { client, id, path } = await begin();
    const item = payload(await client.addEvidence(id), 201);
    payload(await client.edit(id, { status: 'evidence_submitted' }));
    server.clock.advance(1);
    const reason = needle('reason');
    const withdrawn = payload(await client.withdraw(id, item.id, reason));
    const expected = { withdrawnAt: at(0), withdrawalReason: reason, isValid: false };
    assert.deepEqual(withdrawn, { ...item, ...expected });
    assert.deepEqual(await client.read(`${path}/${item.id}`), withdrawn);
    const { evidenceCount, evidenceFreshness, status } = await client.get(id);
    assert.deepEqual([evidenceCount, evidenceFreshness, status], [0, 'missing', 'evidence_submitted']);
    server.clock.advance(1);
    await client.assertNothingWritten(async () =>
      assert.deepEqual(payload(await client.withdraw(id, item.id, 'Again')), withdrawn),
    );
    const event = (await client.readEvents()).at(-1);
    assert.deepEqual([event.action, event.reason], ['control_evidence.withdrawn', reason]);
    assertAbsent(JSON.stringify(event.diff), reason);
  });

  test('is in the audit log with its kind and dates, without its text', async () => {
    const { client, id } = await begin();
    const [secret, path] = [`Payroll of Zoë ${needle('zoe')}`, needle('path')];
    payload(
      await client.addEvidence(id, { title: secret, description: secret, url: `https://example.com/${path}` }),
      201,
    );
    const event = (await client.readEvents()).at(-1);
    const { states: _, ...diff } = event.diff;
    const { kind, collectedAt } = evidenceItem;
    assert.deepEqual(diff, { controlId: id, kind, collectedAt, expiresAt: null });
    assertAbsent(JSON.stringify(event), secret, path);
  });

  test('is listed page by page, the items added last first, withdrawn ones included', async () => {
    const { client, id, path } = await begin();
    const other = await client.create();
    payload(await client.addEvidence(other), 201);
    const added: string[] = [];
    for (const index of Array(7).keys())
      added.unshift(payload(await client.addEvidence(id, { title: `Item ${index}` }), 201).id);
    payload(await client.withdraw(id, added[3] as string));
    await client.assertPages(path, added);
    const { nextCursor } = await client.read(`${path}?limit=1`);
    const elsewhere = `${base}/controls/${other}/evidence?cursor=${nextCursor}`;
    assertProblem(await client.send('GET', elsewhere), 'invalid_cursor');
  });
});
