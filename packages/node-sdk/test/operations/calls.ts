import type { Svc } from '../../src/client.ts';
import type { RequestOptions } from '../../src/transport.ts';
import type { OperationResults } from '../../src/types/api.ts';

/** What a call hands in, as the sample of its route has it. */
export interface Sample {
  readonly path: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: samples have every shape
  readonly query: any;
  // biome-ignore lint/suspicious/noExplicitAny: samples have every shape
  readonly body: any;
  /** The page that a visitor decides on. */
  readonly origin: string;
  readonly options: RequestOptions;
}

type SdkCall<Result> = (svc: Svc, sample: Sample & { readonly id: string }) => PromiseLike<Result>;

/** The method of each operation, which returns what the document says. */
const calls: { readonly [Id in keyof OperationResults]: SdkCall<OperationResults[Id]> } = {
  listConsentNotices: (svc, { options, query }) => svc.consent.notices.list(query, options),
  recordConsentDecision: (svc, { options, body }) => svc.consent.decide(body, options),
  createConsentNotice: (svc, { options, body }) => svc.consent.notices.create(body, options),
  editConsentNotice: (svc, { options, id, body }) => svc.consent.notices.update(id, body, options),
  getConsent: (svc, { options, id }) => svc.consent.notices.retrieve(id, options),
  deleteConsentNotice: (svc, { options, id }) => svc.consent.notices.delete(id, options),
  getConsentNoticeStatistics: (svc, { options, id, query }) => svc.consent.notices.statistics(id, query, options),
  listConsentNoticeSightings: (svc, { options, id }) => svc.consent.notices.listSightings(id, options),
  publishConsentNotice: (svc, { options, id, body }) => svc.consent.notices.publish(id, { ...body, ...options }),
  archiveConsentNotice: (svc, { options, id }) => svc.consent.notices.archive(id, options),
  listConsentNoticeVersions: (svc, { options, id, query }) => svc.consent.notices.listVersions(id, query, options),
  getConsentNoticeWords: (svc, { options, query }) => svc.consent.notices.retrieveWords(query, options),
  getConsentNoticeShown: (svc, { options, id, path }) =>
    svc.consent.notices.retrieveShown(id, read(path, 'hash'), options),
  getSubjectLedger: (svc, { options, path, query }) =>
    svc.consent.subjects.retrieve(read(path, 'subjectId'), query, options),
  searchSubjects: (svc, { options, body }) => svc.consent.subjects.search(body, options),
  eraseSubject: (svc, { options, path, body }) => svc.consent.subjects.erase(read(path, 'subjectId'), body, options),
  listConsentRecords: (svc, { options, id, query }) => svc.consent.records.list(id, query, options),
  captureConsentRecord: (svc, { options, id, body }) => svc.consent.records.capture(id, body, options),
  getConsentRecord: (svc, { options, id, path }) => svc.consent.records.retrieve(id, read(path, 'recordId'), options),
  findConsentRecord: (svc, { options, path }) => svc.consent.records.find(read(path, 'recordId'), options),
  getConsentReceipt: (svc, { options, path }) => svc.consent.records.retrieveReceipt(read(path, 'recordId'), options),
  withdrawConsentRecord: (svc, { options, id, path, body }) =>
    svc.consent.records.withdraw(id, read(path, 'recordId'), body, options),
  getPublicConsentNotice: (svc, { options, path, query }) =>
    svc.public.consent.retrieveNotice(read(path, 'noticeId'), query, options),
  capturePublicConsentRecord: (svc, { options, path, body, origin }) =>
    svc.public.consent.capture(read(path, 'noticeId'), body, { origin, ...options }),
  listAuditEvents: (svc, { options, query }) => svc.audit.list(query, options),
  getAuditEvent: (svc, { options, id }) => svc.audit.retrieve(id, options),
  listAuditCheckpoints: (svc, { options, query }) => svc.ledgers.audit.checkpoints.list(query, options),
  createAuditCheckpoint: (svc, { options }) => svc.ledgers.audit.checkpoints.create(options),
  getLatestAuditCheckpoint: (svc, { options }) => svc.ledgers.audit.checkpoints.retrieveLatest(options),
  proveAuditInclusion: (svc, { options, query }) => svc.ledgers.audit.proveInclusion(query, options),
  proveAuditConsistency: (svc, { options, query }) => svc.ledgers.audit.proveConsistency(query, options),
  exportAuditLedger: (svc, { options, query }) => svc.ledgers.audit.export(query, options),
  listConsentCheckpoints: (svc, { options, query }) => svc.ledgers.consent.checkpoints.list(query, options),
  createConsentCheckpoint: (svc, { options }) => svc.ledgers.consent.checkpoints.create(options),
  getLatestConsentCheckpoint: (svc, { options }) => svc.ledgers.consent.checkpoints.retrieveLatest(options),
  proveConsentInclusion: (svc, { options, query }) => svc.ledgers.consent.proveInclusion(query, options),
  proveConsentConsistency: (svc, { options, query }) => svc.ledgers.consent.proveConsistency(query, options),
  exportConsentLedger: (svc, { options, query }) => svc.ledgers.consent.export(query, options),
  getLedgerVerification: (svc, { options }) => svc.ledgers.retrieveVerification(options),
  listControls: (svc, { options }) => svc.controls.list(options),
  listFrameworks: (svc, { options }) => svc.controls.frameworks.list(options),
  getFramework: (svc, { options, path }) => svc.controls.frameworks.retrieve(read(path, 'code'), options),
  getReadiness: (svc, { options }) => svc.controls.retrieveReadiness(options),
  getTestHealth: (svc, { options }) => svc.controls.retrieveTestHealth(options),
  getEvidenceUsage: (svc, { options }) => svc.controls.evidence.usage(options),
  adoptFrameworks: (svc, { options, body }) => svc.controls.frameworks.adopt(body, options),
  createControl: (svc, { options, body }) => svc.controls.create(body, options),
  getControl: (svc, { options, path }) => svc.controls.retrieve(read(path, 'controlId'), options),
  editControl: (svc, { options, path, body }) => svc.controls.update(read(path, 'controlId'), body, options),
  retireControl: (svc, { options, path }) => svc.controls.retire(read(path, 'controlId'), options),
  addEvidence: (svc, { options, path, body }) => svc.controls.evidence.add(read(path, 'controlId'), body, options),
  uploadEvidenceFile: (svc, { options, path, query, body }) =>
    svc.controls.evidence.upload(read(path, 'controlId'), body, query, options),
  downloadEvidenceFile: (svc, { options, path }) =>
    svc.controls.evidence.download(read(path, 'controlId'), read(path, 'evidenceId'), options),
  listEvidence: (svc, { options, path, query }) => svc.controls.evidence.list(read(path, 'controlId'), query, options),
  getEvidence: (svc, { options, path }) =>
    svc.controls.evidence.retrieve(read(path, 'controlId'), read(path, 'evidenceId'), options),
  withdrawEvidence: (svc, { options, path, body }) =>
    svc.controls.evidence.withdraw(read(path, 'controlId'), read(path, 'evidenceId'), body, options),
  eraseEvidence: (svc, { options, path, body }) =>
    svc.controls.evidence.erase(read(path, 'controlId'), read(path, 'evidenceId'), body, options),
  addControlTest: (svc, { options, path, body }) => svc.controls.tests.add(read(path, 'controlId'), body, options),
  listControlTests: (svc, { options, path, query }) => svc.controls.tests.list(read(path, 'controlId'), query, options),
  retireControlTest: (svc, { options, path }) =>
    svc.controls.tests.retire(read(path, 'controlId'), read(path, 'testId'), options),
  recordTestResult: (svc, { options, path, body }) =>
    svc.controls.tests.recordResult(read(path, 'controlId'), read(path, 'testId'), body, options),
  listTestResults: (svc, { options, path, query }) =>
    svc.controls.tests.listResults(read(path, 'controlId'), read(path, 'testId'), query, options),
  listMembers: (svc, { options, query }) => svc.members.list(query, options),
  listUsers: (svc, { options, query }) => svc.users.list(query, options),
  getUser: (svc, { options, id }) => svc.users.retrieve(id, options),
  editUser: (svc, { options, id, body }) => svc.users.update(id, body, options),
  removeUser: (svc, { options, id }) => svc.users.remove(id, options),
  eraseUser: (svc, { options, id, body }) => svc.users.erase(id, body, options),
  createPasswordReset: (svc, { options, id }) => svc.users.createPasswordReset(id, options),
  listUserSessions: (svc, { options, id }) => svc.users.sessions.list(id, options),
  revokeUserSessions: (svc, { options, id }) => svc.users.sessions.revokeAll(id, options),
  revokeUserSession: (svc, { options, id, path }) => svc.users.sessions.revoke(id, read(path, 'sessionId'), options),
  resetUserSecondFactor: (svc, { options, id }) => svc.users.resetSecondFactor(id, options),
  listInvitations: (svc, { options, query }) => svc.users.invitations.list(query, options),
  inviteUser: (svc, { options, body }) => svc.users.invitations.create(body, options),
  revokeInvitation: (svc, { options, id }) => svc.users.invitations.revoke(id, options),
  createDsr: (svc, { options, body }) => svc.dsr.create(body, options),
  listDsrs: (svc, { options, query }) => svc.dsr.list(query, options),
  getDsr: (svc, { options, id }) => svc.dsr.retrieve(id, options),
  editDsr: (svc, { options, id, body }) => svc.dsr.update(id, body, options),
  extendDsr: (svc, { options, id, body }) => svc.dsr.extend(id, body, options),
  createDsrConfirmationLink: (svc, { options, id }) => svc.dsr.createConfirmationLink(id, options),
  eraseDsr: (svc, { options, id, body }) => svc.dsr.erase(id, body, options),
  completeDsr: (svc, { options, id, body }) => svc.dsr.complete(id, body, options),
  reportBreach: (svc, { options, body }) => svc.breaches.report(body, options),
  listBreaches: (svc, { options, query }) => svc.breaches.list(query, options),
  getBreach: (svc, { options, id }) => svc.breaches.retrieve(id, options),
  eraseBreach: (svc, { options, id, body }) => svc.breaches.erase(id, body, options),
  editBreach: (svc, { options, id, body }) => svc.breaches.update(id, body, options),
  getTenant: (svc, { options }) => svc.tenant.retrieve(options),
  getOverview: (svc, { options }) => svc.tenant.overview(options),
  editTenant: (svc, { options, body }) => svc.tenant.update(body, options),
  getTrustCenter: (svc, { options }) => svc.trust.retrieve(options),
  replaceTrustCenter: (svc, { options, body }) => svc.trust.replace(body, options),
  saveTrustDraft: (svc, { options, body }) => svc.trust.saveDraft(body, options),
  discardTrustDraft: (svc, { options }) => svc.trust.discardDraft(options),
  createPublicDsr: (svc, { options, path, body }) => svc.public.requests.create(read(path, 'slug'), body, options),
  confirmPublicDsr: (svc, { options, body }) => svc.public.requests.confirm(body, options),
  getPublicTrustWidget: (svc, { options, path, query }) =>
    svc.public.trust.retrieveWidget(read(path, 'slug'), query, options),
  createWebhook: (svc, { options, body }) => svc.webhooks.create(body, options),
  listWebhooks: (svc, { options, query }) => svc.webhooks.list(query, options),
  getWebhookStatistics: (svc, { options, id, query }) => svc.webhooks.statistics(id, query, options),
  getWebhook: (svc, { options, id }) => svc.webhooks.retrieve(id, options),
  editWebhook: (svc, { options, id, body }) => svc.webhooks.update(id, body, options),
  deleteWebhook: (svc, { options, id }) => svc.webhooks.delete(id, options),
  rotateWebhookSecret: (svc, { options, id, body }) => svc.webhooks.rotateSecret(id, body, options),
  testWebhook: (svc, { options, id }) => svc.webhooks.test(id, options),
  listWebhookDeliveries: (svc, { options, query }) => svc.webhooks.deliveries.list(query, options),
  getWebhookDelivery: (svc, { options, id }) => svc.webhooks.deliveries.retrieve(id, options),
  redeliverWebhookDelivery: (svc, { options, id }) => svc.webhooks.deliveries.redeliver(id, options),
  cancelWebhookDelivery: (svc, { options, id }) => svc.webhooks.deliveries.cancel(id, options),
  redeliverWebhookDeliveries: (svc, { options, body }) => svc.webhooks.redeliveries.create(body, options),
  countWebhookRedelivery: (svc, { options, query }) => svc.webhooks.redeliveries.count(query, options),
  listWebhookRedeliveries: (svc, { options, query }) => svc.webhooks.redeliveries.list(query, options),
  getWebhookRedelivery: (svc, { options, id }) => svc.webhooks.redeliveries.retrieve(id, options),
  cancelWebhookRedelivery: (svc, { options, id }) => svc.webhooks.redeliveries.cancel(id, options),
  listApiKeys: (svc, { options, query }) => svc.apiKeys.list(query, options),
  createApiKey: (svc, { options, body }) => svc.apiKeys.create(body, options),
  getApiKey: (svc, { options, id }) => svc.apiKeys.retrieve(id, options),
  revokeApiKey: (svc, { options, id }) => svc.apiKeys.revoke(id, options),
  rotateApiKey: (svc, { options, id, body }) => svc.apiKeys.rotate(id, body, options),
  getScimToken: (svc, { options }) => svc.scimToken.retrieve(options),
  createScimToken: (svc, { options }) => svc.scimToken.create(options),
  revokeScimToken: (svc, { options }) => svc.scimToken.revoke(options),
  getScimServiceProviderConfig: (svc, { options }) => svc.scim.serviceProviderConfig(options),
  listScimSchemas: (svc, { options }) => svc.scim.listSchemas(options),
  getScimSchema: (svc, { options, id }) => svc.scim.retrieveSchema(id, options),
  listScimResourceTypes: (svc, { options }) => svc.scim.listResourceTypes(options),
  getScimResourceType: (svc, { options, id }) => svc.scim.retrieveResourceType(id, options),
  listScimUsers: (svc, { options, query }) => svc.scim.users.list(query, options),
  createScimUser: (svc, { options, query, body: { schemas: _, ...user } }) =>
    svc.scim.users.create(user, query, options),
  getScimUser: (svc, { options, query, id }) => svc.scim.users.retrieve(id, query, options),
  patchScimUser: (svc, { options, query, id, body }) => svc.scim.users.patch(id, body.Operations, query, options),
  replaceScimUser: (svc, { options, query, id, body: { schemas: _, ...user } }) =>
    svc.scim.users.replace(id, user, query, options),
  deleteScimUser: (svc, { options, id }) => svc.scim.users.delete(id, options),
  listScimGroups: (svc, { options, query }) => svc.scim.groups.list(query, options),
  createScimGroup: (svc, { options, query, body: { schemas: _, ...group } }) =>
    svc.scim.groups.create(group, query, options),
  getScimGroup: (svc, { options, query, path }) => svc.scim.groups.retrieve(read(path, 'role'), query, options),
  replaceScimGroup: (svc, { options, query, path, body: { schemas: _, ...group } }) =>
    svc.scim.groups.replace(read(path, 'role'), group, query, options),
  patchScimGroup: (svc, { options, query, path, body }) =>
    svc.scim.groups.patch(read(path, 'role'), body.Operations, query, options),
  deleteScimGroup: (svc, { options, path }) => svc.scim.groups.clear(read(path, 'role'), options),
};

/** The ids of the operations that have a method. */
export const calledOperations: readonly string[] = Object.keys(calls);

/** Calls the method of an operation with a sample. */
export function callOperation(svc: Svc, operationId: string, sample: Sample): PromiseLike<unknown> {
  const call = calls[operationId as keyof OperationResults];
  if (call === undefined) throw new Error(`${operationId} has no method: add one, or name it in leftOutOperations`);
  return call(svc, { ...sample, id: sample.path.id ?? '' });
}

function read(path: Sample['path'], name: string): string {
  const value = path[name];
  if (value === undefined) throw new Error(`the path has no {${name}}`);
  return value;
}
