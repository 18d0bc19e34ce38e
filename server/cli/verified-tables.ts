import { apiKeyRows } from '../access/api-key-store.ts';
import { scimTokenRows } from '../access/scim-token-store.ts';
import type { RowKind } from '../audit/row-state.ts';
import { noticeRows } from '../consent/notice-store.ts';
import { controlRows, evidenceRows, programRows, resultRows, testRows } from '../controls/store.ts';
import { accountRows, secondFactorRows } from '../identity/account-store.ts';
import { invitationRows } from '../identity/invitation-store.ts';
import { membershipRows } from '../identity/membership-store.ts';
import { breachRows, dsrRows } from '../privacy/store.ts';
import { tenantRows } from '../tenants/store.ts';
import { trustCenterRows } from '../trust/store.ts';
import { endpointRows } from '../webhooks/endpoints/store.ts';

/** The tables whose rows may change, and are compared with the audit log. */
export const changingRows: readonly RowKind[] = [
  tenantRows,
  apiKeyRows,
  scimTokenRows,
  accountRows,
  secondFactorRows,
  membershipRows,
  invitationRows,
  noticeRows,
  programRows,
  controlRows,
  evidenceRows,
  testRows,
  resultRows,
  dsrRows,
  breachRows,
  trustCenterRows,
  endpointRows,
];

/** Tables that are not checked: they contain no record, event, notice, key or tenant. */
export const workingState = [
  'idempotency_keys',
  'rate_limits',
  'sessions',
  'sign_in_challenges',
  'sign_in_failures',
  'backup_codes',
  'access_tokens',
  'webhook_events',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_health',
  'webhook_senders',
  'webhook_redeliveries',
  'merkle_trees',
] as const;
