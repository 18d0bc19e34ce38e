import type { Installation } from '../installation.ts';

/** What the operations on webhooks work with. */
export type WebhookServices = Pick<Installation, 'database' | 'hasher' | 'box' | 'settings'>;
