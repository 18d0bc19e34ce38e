import type { Feature, Services } from '../installation/feature.ts';
import { BannerUsage } from './banner-usage.ts';
import { noticeRoutes } from './notice-routes.ts';
import { NoticeCache } from './notice-store.ts';
import { overviewRoutes } from './overview-routes.ts';
import { publicConsentRoutes, recordRoutes } from './record-routes.ts';
import { ConsentRecorder } from './recorder.ts';
import { statisticsRoutes } from './statistics-routes.ts';

/** Notices, records and their statistics. */
export function openConsent({ database, hasher, settings }: Services) {
  const noticeCache = new NoticeCache(database.kysely);
  const usage = new BannerUsage();
  const services = {
    database,
    recorder: new ConsentRecorder(hasher, noticeCache),
    noticeCache,
    usage,
    limits: settings.limits,
    regionHeaders: settings.regionHeaders,
  };
  const writeUsage = () => usage.write(database);
  return {
    name: 'consent',
    usage,
    routes: [
      ...noticeRoutes(services),
      ...overviewRoutes(services),
      ...recordRoutes(services),
      ...publicConsentRoutes(services),
      ...statisticsRoutes(),
    ],
    tasks: [{ every: 5_000, run: writeUsage }],
    drain: writeUsage,
  } satisfies Feature & { readonly usage: BannerUsage };
}
