import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { createAdmit } from '../../accounts/admit.ts';
import { apiKeyRoutes } from '../../accounts/keys/api-key-routes.ts';
import { LastUses } from '../../accounts/keys/last-uses.ts';
import { oauthRoutes } from '../../accounts/keys/oauth.ts';
import { scimTokenRoutes } from '../../accounts/keys/scim-token-routes.ts';
import { invitationRoutes } from '../../accounts/members/invitation-routes.ts';
import { userRoutes } from '../../accounts/members/user-routes.ts';
import { mfaRoutes } from '../../accounts/mfa/routes.ts';
import { authRoutes, meRoutes } from '../../accounts/sign-in/auth-routes.ts';
import { PasswordQueue } from '../../accounts/sign-in/password-queue.ts';
import { HostCookie } from '../../accounts/sign-in/session-store.ts';
import { SignInGuard } from '../../accounts/sign-in/sign-in-guard.ts';
import { tenantRoutes } from '../../accounts/tenants/routes.ts';
import { noticeRoutes } from '../../consent/notice-routes.ts';
import { createPublicNotices, VersionCache } from '../../consent/notice-store.ts';
import { overviewRoutes } from '../../consent/overview-routes.ts';
import { publicConsentRoutes, recordRoutes } from '../../consent/record-routes.ts';
import { ConsentRecorder } from '../../consent/recorder.ts';
import { Sightings } from '../../consent/sightings.ts';
import { statisticsRoutes } from '../../consent/statistics-routes.ts';
import { controlRoutes } from '../../controls/routes.ts';
import { answerRequests } from '../../http/answer.ts';
import { notFound } from '../../http/problem.ts';
import { ConcurrencyLimit, RateLimiter } from '../../http/rate-limit.ts';
import { type Client, limitAddress, readClient, shareBuckets } from '../../http/request.ts';
import type { Route } from '../../http/route.ts';
import { createRouter } from '../../http/router.ts';
import { serveSiteFiles } from '../../http/site-files.ts';
import type { Installation } from '../../installation/installation.ts';
import { auditRoutes } from '../../ledger/audit/routes.ts';
import { clientSource } from '../../ledger/audit/source.ts';
import { erasureRoutes } from '../../privacy/erasure/routes.ts';
import { serveRequestForm } from '../../privacy/form-page.ts';
import { privacyRoutes } from '../../privacy/routes.ts';
import { proofRoutes } from '../../proofs/routes.ts';
import { verificationRoutes } from '../../proofs/verification-routes.ts';
import { Verifier } from '../../proofs/verifier.ts';
import { scimRoutes } from '../../scim/routes.ts';
import type { Settings } from '../../settings.ts';
import { serveDemo } from '../../site/demo/page.ts';
import { serveApiDocument, serveDocumentation } from '../../site/documentation/serve.ts';
import { servePublicKey } from '../../site/ledger-key.ts';
import { serveDashboard } from '../../site/serve-dashboard.ts';
import { serveTrust } from '../../site/trust/page.ts';
import { trustRoutes } from '../../site/trust/routes.ts';
import { cachePublishedTrust } from '../../site/trust/store.ts';
import { serveWidgets } from '../../site/widgets/serve.ts';
import { FaultLog } from '../../storage/fault-log.ts';
import { webhookRoutes } from '../../webhooks/routes.ts';
import { platformRoutes } from '../operator/routes.ts';

/** The server's parts, put together. */
export type App = Readonly<ReturnType<typeof createApp>>;

export interface AppOptions {
  readonly log: Logger;
  readonly limiter?: RateLimiter;
  /** Whether every result is checked against its schema: for tests. */
  readonly checksResults?: boolean;
  /** Whether the server is about to end and answers its last requests. */
  readonly isClosing?: () => boolean;
  /** Meets every request first: for `@svc/server/testing` only. No setting leads to it. */
  readonly intercept?: Middleware;
}

/** The table of contents: the order of the middleware, and the routes of every feature. */
export function createApp(installation: Installation, options: AppOptions) {
  const { settings, database, hasher, clock } = installation;
  const limiter = options.limiter ?? new RateLimiter();
  const faults = new FaultLog(database, options.log);
  const versions = new VersionCache();
  const recorder = new ConsentRecorder(hasher, versions);
  const consent = {
    database,
    recorder,
    publicNotices: createPublicNotices(database.kysely, versions),
    sightings: new Sightings(),
    limits: settings.limits,
    regionHeaders: settings.regionHeaders,
  };
  const isSecure = settings.baseUrl?.startsWith('https:') ?? false;
  const sessionCookie = new HostCookie('svc_session', isSecure);
  const lastUses = new LastUses();
  const deviceCookie = new HostCookie('svc_device', isSecure);
  const identity = {
    ...installation,
    passwords: new PasswordQueue(installation.passwords),
    guard: new SignInGuard({ ...installation, limiter, limit: settings.limits.signIn, deviceCookie }),
    sessionCookie,
    sessionLifetime: settings.sessionLifetime,
  };
  const verifier = new Verifier(installation, faults);
  const publishedTrust = cachePublishedTrust(database.kysely);
  const routes: readonly Route[] = [
    ...noticeRoutes(consent),
    ...overviewRoutes(consent),
    ...recordRoutes(consent),
    ...publicConsentRoutes(consent),
    ...statisticsRoutes(consent),
    ...auditRoutes(database),
    ...proofRoutes(installation),
    ...controlRoutes(installation),
    ...authRoutes(identity),
    ...meRoutes(identity),
    ...mfaRoutes(identity),
    ...userRoutes(identity),
    ...invitationRoutes(identity),
    ...privacyRoutes(installation),
    ...erasureRoutes(installation),
    ...tenantRoutes(installation),
    ...trustRoutes(installation, publishedTrust),
    ...webhookRoutes(installation),
    ...apiKeyRoutes(installation),
    ...scimTokenRoutes(installation),
    ...platformRoutes(installation),
    ...verificationRoutes(installation, verifier),
    ...oauthRoutes(installation, lastUses),
    ...scimRoutes(installation),
  ];
  // Shared caches keep answers that need no credentials, so only a refusal has the headers of this limit.
  const countVisitor = (client: Client) =>
    limiter.take(limitAddress(client, { policy: 'visitor', limit: settings.limits.visitor, isLocal: true }));
  const surfaces = [...new Set(routes.map(({ surface }) => surface))];

  const koa = new Koa();
  // Koa would write failures to the console; ours are answered and logged in one place.
  koa.silent = true;
  if (options.intercept !== undefined) koa.use(options.intercept);
  koa.use(answerRequests(faults, surfaces, options.isClosing));
  // A proxy has all connections, so what each client has at once is counted by request.
  if (settings.trustedProxies > 0) koa.use(shareRequests(settings));
  const router = createRouter(routes, {
    database,
    sourceOf: (actor, client) => clientSource(actor, client, hasher),
    clock,
    limiter,
    trustedProxies: settings.trustedProxies,
    regionHeaders: settings.regionHeaders,
    admit: createAdmit(installation, sessionCookie, lastUses),
    box: installation.box,
    refusalLimit: settings.limits.apiKey,
    streamLimit: settings.concurrentExports,
    countVisitor,
    checksResults: options.checksResults ?? false,
  });
  koa.use(router.middleware);
  // Everything below is public.
  koa.use((ctx, next) => {
    countVisitor(readClient(ctx.req, settings.trustedProxies));
    return next();
  });
  koa.use(serveApiDocument());
  koa.use(servePublicKey(installation.signer));
  koa.use(
    serveWidgets(settings.baseUrl, ({ name, version }, origin) => {
      if (name === 'svc-consent') consent.sightings.noteScript(version, origin);
    }),
  );
  koa.use(serveTrust(installation, publishedTrust));
  koa.use(
    serveRequestForm(installation, async (slug) => (await publishedTrust.find(slug))?.content.contactEmail ?? null),
  );
  koa.use(serveDemo(installation));
  koa.use(serveDocumentation(installation));
  koa.use(serveDashboard());
  koa.use(serveSiteFiles());
  koa.use(() => {
    throw notFound('path');
  });
  /** Resolves when everything that was acknowledged or waits is written. */
  const drain = async () => {
    await router.drain();
    await lastUses.write(database);
    await consent.sightings.write(database);
  };
  return { koa, routes, limiter, lastUses, sightings: consent.sightings, verifier, faults, drain };
}

/** Limits the requests at once of each client address, and of its IPv6 site, as the server limits connections without a proxy. */
function shareRequests({ trustedProxies, maxConnectionsOfAddress: most }: Settings): Middleware {
  const limits = { 1: new ConcurrencyLimit(most, 'requests'), 2: new ConcurrencyLimit(2 * most, 'requests') };
  return (ctx, next) => {
    for (const [bucket, factor] of shareBuckets(readClient(ctx.req, trustedProxies)))
      limits[factor].take(bucket, ctx.res);
    return next();
  };
}
