import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { openAccounts } from '../../accounts/feature.ts';
import { openConsent } from '../../consent/feature.ts';
import { openControls } from '../../controls/feature.ts';
import { answerRequests } from '../../http/answer.ts';
import { compressAnswers } from '../../http/compression.ts';
import { notFound } from '../../http/problem.ts';
import { ConcurrencyLimit, RateLimiter } from '../../http/rate-limit.ts';
import { type Client, limitAddress, readClient, shareBuckets } from '../../http/request.ts';
import { createRouter } from '../../http/router.ts';
import type { Feature, Services } from '../../installation/feature.ts';
import type { Installation } from '../../installation/installation.ts';
import { clientSource } from '../../ledger/audit/store.ts';
import { openPrivacy } from '../../privacy/feature.ts';
import { openProofs } from '../../proofs/feature.ts';
import { openScim } from '../../scim/feature.ts';
import type { Settings } from '../../settings.ts';
import { openSite } from '../../site/feature.ts';
import { cachePublishedTrust } from '../../site/trust/store.ts';
import { FaultLog } from '../../storage/fault-log.ts';
import type { ReadReplica } from '../../storage/read-replica.ts';
import { openWebhooks } from '../../webhooks/feature.ts';
import { openBackups } from '../backups/feature.ts';
import { openOperator } from '../operator/feature.ts';
import { answerProbes } from './probes.ts';

/** The server's parts, put together. */
export type App = Readonly<ReturnType<typeof createApp>>;

export interface AppOptions {
  readonly log: Logger;
  readonly limiter?: RateLimiter;
  /** Checks every result against its schema; for tests. */
  readonly checksResults?: boolean;
  /** Aborted when the server stops and answers its last requests. */
  readonly closing?: AbortSignal;
  /** Meets every request first: for `@svc/server/testing` only. No setting leads to it. */
  readonly intercept?: Middleware;
  /** The standby that answers reads. */
  readonly replica?: ReadReplica | null;
  /** Counts and times every request that is no probe. */
  readonly measure?: Middleware | undefined;
}

/** The table of contents: the features, and the order of the middleware. */
export function createApp(installation: Installation, options: AppOptions) {
  const { settings, database, hasher, clock } = installation;
  const { log, limiter = new RateLimiter(), replica = null } = options;
  const faults = new FaultLog(database, log);
  limiter.onReached = ({ policy, bucket, limit }) => {
    // A bucket without an id names a client's address.
    const named = /^\w+ [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(bucket);
    log.info({ policy, limit, bucket: named ? bucket : hasher.hash('rate limits', bucket) }, 'limit reached');
  };
  const services: Services = { ...installation, log, limiter, faults, replica };
  const consent = openConsent(services);
  const accounts = openAccounts(services);
  const proofs = openProofs(services);
  const publishedTrust = cachePublishedTrust(database.kysely);
  const findContact = async (slug: string) => (await publishedTrust.find(slug))?.content.contactEmail ?? null;
  const backups = openBackups(services);
  const features: readonly Feature[] = [
    consent,
    openControls(services),
    accounts,
    openPrivacy(services, findContact),
    openSite(services, publishedTrust, ({ name, version }, origin) => {
      if (name === 'svc-consent') consent.usage.loaded(version, origin);
    }),
    openWebhooks(services),
    openOperator(services),
    openScim(services),
    proofs,
    backups,
  ];
  const routes = features.flatMap((feature) => feature.routes);
  // Shared caches keep answers that need no credentials, so only a refusal has the headers of this limit.
  const countVisitor = (client: Client) =>
    limiter.take(limitAddress(client, { policy: 'visitor', limit: settings.limits.visitor, isLocal: true }));
  const surfaces = [...new Set(routes.map(({ surface }) => surface))];

  const koa = new Koa();
  // Koa would write failures to the console; ours are answered and logged in one place.
  koa.silent = true;
  if (options.intercept !== undefined) koa.use(options.intercept);
  koa.use(answerProbes(database, options.closing));
  if (options.measure !== undefined) koa.use(options.measure);
  koa.use(compressAnswers());
  koa.use(answerRequests(faults, surfaces, { closing: options.closing, logsRequests: settings.logsRequests }));
  // A proxy has all connections, so what each client has at once is counted by request.
  if (settings.trustedProxies > 0) koa.use(shareRequests(settings));
  const router = createRouter(routes, {
    database,
    replica,
    sourceOf: (actor, client) => clientSource(actor, client, hasher),
    clock,
    limiter,
    trustedProxies: settings.trustedProxies,
    regionHeaders: settings.regionHeaders,
    authenticate: accounts.authenticate,
    box: installation.box,
    former: installation.former,
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
  for (const page of features.flatMap(({ pages = [] }) => pages)) koa.use(page);
  koa.use(() => {
    throw notFound('path');
  });
  /** Resolves when everything that was acknowledged or waits is written. */
  const drain = async () => {
    await router.drain();
    // All of them, also if one fails: each loses its own counts only.
    const drained = await Promise.allSettled(features.map((feature) => feature.drain?.()));
    const failed = drained.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
  const { usage } = consent;
  return {
    koa,
    features,
    routes,
    limiter,
    replica,
    lastUses: accounts.lastUses,
    usage,
    verifier: proofs.verifier,
    backups: backups.keeper,
    faults,
    drain,
  };
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
