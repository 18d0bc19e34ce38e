import type { Installation } from '../installation/installation.ts';
import type { LastUses } from './last-uses.ts';

/** What the operations on keys and tokens work with. */
export interface AccessServices extends Pick<Installation, 'database' | 'hasher'> {
  readonly lastUses: LastUses;
  /** Token requests a minute for each client address. */
  readonly tokenLimit: number;
}
