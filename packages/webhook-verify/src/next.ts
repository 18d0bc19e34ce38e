import { createExpressHandler } from './express.ts';
import { createFetchHandler } from './fetch.ts';

export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/** Makes a route handler for the app router: `export const POST = createRouteHandler({ … })`. */
export const createRouteHandler = createFetchHandler;

/**
 * Makes a handler for the pages router, which must not parse the body:
 * `export const config = { api: { bodyParser: false } }`.
 */
export const createPagesHandler = createExpressHandler;
