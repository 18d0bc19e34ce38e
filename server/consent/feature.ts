import type { Feature, Services } from '../installation/feature.ts';
import { noticeRoutes } from './notice-routes.ts';
import { NoticeCache } from './notice-store.ts';
import { overviewRoutes } from './overview-routes.ts';
import { publicConsentRoutes, recordRoutes } from './record-routes.ts';
import { ConsentRecorder } from './recorder.ts';
import { Sightings } from './sightings.ts';
import { statisticsRoutes } from './statistics-routes.ts';

/** Notices, records and their statistics. */
export function openConsent({ database, hasher, settings }: Services) {
  const noticeCache = new NoticeCache(database.kysely);
  const sightings = new Sightings();
  const services = {
    database,
    recorder: new ConsentRecorder(hasher, noticeCache),
    noticeCache,
    sightings,
    limits: settings.limits,
    regionHeaders: settings.regionHeaders,
  };
  const writeSightings = () => sightings.write(database);
  return {
    name: 'consent',
    sightings,
    routes: [
      ...noticeRoutes(services),
      ...overviewRoutes(services),
      ...recordRoutes(services),
      ...publicConsentRoutes(services),
      ...statisticsRoutes(services),
    ],
    tasks: [{ every: 5_000, run: writeSightings }],
    drain: writeSightings,
  } satisfies Feature & { readonly sightings: Sightings };
}
