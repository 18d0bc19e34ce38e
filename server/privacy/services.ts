import type { PrivateHasher } from '../installation/private-hash.ts';
import type { Database } from '../storage/database.ts';

/** What the operations on data-subject requests and breaches work with. */
export interface PrivacyServices {
  readonly database: Database;
  readonly hasher: PrivateHasher;
}
