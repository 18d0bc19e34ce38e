import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, type TestContext, test } from 'node:test';
import { catalogue } from '../../../controls/catalogue/catalogue.ts';
import type { Route } from '../../../http/route.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { acceptedCall, acceptedRequest, fillPath, join, onlyWithoutTenants } from '../../http/route-samples.ts';
import { createScene, type Scene } from '../../http/scene.ts';
import { assertTenantsNamed } from '../../tenant-statements.ts';
import { type ListedEvent, readAllPages } from './audit-trail.ts';

/** The controls that an adoption of GDPR brings into force. */
const ofGdpr = catalogue.controls.filter(({ mappings }) => mappings.GDPR !== undefined);

/**
 * The events that each writing operation appends, when it is called with its sample of route-samples.ts. Further events
 * are tested in the folder of the operation.
 */
const expectedEvents: Readonly<Record<string, readonly string[]>> = {
  createConsentNotice: ['consent_notice.created'],
  editConsentNotice: ['consent_notice.edited'],
  deleteConsentNotice: ['consent_notice.deleted'],
  publishConsentNotice: ['consent_notice.published'],
  archiveConsentNotice: ['consent_notice.archived'],
  recordConsentDecision: ['consent.recorded'],
  captureConsentRecord: ['consent.recorded'],
  withdrawConsentRecord: ['consent.withdrawn'],
  capturePublicConsentRecord: ['consent.recorded'],
  createDsr: ['dsr.created'],
  editDsr: ['dsr.edited'],
  extendDsr: ['dsr.extended'],
  completeDsr: ['dsr.completed'],
  eraseSubject: ['subject.erased'],
  eraseUser: ['user.erased'],
  eraseDsr: ['dsr.erased', 'subject.erased'],
  eraseBreach: ['breach.erased', 'subject.erased'],
  eraseEvidence: ['control_evidence.erased', 'subject.erased'],
  createDsrConfirmationLink: ['dsr.confirmation_link_created'],
  createPublicDsr: ['dsr.created'],
  confirmPublicDsr: ['dsr.address_confirmed'],
  reportBreach: ['breach.reported'],
  editBreach: ['breach.updated'],
  adoptFrameworks: [
    'control_program.adopted',
    ...ofGdpr.map(() => 'control.created'),
    ...ofGdpr.flatMap(({ tests }) => tests).map(() => 'control_test.created'),
  ],
  createControl: ['control.created'],
  editControl: ['control.status_changed'],
  retireControl: ['control.retired'],
  addEvidence: ['control_evidence.added'],
  uploadEvidenceFile: ['control_evidence.added'],
  withdrawEvidence: ['control_evidence.withdrawn'],
  addControlTest: ['control_test.created'],
  retireControlTest: ['control_test.retired'],
  recordTestResult: ['control_test_result.recorded'],
  createAuditCheckpoint: ['checkpoint.requested'],
  createConsentCheckpoint: ['checkpoint.requested'],
  signIn: ['session.created'],
  answerChallenge: ['mfa.backup_code_used', 'session.created'],
  signOut: ['session.ended'],
  changePassword: ['account.password_changed'],
  acceptInvitation: ['invitation.accepted', 'user.provisioned', 'account.password_changed'],
  endMyOtherSessions: ['session.ended'],
  endMySession: ['session.ended'],
  enrollTotp: ['mfa.enrolment_started'],
  verifyTotp: ['mfa.enabled'],
  disableTotp: ['mfa.disabled'],
  replaceBackupCodes: ['mfa.backup_codes_replaced'],
  editUser: ['user.suspended'],
  removeUser: ['user.deprovisioned'],
  revokeUserSessions: ['session.revoked'],
  revokeUserSession: ['session.revoked'],
  resetUserSecondFactor: ['mfa.reset'],
  createPasswordReset: ['account.password_reset_created'],
  resetPassword: ['account.password_changed'],
  startSession: ['session.created'],
  editMe: ['user.updated'],
  switchTenant: ['session.ended'],
  inviteUser: ['invitation.created'],
  revokeInvitation: ['invitation.revoked'],
  editTenant: ['tenant.edited'],
  replaceTrustCenter: ['trust_center.created', 'trust_center.published'],
  saveTrustDraft: ['trust_center.draft_saved'],
  discardTrustDraft: ['trust_center.draft_discarded'],
  createWebhook: ['webhook.created'],
  editWebhook: ['webhook.edited'],
  deleteWebhook: ['webhook.deleted'],
  rotateWebhookSecret: ['webhook.secret_rotated'],
  testWebhook: ['webhook.tested'],
  redeliverWebhookDelivery: ['webhook_delivery.redelivered'],
  cancelWebhookDelivery: ['webhook_delivery.canceled'],
  redeliverWebhookDeliveries: ['webhook_redelivery.ordered'],
  cancelWebhookRedelivery: ['webhook_redelivery.canceled'],
  // In the log of the new tenant only.
  createTenant: [],
  // It only reads: the token is in the body because a URL would be logged.
  previewInvitation: [],
  startVerification: ['verification.started'],
  createApiKey: ['api_key.created'],
  revokeApiKey: ['api_key.revoked'],
  rotateApiKey: ['api_key.created', 'api_key.rotated'],
  createScimToken: ['scim_token.created'],
  revokeScimToken: ['scim_token.revoked'],
  issueAccessToken: ['access_token.issued'],
  revokeAccessToken: ['access_token.revoked'],
  createScimUser: ['user.provisioned'],
  patchScimUser: ['user.suspended'],
  replaceScimUser: ['user.updated', 'scim.extended_request'],
  deleteScimUser: ['user.deprovisioned'],
  createScimGroup: ['user.role_changed'],
  replaceScimGroup: ['user.role_changed'],
  patchScimGroup: ['user.role_changed'],
  deleteScimGroup: ['user.suspended'],
};

describeOnOneDatabase('the audit log', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(async () => {
    assertTenantsNamed(server);
    await server[Symbol.asyncDispose]();
  });

  const listWrites = () =>
    server.app.routes.filter(
      ({ method, operationId }) =>
        method !== 'GET' && operationId !== 'searchSubjects' && !onlyWithoutTenants.has(operationId),
    );

  async function onWrites(context: TestContext, check: (route: Route) => Promise<void>) {
    for (const route of listWrites()) await context.test(`${route.method} ${route.path}`, () => check(route));
  }

  const readLog = async ({ tenant }: Scene) =>
    (await readAllPages(server, { limit: '200' }, { key: tenant.key })).events;

  /** Returns the events that a step appended to the log of a tenant, oldest first. */
  async function appended(scene: Scene, step: () => Promise<unknown>): Promise<readonly ListedEvent[]> {
    const before = await readLog(scene);
    await step();
    const after = await readLog(scene);
    const kept = after.slice(after.length - before.length);
    // An erasure clears what identifies a person, which the hashes only commit to.
    const isErased = after.some(({ action }) => action === 'user.erased');
    const read = (event: ListedEvent) => (isErased ? event.hash : event);
    assert.deepEqual(kept.map(read), before.map(read));
    return after.slice(0, after.length - before.length).reverse();
  }

  /** The actor that an event must name, as far as the access of an operation decides it. */
  async function actorOf(route: Route, scene: Scene) {
    const { kysely } = server.installation.database;
    const findId = async (table: 'api_keys' | 'scim_tokens', token: string) =>
      (
        await kysely
          .selectFrom(table)
          .select('id')
          .where('display_prefix', '=', token.slice(0, table === 'api_keys' ? 13 : 9))
          .where('tenant_id', '=', scene.tenant.id)
          .executeTakeFirstOrThrow()
      ).id;
    switch (route.auth) {
      case 'scope':
        return { actorType: 'api_key', actorId: await findId('api_keys', scene.tenant.key), actorEmail: null };
      case 'scim':
        return {
          actorType: 'api_key',
          actorId: await findId('scim_tokens', await scene.scimToken()),
          actorEmail: null,
        };
      case 'session': {
        const { userId, email } = await scene.caller();
        return { actorType: 'user', actorId: userId, actorEmail: email };
      }
      case 'platform': {
        const { userId, email } = await scene.operator('platform_admin');
        return { actorType: 'user', actorId: userId, actorEmail: email };
      }
      case 'public':
        return { actorType: 'system', actorId: null, actorEmail: null };
      default: {
        // Signing in names the actor; the form of data subject requests does not.
        const isForm = route.path.startsWith('/v1/public/');
        return isForm ? { actorType: 'system', actorId: null, actorEmail: null } : null;
      }
    }
  }

  test('records every operation that writes: what was done, by whom and when', async (context) => {
    await onWrites(context, async (route) => {
      const expected = expectedEvents[route.operationId];
      assert.ok(expected, `${route.operationId} is not listed: add its events to "expectedEvents"`);
      const scene = await createScene(server);
      const { path, request, credentials } = await acceptedCall(route, scene);
      const actor = await actorOf(route, scene);
      const events = await appended(scene, async () => {
        const response = await server.request(route.method, path, join(credentials, request));
        assert.equal(response.status, route.status, response.text);
      });
      assert.deepEqual(
        events.map(({ action }) => action),
        expected,
      );
      for (const { actorType, actorId, actorEmail, at, targetId } of events) {
        if (actor !== null) assert.deepEqual({ actorType, actorId, actorEmail }, actor);
        else assert.ok(['user', 'api_key'].includes(actorType) && actorId !== null);
        assert.equal(at, server.clock.now());
        assert.notEqual(targetId, null);
      }
    });
    const written = listWrites().map(({ operationId }) => operationId);
    assert.deepEqual(Object.keys(expectedEvents).sort(), written.sort());
  });

  test('records nothing for a retry that gets the first answer again', async (context) => {
    const retryable = server.app.routes.filter(({ idempotencyKey }) => idempotencyKey !== 'none');
    for (const route of retryable) {
      await context.test(`${route.method} ${route.path}`, async () => {
        const scene = await createScene(server);
        const { path, request, credentials } = await acceptedCall(route, scene);
        const options = join(credentials, request, { headers: { 'Idempotency-Key': `retry-${randomUUID()}` } });
        const first = await server.request(route.method, path, options);
        const events = await appended(scene, async () => {
          const again = await server.request(route.method, path, options);
          assert.deepEqual([again.status, again.text], [route.status, first.text]);
          assert.equal(again.headers.get('idempotent-replayed'), 'true');
        });
        assert.deepEqual(events, []);
      });
    }
  });

  test('of a tenant records nothing that its members do in another', async (context) => {
    const other = await createScene(server);
    await onWrites(context, async (route) => {
      const scene = await createScene(server);
      const { path, request, credentials } = await acceptedCall(route, scene);
      const events = await appended(other, () => server.request(route.method, path, join(credentials, request)));
      assert.deepEqual(events, []);
    });
  });

  test('records nothing for a rejected request of a user of another tenant', async (context) => {
    const scene = await createScene(server);
    await onWrites(context, async (route) => {
      if (!['scope', 'scim'].includes(route.auth) || !route.path.includes('{')) return;
      const stranger = await createScene(server);
      const request = await acceptedRequest(route, stranger);
      const path = await fillPath(route, scene);
      const key = route.auth === 'scope' ? stranger.tenant.key : await stranger.scimToken();
      const events = await appended(scene, () => server.request(route.method, path, join(request, { key })));
      assert.deepEqual(events, []);
    });
  });
});
