import type { Installation } from '../installation/installation.ts';
import type { PublishedTrust } from './published-trust.ts';

/** What the operations on trust centers work with. */
export interface TrustServices extends Pick<Installation, 'database' | 'hasher'> {
  readonly publishedTrust: PublishedTrust;
  /** The public address of this server; null to take the Host that was asked. */
  readonly baseUrl: string | null;
}
