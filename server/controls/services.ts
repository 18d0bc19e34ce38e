import type { PrivateHasher } from '../installation/private-hash.ts';
import type { Database } from '../storage/database.ts';

/** What the operations on controls work with. */
export interface ControlServices {
  readonly database: Database;
  readonly hasher: PrivateHasher;
}
