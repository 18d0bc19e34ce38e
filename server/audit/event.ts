import { z } from 'zod';
import { AnyJson, UtcTime } from '../http/schemas.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { actorTypes } from '../principal/principal.ts';

export const ActorType = z.enum(actorTypes).meta({ id: 'ActorType' });

const fields = {
  id: z.string(),
  at: UtcTime,
  actorId: z.string().nullable(),
  actorEmail: z.string().nullable(),
  actorType: ActorType,
  action: z.string(),
  module: z.string(),
  targetId: z.string().nullable(),
  targetRef: z.string().nullable(),
  hash: z.string().meta({ description: 'SHA-256 over prevHash and the canonical event, hex.' }),
  prevHash: z.string().nullable().meta({ description: 'Hash of the preceding event of the tenant.' }),
};

/** spec.md "Audit event (list item)". */
export const AuditEvent = z.strictObject(fields).meta({ id: 'AuditEvent' });
export type AuditEvent = z.output<typeof AuditEvent>;

/** spec.md "Audit event (detail)". */
export const AuditEventDetail = z
  .strictObject({
    ...fields,
    ip: z.string().nullable().meta({ description: 'Keyed hash of the client address; the address is not kept.' }),
    userAgent: z.string().nullable().meta({ description: 'Keyed hash of the User-Agent; the text is not kept.' }),
    diff: AnyJson.optional().meta({ description: 'What changed: any JSON value.' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AuditEventDetail' });
export type AuditEventDetail = z.output<typeof AuditEventDetail>;

/** The modules that write events. */
export type AuditModule =
  | 'access'
  | 'consent'
  | 'controls'
  | 'identity'
  | 'ledger'
  | 'mfa'
  | 'privacy'
  | 'tenants'
  | 'trust'
  | 'webhooks';

/** An event to append to the audit log of a tenant. */
export interface NewAuditEvent {
  readonly module: AuditModule;
  /** `noun.verb_past`. */
  readonly action: string;
  readonly targetId: string | null;
  /** The readable name of the target: a name, a slug, the notice of a record. */
  readonly targetRef: string | null;
  readonly diff?: Json;
  readonly reason?: string;
}

/** The stored and hashed form: the detail without its hashes, and the tenant. */
export type AuditEntry = Omit<AuditEventDetail, 'hash' | 'prevHash' | 'diff'> & {
  readonly tenantId: string;
  readonly diff?: Json;
};

/** The canonical text of an entry. */
export function sealAuditEntry(entry: AuditEntry): string {
  return canonicalize(entry as unknown as Json);
}

interface StoredEvent {
  readonly entry: string;
  readonly hash: string;
  readonly prev_hash: string | null;
}

/** The detail of a stored event. */
export function readAuditEvent(row: StoredEvent): AuditEventDetail {
  const { tenantId: _, ...event } = JSON.parse(row.entry) as Omit<AuditEventDetail, 'hash' | 'prevHash'> & {
    readonly tenantId: string;
  };
  return { ...event, hash: row.hash, prevHash: row.prev_hash };
}

/** The list item of a stored event. */
export function readAuditListItem(row: StoredEvent): AuditEvent {
  const { ip: _ip, userAgent: _userAgent, diff: _diff, reason: _reason, ...item } = readAuditEvent(row);
  return item;
}
