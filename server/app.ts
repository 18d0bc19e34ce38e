import Koa from 'koa';
import type { Logger } from 'pino';
import { auditRoutes } from './audit/routes.ts';
import { noticeRoutes } from './consent/notice-routes.ts';
import { overviewRoutes } from './consent/overview-routes.ts';
import { publicConsentRoutes } from './consent/public-routes.ts';
import { PublicNotices, VersionCache } from './consent/published-notices.ts';
import { recordRoutes } from './consent/record-routes.ts';
import { ConsentRecorder } from './consent/recorder.ts';
import { serveDemo } from './demo/page.ts';
import { answerRequests } from './http/answer.ts';
import { serveDocument } from './http/openapi-document.ts';
import { notFound } from './http/problem.ts';
import { RateLimiter } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import { routeRequests } from './http/router.ts';
import type { Installation } from './installation.ts';
import { findTenant } from './tenants/store.ts';
import { serveWidgets } from './widgets/serve.ts';

/** The server's parts, put together. */
export interface App {
  readonly koa: Koa;
  readonly routes: readonly Route[];
  readonly limiter: RateLimiter;
  /** Resolves when everything that was acknowledged or waits is written. */
  drain(): Promise<void>;
}

export interface AppOptions {
  readonly log: Logger;
  readonly limiter?: RateLimiter;
  /** Whether every result is checked against its schema: for tests. */
  readonly checksResults?: boolean;
  /** Whether the server is about to end and answers its last requests. */
  readonly isClosing?: () => boolean;
}

/** The table of contents: the order of the middleware, and the routes of every feature. */
export function createApp(installation: Installation, options: AppOptions): App {
  const { settings, database, hasher, clock } = installation;
  const limiter = options.limiter ?? new RateLimiter();
  const versions = new VersionCache();
  const recorder = new ConsentRecorder({ database, clock, hasher, versions });
  const consent = {
    database,
    hasher,
    recorder,
    publicNotices: new PublicNotices(database.kysely, versions),
    limits: settings.limits,
  };
  const routes = [
    ...noticeRoutes(consent),
    ...overviewRoutes(consent),
    ...recordRoutes(consent),
    ...publicConsentRoutes(consent),
    ...auditRoutes(database),
  ];

  const koa = new Koa();
  // Koa would write failures to the console; ours are answered and logged in one place.
  koa.silent = true;
  koa.use(answerRequests(options.log, options.isClosing ?? (() => false)));
  koa.use(serveDocument(routes));
  koa.use(
    routeRequests(routes, {
      database,
      clock,
      limiter,
      trustedProxies: settings.trustedProxies,
      apiKeyLimit: settings.limits.apiKey,
      findTenantId: async (idOrSlug) => (await findTenant(database.kysely, idOrSlug))?.id,
      checksResults: options.checksResults ?? false,
    }),
  );
  koa.use(serveWidgets());
  koa.use(serveDemo(installation));
  koa.use(() => {
    throw notFound('path');
  });
  return { koa, routes, limiter, drain: () => recorder.drain() };
}
