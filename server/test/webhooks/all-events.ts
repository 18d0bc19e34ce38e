import { addPerson, changePeople } from '../accounts/members/membership-helpers.ts';
import { createEnrolledMember } from '../accounts/mfa/authenticator.ts';
import { allGranted, capture, payload, visit, withdraw } from '../consent/helpers.ts';
import { ControlClient } from '../controls/helpers.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import { PrivacyClient } from '../privacy/requests.ts';
import { createEndpoint, createTestSender, openRequest, startScriptedReceiver, type TestSender } from './sending.ts';

/** Makes at least one event of every type happen in a tenant. */
export async function makeAllHappen(server: TestServer, tenant: TestTenant): Promise<void> {
  const { key } = tenant;
  await using receiver = await startScriptedReceiver();
  await createEndpoint(server, tenant, 'http://127.0.0.1:9/', { status: 'paused' });
  const { id: tested } = await createEndpoint(server, tenant, receiver.url, { eventTypes: ['webhook.test'] });

  const noticeId = await server.createNotice({ key });
  const decision = { subjectId: 'ada', purposes: allGranted };
  const { id: recordId } = payload(await capture(server, noticeId, decision, { key }));
  payload(await visit(server, noticeId, decision));
  payload(await withdraw(server, noticeId, recordId, { purposes: ['analytics'] }, { key }));
  payload(await capture(server, noticeId, { ...decision, subjectId: 'grace' }, { key }));
  const erase = '/v1/consent/subjects/grace/erase';
  payload(await server.request('POST', erase, { key, body: { reason: 'Asked for it' } }), 200);
  const draftId = await server.createNotice({ key, content: { name: 'Draft' }, publish: false });
  for (const id of [noticeId, draftId])
    payload(await server.request('POST', `/v1/consent/${id}/archive`, { key }), 200);

  const privacy = new PrivacyClient(server, tenant);
  payload(await privacy.complete((await privacy.opened()).id), 200);
  payload(await privacy.edit((await privacy.reported()).id, { severity: 'low' }), 200);

  const controls = new ControlClient(server, tenant);
  const controlId = await controls.create({ cadence: 'annual' });
  payload(await controls.edit(controlId, { status: 'in_progress' }), 200);
  const { id: testId } = payload(await controls.addTest(controlId));
  payload(await controls.record(controlId, testId, { status: 'fail' }));

  await verifyTwice(server, tenant);

  const email = `person@${tenant.slug}.example.com`;
  const { userId } = await createEnrolledMember(server, { tenantId: tenant.id, email, role: 'auditor' });
  await changePeople(server, tenant.id, [userId], { role: 'dpo' });
  await changePeople(server, tenant.id, [userId], { isActivated: false });
  await changePeople(server, tenant.id, [userId], { isActivated: true });
  payload(await server.request('DELETE', `/v1/users/${userId}/mfa`, { key }), 200);
  await changePeople(server, tenant.id, [userId], { isDeleted: true });
  await addPerson(server, tenant.id, { email, role: 'cs_agent' });

  await using sending = createTestSender(server);
  await failAtLength(server, tenant, sending);
  receiver.reply = { status: 410 };
  payload(await server.request('POST', `/v1/webhooks/${tested}/test`, { key }));
  await sending.deliver();
}

/** An endpoint fails for twenty minutes, recovers, and gives a delivery up. */
async function failAtLength(server: TestServer, tenant: TestTenant, sending: TestSender): Promise<void> {
  await using receiver = await startScriptedReceiver();
  receiver.reply = { status: 500 };
  const minutes = [5, 10, 15, 20, 25].map((offset) => offset * 60);
  await createEndpoint(server, tenant, receiver.url, { eventTypes: ['dsr.created'], retrySchedule: minutes });
  for (const replies of [[500, 500, 500, 500, 204], new Array(6).fill(500)]) {
    await openRequest(server, tenant);
    for (const status of replies) {
      receiver.reply = { status };
      await sending.deliver();
      server.clock.advance(5 * 60_000);
    }
  }
}

/** The ledgers are verified, and again while the name of the tenant is one that nothing audited. */
async function verifyTwice(server: TestServer, { id, slug: name }: TestTenant): Promise<void> {
  const { session: headers } = await server.createMember({ role: 'platform_admin' });
  const rename = (columns: { readonly name: string }) =>
    server.installation.database.kysely.updateTable('tenants').set(columns).where('id', '=', id).execute();
  for (const columns of [null, { name: 'Changed' }]) {
    if (columns !== null) await rename(columns);
    payload(await server.request('POST', '/v1/system/verifications', { headers }));
    await server.app.verifier.idle();
  }
  await rename({ name });
}
