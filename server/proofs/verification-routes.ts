import { z } from 'zod';
import { defineRoute, listRoute, type Route } from '../http/route.ts';
import { cursorPageOf, Id, namedObject, UtcTime, viewRow } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { recordEvent } from '../ledger/audit/store.ts';
import { checked, LedgerVerification, verdicts, viewVerification } from '../ledger/verification.ts';
import { findRow, mapPage } from '../storage/rows.ts';
import { listRuns, type RunRow } from './verification-store.ts';
import type { Verifier } from './verifier.ts';

/** A verification of all tenants, as the administrator of the server sees it. */
const VerificationRun = namedObject('VerificationRun', {
  id: Id,
  status: z.enum(['running', ...verdicts, 'interrupted']).meta({
    id: 'VerificationRunStatus',
    description:
      '`failed`: something was changed. `could_not_check`: no change was found, but not everything could be checked. `interrupted`: the server stopped; a server begins it again.',
  }),
  startedAt: UtcTime,
  finishedAt: UtcTime.nullable(),
  tenants: z.int().meta({ description: 'How many there are to verify; 0 until that is known.' }),
  verifiedTenants: z.int(),
  ...checked,
  findings: z.int(),
});

type RunStatus = z.output<typeof VerificationRun>['status'];

const viewRun = (row: RunRow) => viewRow(VerificationRun, row, { status: row.status as RunStatus });

/** The operations of verification: that of all tenants for the administrator, its result for each tenant. */
export function verificationRoutes({ database: { kysely } }: Installation, verifier: Verifier): readonly Route[] {
  const common = { tag: 'Platform', auth: 'platform' } as const;
  return [
    listRoute('/v1/system/verifications', {
      ...common,
      operationId: 'listVerifications',
      reads: 'replica',
      summary: 'List the verifications of this server, newest first',
      description: 'They are kept for 90 days, the newest one for longer.',
      scope: 'system:read',
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(VerificationRun),
      place: 'string',
      find: async ({ queries }, { after, limit }) => mapPage(await listRuns(queries, after, limit), viewRun),
    }),
    defineRoute('POST /v1/system/verifications', {
      ...common,
      operationId: 'startVerification',
      summary: 'Verify every ledger and row of all tenants',
      description:
        'What `svc verify` checks, in a thread of the server with low priority. Returns the run, or the one that is under way: with several servers, one of them runs it. The server starts one by itself, daily unless it is configured otherwise.',
      scope: 'system:write',
      status: 201,
      result: VerificationRun,
      async write(call, tx) {
        const begun = await verifier.begin(tx);
        if (begun === null) throw new Error('no run was begun, and none is under way');
        const { run, isNew } = begun;
        if (isNew)
          await recordEvent(tx, call.source(), {
            module: 'ledger',
            action: 'verification.started',
            targetId: run.id,
            targetRef: null,
          });
        return viewRun(run);
      },
    }),
    defineRoute('GET /v1/ledgers/verification', {
      tag: 'Proofs',
      operationId: 'getLedgerVerification',
      sdkMethod: 'ledgers.retrieveVerification',
      summary: 'Get the latest verification of the ledgers',
      description:
        'The server recomputes both ledgers at intervals, and compares them with the signed checkpoints, and the rows of the tenant with the audit log. `latest` is null until the first one.',
      scope: 'audit:read',
      result: namedObject('LatestVerification', { latest: LedgerVerification.nullable() }),
      async handle({ principal: { tenantId } }) {
        const row = await findRow(kysely, 'verifications', { tenant_id: tenantId });
        return { latest: row === undefined ? null : viewVerification(row) };
      },
    }),
  ];
}
