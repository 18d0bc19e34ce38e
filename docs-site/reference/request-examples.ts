import type { Operation } from './reference.ts';

/** The request of an operation's example; `$NAMES` are placeholders for the reader's values. */
interface RequestExample {
  /** A text is the content of a file. */
  readonly body?: object | string;
  readonly query?: Readonly<Record<string, string>>;
}

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const password = { password: '$PASSWORD' };
const page = { query: { limit: '20' } };

const requestExamples: Readonly<Record<string, RequestExample>> = {
  listConsentNotices: { query: { status: 'published', limit: '20' } },
  createConsentNotice: {
    body: {
      name: 'Shop',
      controllerName: 'Example Ltd',
      language: 'en',
      domain: 'shop.example.com',
      purposes: [
        { key: 'necessary', label: 'Necessary', description: 'Basket and sign-in.', required: true },
        { key: 'analytics', label: 'Analytics', description: 'Counts visits.', required: false },
      ],
    },
  },
  editConsentNotice: { body: { controllerName: 'Example Holding Ltd' } },
  publishConsentNotice: { body: { asksAgain: true } },
  recordConsentDecision: {
    body: { noticeId: '$NOTICE', subjectId: 'customer-42', purpose: 'analytics', granted: true },
  },
  captureConsentRecord: {
    body: {
      subjectId: 'customer-42',
      subjectChannel: 'subject_id',
      method: 'checkbox',
      purposes: { analytics: true, marketing: false },
    },
  },
  listConsentRecords: page,
  withdrawConsentRecord: { body: { purposes: ['analytics'] } },
  capturePublicConsentRecord: {
    body: {
      subjectId: '5f0a7d5e-3c0b-4c55-9d6e-0c2f4c1b8a77',
      method: 'banner',
      purposes: { necessary: true, analytics: true, marketing: false },
    },
  },
  listAuditEvents: { query: { module: 'consent', limit: '20' } },
  proveAuditInclusion: { query: { sequence: '1' } },
  proveConsentInclusion: { query: { sequence: '1' } },
  proveAuditConsistency: { query: { from: '1' } },
  proveConsentConsistency: { query: { from: '1' } },
  adoptFrameworks: { body: { frameworks: ['GDPR', 'SOC2'] } },
  createControl: {
    body: {
      code: 'OWN-1',
      title: 'Visitors are met at the door',
      description: 'Visitors are escorted in the office.',
      domain: 'Reception',
      cadence: 'quarterly',
    },
  },
  editControl: { body: { status: 'in_progress', reason: 'Work has begun.' } },
  addEvidence: {
    body: { title: 'Signed access policy', kind: 'document', collectedAt: '2026-11-02T09:00:00Z' },
  },
  uploadEvidenceFile: {
    query: { title: 'Accounts', kind: 'report', name: 'accounts.csv', collectedAt: '2026-11-02T09:00:00Z' },
    body: 'Account,Role\nada,admin\n',
  },
  withdrawEvidence: { body: { reason: 'It was the file of last year.' } },
  addControlTest: { body: { title: 'Compare the list of accounts with the staff', cadence: 'quarterly' } },
  recordTestResult: { body: { status: 'pass', notes: 'All 42 accounts belong to staff.' } },
  signIn: { body: { email: '$EMAIL', password: '$PASSWORD', tenant: '$TENANT' } },
  answerChallenge: { body: { challengeId: '$CHALLENGE', code: '$CODE' } },
  changePassword: { body: { currentPassword: '$PASSWORD', newPassword: 'river lantern copper orchard' } },
  previewInvitation: { body: { token: '$TOKEN' } },
  acceptInvitation: { body: { token: '$TOKEN', password: 'river lantern copper orchard' } },
  resetPassword: { body: { token: '$TOKEN', password: 'river lantern copper orchard' } },
  setUpServer: {
    body: {
      token: '$TOKEN',
      organization: { name: 'Example Ltd' },
      email: 'grace@example.com',
      password: 'river lantern copper orchard',
    },
  },
  startSession: { body: { token: '$TOKEN' } },
  editMe: { body: { givenName: 'Ada', familyName: 'Lovelace' } },
  switchTenant: { body: { tenant: '$TENANT' } },
  enrollTotp: { body: password },
  verifyTotp: { body: { code: '$CODE' } },
  disableTotp: { body: password },
  replaceBackupCodes: { body: password },
  editUser: { body: { active: false, reason: 'Left the company.' } },
  inviteUser: { body: { email: 'grace@example.com', role: 'auditor' } },
  createDsr: { body: { subjectId: 'customer-42', type: 'access', channel: 'email' } },
  editDsr: { body: { notes: 'Asked by phone.', identityCheck: { method: 'Called back on the known number' } } },
  extendDsr: { body: { reason: 'The request covers eleven systems.' } },
  createPublicDsr: { body: { type: 'access', email: 'ada@example.com', message: 'I was a customer in 2024.' } },
  confirmPublicDsr: { body: { token: '$TOKEN' } },
  searchSubjects: { body: { subjectId: 'Customer-42' } },
  eraseSubject: { body: { reason: 'The person asked for it: request 4711.' } },
  eraseUser: { body: { reason: 'Left the company, and asked for it.' } },
  eraseDsr: { body: { reason: 'Kept for as long as a claim was possible.' } },
  eraseEvidence: { body: { reason: 'The file named a person: request 4711.' } },
  eraseBreach: { body: { reason: 'Kept for as long as the authority could ask.' } },
  completeDsr: { body: { outcome: 'fulfilled' } },
  reportBreach: {
    body: {
      title: 'Lost laptop',
      description: 'Left on a train, encrypted, wiped from afar the same day.',
      severity: 'low',
      discoveredAt: '2026-11-20T16:30:00Z',
      affectedSubjects: 12,
      dataCategories: ['contact data'],
    },
  },
  editBreach: { body: { status: 'contained' } },
  editTenant: { body: { name: 'Example Ltd', defaultRole: 'cs_agent' } },
  replaceTrustCenter: {
    body: { published: true, headline: 'How we keep your data', contactEmail: 'privacy@example.com' },
  },
  saveTrustDraft: { body: { headline: 'How we look after your data', contactEmail: 'privacy@example.com' } },
  createWebhook: {
    body: { url: 'https://hooks.example.com/svc', eventTypes: ['consent.recorded', 'consent.withdrawn'] },
  },
  editWebhook: { body: { status: 'paused' } },
  rotateWebhookSecret: { body: { overlapHours: 24 } },
  redeliverWebhookDeliveries: { body: { webhookId: '$WEBHOOK', status: 'dead' } },
  countWebhookRedelivery: { query: { status: 'dead', from: '2026-11-01T00:00:00Z' } },
  createTenant: { body: { slug: 'globex', name: 'Globex', adminEmail: 'ada@globex.example' } },
  listTenants: { query: { limit: '1' } },
  createApiKey: { body: { name: 'nightly report', scopes: ['audit:read'] } },
  rotateApiKey: { body: { overlapHours: 24 } },
  issueAccessToken: {
    body: { grant_type: 'client_credentials', client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' },
  },
  revokeAccessToken: { body: { token: '$TOKEN', client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' } },
  listScimUsers: { query: { filter: 'userName eq "ada@example.com"' } },
  createScimUser: {
    body: {
      schemas: [userUrn],
      userName: 'ada@example.com',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      roles: [{ value: 'auditor', primary: true }],
    },
  },
  patchScimUser: { body: { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'active', value: false }] } },
  replaceScimUser: {
    body: {
      schemas: [userUrn],
      userName: '$EMAIL',
      name: { givenName: 'Ada', familyName: 'King' },
      active: true,
    },
  },
  createScimGroup: { body: { schemas: [groupUrn], displayName: 'auditor' } },
  replaceScimGroup: { body: { schemas: [groupUrn], members: [{ value: '$USER' }] } },
  patchScimGroup: {
    body: { schemas: [patchUrn], Operations: [{ op: 'add', path: 'members', value: [{ value: '$USER' }] }] },
  },
};

/** The request of an operation's example. @throws if its body has no example, which a test finds first. */
export function readRequestExample({ operationId, requestBody }: Operation): RequestExample {
  const example = requestExamples[operationId] ?? {};
  if (requestBody !== undefined && example.body === undefined)
    throw new Error(`${operationId} takes a body: give it an example in request-examples.ts`);
  return example;
}

/** The operations that have an example of their own. */
export const exampleOperations: readonly string[] = Object.keys(requestExamples);
