import { randomUUID } from 'node:crypto';
import { isScope, type Scope, scopes } from '../../http/roles.ts';
import type { Route } from '../../http/route.ts';
import { showCode, startEnrolment, startSignIn } from '../accounts/mfa/authenticator.ts';
import { evidenceItem, ownControl } from '../controls/samples.ts';
import { noticeContent, type RequestOptions } from '../harness.ts';
import type { Scene } from './scene.ts';

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The value of a path parameter, by the path up to it, with the method where it needs another one, or by the method and the path of an action; a plain string is the same for every tenant. */
const parameterSamples: Readonly<Record<string, string | ((scene: Scene) => Promise<string>)>> = {
  '/v1/audit/{id}': (scene) => scene.event(),
  '/v1/consent/{id}': (scene) => scene.notice(),
  'DELETE /v1/consent/{id}': (scene) => scene.draft(),
  '/v1/consent/{id}/records/{recordId}': (scene) => scene.record(),
  '/v1/consent/{id}/shown/{hash}': (scene) => scene.shownHash(),
  '/v1/consent/records/{recordId}': (scene) => scene.record(),
  '/v1/consent/subjects/{subjectId}': async (scene) => {
    await scene.record();
    return scene.subjectId;
  },
  'POST /v1/consent/subjects/{subjectId}': (scene) => scene.subjectToErase(),
  '/v1/public/consent/{noticeId}': (scene) => scene.notice(),
  '/v1/public/dsr/{slug}': (scene) => scene.requestForm(),
  'POST /v1/dsr/{id}': (scene) => scene.publicDsr(),
  'POST /v1/dsr/{id}/erase': (scene) => scene.completedDsr(),
  'POST /v1/breach/{id}/erase': (scene) => scene.closedBreach(),
  '/v1/public/trust/{slug}': (scene) => scene.trustCenter(),
  '/v1/control-framework/frameworks/{code}': 'GDPR',
  '/v1/control-framework/controls/{controlId}': (scene) => scene.control(),
  '/v1/control-framework/controls/{controlId}/evidence/{evidenceId}': (scene) => scene.evidence(),
  'GET /v1/control-framework/controls/{controlId}/evidence/{evidenceId}': (scene) => scene.evidenceFile(),
  '/v1/control-framework/controls/{controlId}/tests/{testId}': (scene) => scene.controlTest(),
  '/v1/me/sessions/{id}': async (scene) => (await scene.caller()).sessionId,
  '/v1/users/{id}': async (scene) => (await scene.member()).userId,
  '/v1/users/{id}/sessions/{sessionId}': async (scene) => (await scene.member()).sessionId,
  '/v1/users/invitations/{id}': async (scene) => (await scene.invitation()).id,
  '/v1/api-keys/{id}': async (scene) => (await scene.apiKey()).id,
  '/v1/dsr/{id}': (scene) => scene.dsr(),
  '/v1/breach/{id}': (scene) => scene.breach(),
  '/v1/webhooks/{id}': (scene) => scene.webhook(),
  '/v1/webhooks/deliveries/{id}': (scene) => scene.deadLetter(),
  '/v1/webhooks/redeliveries/{id}': (scene) => scene.redelivery(),
  '/scim/v2/Users/{id}': async (scene) => (await scene.member()).userId,
  '/scim/v2/Groups/{role}': 'auditor',
  '/scim/v2/Schemas/{id}': userUrn,
  '/scim/v2/ResourceTypes/{id}': 'User',
};

const membersOf = async (scene: Scene) => [{ value: (await scene.member()).userId }];

const passwordOf = async (scene: Scene) => ({ password: (await scene.caller()).password });
const clientOf = async (scene: Scene) => {
  const { id, key } = await scene.apiKey();
  return { client_id: id, client_secret: key };
};

/** A body that each operation accepts. */
const bodySamples: Readonly<Record<string, (scene: Scene) => object | Promise<object>>> = {
  createConsentNotice: () => noticeContent,
  editConsentNotice: () => ({ name: 'Renamed' }),
  captureConsentRecord: ({ subjectId }) => ({ subjectId, purposes: { analytics: true } }),
  withdrawConsentRecord: () => ({ purposes: ['analytics'] }),
  recordConsentDecision: async (scene) => ({
    noticeId: await scene.notice(),
    subjectId: scene.subjectId,
    purpose: 'analytics',
    granted: true,
  }),
  capturePublicConsentRecord: ({ subjectId }) => ({
    subjectId,
    purposes: { necessary: true, analytics: true, marketing: false },
  }),
  adoptFrameworks: () => ({ frameworks: ['GDPR'] }),
  createControl: () => ownControl(),
  editControl: () => ({ status: 'in_progress' }),
  addEvidence: () => evidenceItem,
  withdrawEvidence: () => ({ reason: 'Wrong file' }),
  addControlTest: () => ({ title: 'Look at the list' }),
  recordTestResult: () => ({ status: 'pass' }),
  signIn: async (scene) => {
    const { email, password } = await scene.caller();
    return { email, password, tenant: scene.tenant.slug };
  },
  answerChallenge: async (scene) => {
    const caller = await scene.enrolledCaller();
    return { challengeId: await startSignIn(scene.server, caller), code: caller.backupCodes[0] };
  },
  changePassword: async (scene) => ({
    currentPassword: (await scene.caller()).password,
    newPassword: `a new password ${randomUUID()}`,
  }),
  previewInvitation: async (scene) => ({ token: (await scene.invitation()).token }),
  acceptInvitation: async (scene) => ({
    token: (await scene.invitation()).token,
    password: `a new password ${randomUUID()}`,
  }),
  resetPassword: async (scene) => ({
    token: (await scene.passwordReset()).token,
    password: `a new password ${randomUUID()}`,
  }),
  setUpServer: () => ({
    token: 'svc_setup_unknown',
    organization: { name: 'Example Ltd' },
    email: 'grace@example.com',
    password: 'river lantern copper orchard',
  }),
  startSession: async (scene) => ({ token: await scene.startToken() }),
  editMe: () => ({ givenName: 'Ada', familyName: 'Lovelace' }),
  switchTenant: async (scene) => ({ tenant: await scene.otherTenantOfCaller() }),
  enrollTotp: passwordOf,
  verifyTotp: async (scene) => {
    const { secret } = await startEnrolment(scene.server, await scene.caller());
    return { code: showCode(scene.server, secret) };
  },
  disableTotp: async (scene) => ({ password: (await scene.enrolledCaller()).password }),
  replaceBackupCodes: async (scene) => ({ password: (await scene.enrolledCaller()).password }),
  createDsr: ({ subjectId }) => ({ subjectId, type: 'access' }),
  publishConsentNotice: () => ({ asksAgain: true }),
  searchSubjects: ({ subjectId }) => ({ subjectId }),
  eraseSubject: () => ({ reason: 'Asked for it' }),
  eraseUser: () => ({ reason: 'Asked for it' }),
  eraseDsr: () => ({ reason: 'No longer needed' }),
  eraseBreach: () => ({ reason: 'No longer needed' }),
  eraseEvidence: () => ({ reason: 'No longer needed' }),
  editDsr: () => ({ identityCheck: { method: 'Called back' } }),
  extendDsr: () => ({ reason: 'There is much to collect.' }),
  completeDsr: () => ({ outcome: 'fulfilled' }),
  createPublicDsr: () => ({ type: 'access', email: 'ada@example.com' }),
  confirmPublicDsr: async (scene) => ({ token: await scene.confirmationToken() }),
  reportBreach: ({ server }) => ({
    title: 'Lost laptop',
    description: 'On a train.',
    discoveredAt: server.clock.now(),
    severity: 'high',
  }),
  editBreach: () => ({ status: 'contained' }),
  editUser: () => ({ active: false, reason: 'left' }),
  inviteUser: () => ({ email: `user-${randomUUID()}@example.com`, role: 'cs_agent' }),
  editTenant: () => ({ name: `Renamed ${randomUUID()}` }),
  replaceTrustCenter: () => ({ published: true, headline: 'Safe with us' }),
  saveTrustDraft: () => ({ headline: 'Safer with us' }),
  createWebhook: () => ({ url: `https://hooks.example.com/${randomUUID()}` }),
  editWebhook: () => ({ status: 'paused' }),
  rotateWebhookSecret: () => ({ overlapHours: 1 }),
  redeliverWebhookDeliveries: async (scene) => ({ webhookId: await scene.webhook() }),
  createTenant: () => ({ slug: `created-${randomUUID()}`, name: 'Created', adminEmail: 'first@example.com' }),
  createApiKey: () => ({ name: 'another', scopes: ['keys:write'] }),
  rotateApiKey: () => ({ overlapHours: 1 }),
  issueAccessToken: async (scene) => ({ grant_type: 'client_credentials', ...(await clientOf(scene)) }),
  createScimUser: () => ({ schemas: [userUrn], userName: `provisioned-${randomUUID()}@example.com` }),
  patchScimUser: () => ({
    schemas: [patchUrn],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  }),
  replaceScimUser: async (scene) => ({
    schemas: [userUrn],
    userName: (await scene.member()).email,
    name: { givenName: 'Zoë', familyName: 'Smith' },
    active: true,
  }),
  createScimGroup: async (scene) => ({
    schemas: [groupUrn],
    displayName: 'auditor',
    members: await membersOf(scene),
  }),
  replaceScimGroup: async (scene) => ({ schemas: [groupUrn], members: await membersOf(scene) }),
  patchScimGroup: async (scene) => ({
    schemas: [patchUrn],
    Operations: [{ op: 'add', path: 'members', value: await membersOf(scene) }],
  }),
  revokeAccessToken: async (scene) => ({ token: await scene.accessToken(), ...(await clientOf(scene)) }),
};

/** Operations that succeed only on a server without tenants: accounts/members/setup.test.ts calls them there. */
export const onlyWithoutTenants: ReadonlySet<string> = new Set(['setUpServer']);

/** The required query of an operation. */
const querySamples: Readonly<Record<string, string>> = {
  uploadEvidenceFile: 'title=Visitors&kind=document&name=visitors.txt&collectedAt=2026-11-01T09:00:00Z',
  countWebhookRedelivery: 'from=2026-11-01T00:00:00Z',
  proveAuditInclusion: 'sequence=1',
  proveConsentInclusion: 'sequence=1',
  proveAuditConsistency: 'from=1',
  proveConsentConsistency: 'from=1',
};

/** The bytes that an upload accepts. */
export const fileSample = 'The visitors of October';

/** Creates the objects, besides the ids in its path and its body, without which an operation cannot change anything. */
const setUps: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  publishConsentNotice: (scene) => scene.editNotice(),
  discardTrustDraft: (scene) => scene.draftTrust(),
  endMyOtherSessions: (scene) => scene.openOtherSession(),
  deleteScimGroup: (scene) => scene.auditor(),
  getScimToken: (scene) => scene.scimToken(),
  revokeScimToken: (scene) => scene.scimToken(),
  resetUserSecondFactor: (scene) => scene.enrolledMember(),
  cancelWebhookDelivery: (scene) => scene.waitingDelivery(),
  replaceScimUser: (scene) => scene.takeExtendedScim(),
  getLatestAuditCheckpoint: (scene) => scene.checkpoint('audit'),
  getLatestConsentCheckpoint: (scene) => scene.checkpoint('consent'),
  proveAuditInclusion: (scene) => scene.checkpoint('audit'),
  proveConsentInclusion: (scene) => scene.checkpoint('consent'),
  proveAuditConsistency: (scene) => scene.checkpoint('audit'),
  proveConsentConsistency: (scene) => scene.checkpoint('consent'),
  exportAuditLedger: (scene) => scene.checkpoint('audit'),
  exportConsentLedger: (scene) => scene.checkpoint('consent'),
};

/** Scopes of a member with the least role. */
const scopesOfMember: readonly Scope[] = ['consent:read', 'dsr:read', 'dsr:write', 'members:read'];
/** Scopes that an operation needs because of its sample: a key can only grant or remove scopes that it has. */
const furtherScopes: Readonly<Record<string, readonly Scope[]>> = {
  editUser: scopesOfMember,
  inviteUser: scopesOfMember,
  revokeInvitation: scopesOfMember,
  removeUser: scopesOfMember,
  eraseUser: scopesOfMember,
  createPasswordReset: scopesOfMember,
  resetUserSecondFactor: scopesOfMember,
  revokeUserSession: scopesOfMember,
  revokeUserSessions: scopesOfMember,
  createScimToken: scopes,
};

/** The scopes with which the sample of a route succeeds. */
export function scopesFor({ scope, operationId }: Route): readonly Scope[] {
  return [...(scope !== null && isScope(scope) ? [scope] : []), ...(furtherScopes[operationId] ?? [])];
}

/** True if a path has a parameter that names an object of a tenant. */
export function namesSomething({ method, path }: Route): boolean {
  return [...path.matchAll(/\{\w+\}/g)].some(
    (match) => typeof findParameter(method, path, path.slice(0, match.index + match[0].length)) === 'function',
  );
}

/** The path of a route with real ids of a scene; without a scene, with valid ids of nothing. */
export async function fillPath({ method, path }: Route, scene: Scene | null): Promise<string> {
  let filled = path;
  for (const { 0: parameter, index } of path.matchAll(/\{\w+\}/g)) {
    const sample = findParameter(method, path, path.slice(0, index + parameter.length));
    const value = typeof sample === 'string' ? sample : scene === null ? randomUUID() : await sample(scene);
    filled = filled.replace(parameter, value);
  }
  return filled;
}

function findParameter(method: string, path: string, name: string): string | ((scene: Scene) => Promise<string>) {
  const ofAction = path.endsWith('}') ? undefined : parameterSamples[`${method} ${path}`];
  const sample = ofAction ?? parameterSamples[`${method} ${name}`] ?? parameterSamples[name];
  if (sample === undefined) throw new Error(`${name} has no sample: add one to parameterSamples in route-samples.ts`);
  return sample;
}

/** A request that a route accepts, without its credentials and its path. */
export async function acceptedRequest(route: Route, scene: Scene): Promise<RequestOptions> {
  await setUps[route.operationId]?.(scene);
  const headers = {
    ...(route.idempotencyKey === 'required' && { 'Idempotency-Key': randomUUID() }),
    ...(route.auth === 'public' && { Origin: `https://${noticeContent.domain}` }),
  };
  if (route.body === null) return { headers };
  if (route.receive !== undefined)
    return { headers: { ...headers, 'Content-Type': 'text/plain' }, rawBody: fileSample };
  const body = await sampleBody(route, scene);
  const [type = ''] = route.surface.bodyTypes;
  if (type === 'application/x-www-form-urlencoded')
    return { headers: { ...headers, 'Content-Type': type }, rawBody: new URLSearchParams(body as never).toString() };
  return { headers: { ...headers, 'Content-Type': type }, body };
}

function sampleBody({ operationId }: Route, scene: Scene): object | Promise<object> {
  const sample = bodySamples[operationId];
  if (sample === undefined) throw new Error(`${operationId} has no sample: add one to bodySamples in route-samples.ts`);
  return sample(scene);
}

/** The credentials that a route accepts. */
export async function acceptedCredentials({ auth, scope }: Route, scene: Scene): Promise<RequestOptions> {
  switch (auth) {
    case 'scope':
      return { key: scene.tenant.key };
    case 'session':
      return { headers: (await scene.caller()).session };
    case 'platform':
      return {
        headers: (await scene.operator(scope === 'portfolio:read' ? 'dpco_principal' : 'platform_admin')).session,
      };
    case 'scim':
      return { key: await scene.scimToken() };
    default:
      return { key: null };
  }
}

/** A path of a route with the query that it requires. */
export function addRequiredQuery({ operationId }: Route, path: string): string {
  return addQuery(path, querySamples[operationId] ?? '');
}

/** A whole request that a route accepts. */
export async function acceptedCall(route: Route, scene: Scene) {
  const request = await acceptedRequest(route, scene);
  const path = addRequiredQuery(route, await fillPath(route, scene));
  const credentials = await acceptedCredentials(route, scene);
  return { path, request, credentials };
}

/** A path with additional query parameters. */
export function addQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** One request merged from several parts; later ones win. */
export function join(...parts: readonly RequestOptions[]): RequestOptions {
  return Object.assign({}, ...parts, { headers: Object.assign({}, ...parts.map(({ headers }) => headers)) });
}
