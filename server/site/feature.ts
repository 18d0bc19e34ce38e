import type { Feature, Services } from '../installation/feature.ts';
import { serveDemo } from './demo/page.ts';
import { serveApiDocument, serveDocumentation } from './documentation/serve.ts';
import { servePublicKey } from './ledger-key.ts';
import { serveDashboard } from './serve-dashboard.ts';
import { serveSiteFiles } from './site-files.ts';
import { serveTrust } from './trust/page.ts';
import { trustRoutes } from './trust/routes.ts';
import type { cachePublishedTrust } from './trust/store.ts';
import { serveWidgets } from './widgets/serve.ts';

/** Pages and files for browsers: widgets, trust page, demo, documentation and dashboard. */
export function openSite(
  services: Services,
  publishedTrust: ReturnType<typeof cachePublishedTrust>,
  onWidget: Parameters<typeof serveWidgets>[1],
): Feature {
  return {
    name: 'site',
    routes: trustRoutes(services, publishedTrust),
    pages: [
      serveApiDocument(),
      servePublicKey(services),
      serveWidgets(services.settings.baseUrl, onWidget),
      serveTrust(services, publishedTrust),
      serveDemo(services),
      serveDocumentation(services),
      serveDashboard(),
      serveSiteFiles(),
    ],
  };
}
