import type { PrivateHasher } from '../installation/secrets.ts';
import type { Database } from '../storage/database.ts';
import type { PublicNotices } from './published-notices.ts';
import type { ConsentRecorder } from './recorder.ts';

/** What the consent operations work with. */
export interface ConsentServices {
  readonly database: Database;
  readonly hasher: PrivateHasher;
  readonly recorder: ConsentRecorder;
  readonly publicNotices: PublicNotices;
  /** Captures a minute. */
  readonly limits: { readonly captureNotice: number; readonly captureClient: number };
}
