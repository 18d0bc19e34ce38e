import type { Selectable } from 'kysely';
import { z } from 'zod';
import { AnyJson, UtcTime } from '../http/schemas.ts';
import type { Json } from '../ledger/canonical.ts';
import { actorTypes } from '../principal/principal.ts';
import type { Tables } from '../storage/tables.ts';

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

/** A row of the log, as far as the API shows it. */
type StoredEvent = Pick<Selectable<Tables['audit_events']>, 'entry' | 'hash' | 'prev_hash'>;

/** The detail of a stored event. */
export function readAuditEvent({ entry, hash, prev_hash: prevHash }: StoredEvent): AuditEventDetail {
  const { tenantId: _, ...event } = JSON.parse(entry);
  return { ...event, hash, prevHash };
}

/** The list item of a stored event. */
export function readAuditListItem(row: StoredEvent): AuditEvent {
  const { ip: _ip, userAgent: _userAgent, diff: _diff, reason: _reason, ...item } = readAuditEvent(row);
  return item;
}
