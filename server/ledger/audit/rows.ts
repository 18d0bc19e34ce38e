import { listColumns } from '../../storage/schema.ts';
import type { Tables } from '../../storage/tables.ts';
import type { AuditModule } from './events.ts';

/** A table whose rows may change: the event of each change has a hash of the row's projection after it. */
export interface RowKind<Name extends keyof Tables = keyof Tables> extends Projection {
  readonly table: Name;
  readonly module: AuditModule;
  /** The first part of the actions of its events: `api_key` in `api_key.created`. */
  readonly noun: string;
  /** The column that identifies a row in the audit log. */
  readonly key: 'id' | 'user_id';
  /**
   * The column with the tenant of a row; `members` for rows of a person, whose changes are recorded for every tenant that
   * the person is a member of.
   */
  readonly owner: 'id' | 'tenant_id' | 'members';
}

/** The values of a row that are hashed. Columns that it does not name are checked in another way, or only note uses. */
export interface Projection<Column extends string = string> {
  /** The columns of version 1, which are also the names of the values. */
  readonly columns: readonly Column[];
  /**
   * The columns that versions 2, 3, … add, each with the value that verification expects of it in a row that was recorded
   * under an earlier version.
   */
  readonly added: readonly Readonly<Partial<Record<Column, string | number | null>>>[];
  /** The names of renamed columns in the projection: `{ title: 'name' }` once `name` is called `title`. */
  readonly renamed: Readonly<Partial<Record<Column, string>>>;
  /** The columns with sealed texts: of these, the projection has the commitments. */
  readonly encrypted: readonly Column[];
  /** The columns that can identify a person: of these, the projection has commitments under the `salt` of the row. */
  readonly personal: readonly Column[];
  /** The names of these columns in the diff of an event. */
  readonly personalFields: readonly string[];
}

type ColumnOf<Name extends keyof Tables> = keyof Tables[Name] & string;

const described: RowKind[] = [];

/** Every kind of row that may change: verification compares all of them with the audit log. */
export const changingRows: readonly RowKind[] = described;

/**
 * Describes the rows of a table with the key `id` and the owner `tenant_id`, except where `other` differs. The migration marks
 * which of its columns are audited and personal.
 */
function describeRows<Name extends keyof Tables>(
  table: Name,
  module: AuditModule,
  noun: string,
  other: Partial<Pick<Projection<ColumnOf<Name>>, 'added' | 'renamed'> & Pick<RowKind, 'key' | 'owner'>> = {},
): RowKind<Name> {
  const audited = listColumns(table).filter(({ isAudited }) => isAudited);
  const columns = audited.map(({ name }) => name);
  const personal = audited.filter(({ isPersonal }) => isPersonal).map(({ name }) => name);
  const encrypted = audited.filter(({ isEncrypted }) => isEncrypted).map(({ name }) => name);
  const personalFields = personal.map((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  const projection = { columns, added: [], renamed: {}, encrypted, personal, personalFields };
  const kind: RowKind<Name> = { table, module, noun, key: 'id', owner: 'tenant_id', ...projection, ...other };
  described.push(kind as unknown as RowKind);
  return kind;
}

export const tenantRows = describeRows('tenants', 'tenants', 'tenant', { owner: 'id' });
export const apiKeyRows = describeRows('api_keys', 'access', 'api_key');
export const scimTokenRows = describeRows('scim_tokens', 'access', 'scim_token');
export const accountRows = describeRows('users', 'identity', 'account', { owner: 'members' });
export const secondFactorRows = describeRows('second_factors', 'mfa', 'mfa', { key: 'user_id', owner: 'members' });
export const membershipRows = describeRows('memberships', 'identity', 'user', { key: 'user_id' });
export const invitationRows = describeRows('invitations', 'identity', 'invitation');
export const noticeRows = describeRows('consent_notices', 'consent', 'consent_notice');
export const programRows = describeRows('control_programs', 'controls', 'control_program');
export const controlRows = describeRows('tenant_controls', 'controls', 'control');
export const evidenceRows = describeRows('control_evidence', 'controls', 'control_evidence');
export const testRows = describeRows('control_tests', 'controls', 'control_test');
export const resultRows = describeRows('control_test_results', 'controls', 'control_test_result');
export const dsrRows = describeRows('dsr_requests', 'privacy', 'dsr');
export const breachRows = describeRows('breach_incidents', 'privacy', 'breach');
export const trustCenterRows = describeRows('trust_centers', 'trust', 'trust_center');
export const endpointRows = describeRows('webhook_endpoints', 'webhooks', 'webhook');
