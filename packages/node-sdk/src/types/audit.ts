import type { Json, Time } from './json.ts';
import type { PageParams } from './lists.ts';

/** Who did something: a person, an API key, the server itself, or its operator. */
export type ActorType = 'user' | 'api_key' | 'system' | 'staff';

/** What happened, as lists tell it. */
export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly actorType: ActorType;
  /** A noun and what was done with it, such as `consent_notice.published`. */
  readonly action: string;
  readonly module: string;
  readonly targetId: string | null;
  /** What people call the target. */
  readonly targetRef: string | null;
  /** SHA-256 over `prevHash` and the canonical event, hex. */
  readonly hash: string;
  /** The hash of the preceding event of the tenant. */
  readonly prevHash: string | null;
}

/** What happened, with everything that is known. */
export interface AuditEventDetail extends AuditEvent {
  /** A keyed hash of the client address; the address is not kept. */
  readonly ip: string | null;
  /** A keyed hash of the User-Agent; the text is not kept. */
  readonly userAgent: string | null;
  /** What changed. */
  readonly diff?: Json;
  readonly reason: string | null;
}

/** Which events are listed. */
export interface AuditListParams extends PageParams {
  /** Events of this module alone; 1 to 64 characters. */
  readonly module?: string | undefined;
  readonly actor?: ActorType | undefined;
  /** Events at this time or later, RFC 3339. */
  readonly from?: Time | undefined;
  /** Events before this time, RFC 3339. */
  readonly to?: Time | undefined;
}
