import { authentication } from './authentication.ts';
import { badge } from './badge.ts';
import { banner } from './banner.ts';
import type { Benchmark } from './benchmark.ts';
import { capture } from './capture.ts';
import { captureLarge } from './capture-large.ts';
import { controlFramework } from './controls.ts';
import { dashboard } from './dashboard.ts';
import { deliveries } from './deliveries.ts';
import { importDecisions } from './import.ts';
import { metrics } from './metrics.ts';
import { notice } from './notice.ts';
import { page } from './page.ts';
import { postgres } from './postgres.ts';
import { proofs } from './proofs.ts';
import { record } from './record.ts';
import { scim } from './scim.ts';
import { sdk } from './sdk.ts';
import { start } from './start.ts';
import { storage } from './storage.ts';
import { verify } from './verify.ts';
import { verifyWebhook } from './verify-webhook.ts';

/** Every benchmark, in the order in which they run and are recorded. */
export const benchmarks: readonly Benchmark[] = [
  capture,
  captureLarge,
  notice,
  record,
  authentication,
  scim,
  controlFramework,
  storage,
  page,
  verify,
  proofs,
  importDecisions,
  start,
  metrics,
  badge,
  banner,
  dashboard,
  sdk,
  verifyWebhook,
  deliveries,
  postgres,
];
