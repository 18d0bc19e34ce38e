import { randomInt } from 'node:crypto';
import { findMemberByEmail, readMemberPage } from '../../server/accounts/members/membership-store.ts';
import type { Installation } from '../../server/installation/installation.ts';
import { systemSource } from '../../server/ledger/audit/store.ts';
import { newSalt } from '../../server/ledger/entry.ts';
import { changeGroup } from '../../server/scim/groups.ts';
import { runTransaction } from '../../server/storage/database.ts';
import { insertRows, newId, withSeal } from '../../server/storage/rows.ts';
import type { GrantTable } from '../../server/storage/secrets.ts';
import type { Benchmark, Finding } from './benchmark.ts';
import { openPlain } from './plain-sqlite.ts';
import { judgeCpu } from './report.ts';
import { createSite, openSite } from './site.ts';
import { compareInTurn, spreadOf } from './slices.ts';
import { cpuSlice } from './work.ts';

const members = 100_000;
const added = 1000;
const pageSize = 100;

/** Daily requests of an identity provider, in a tenant of a hundred thousand. */
export const scim: Benchmark = {
  name: 'scim',
  async run(bench) {
    const { milliseconds } = bench.pace;
    await using installation = await openSite(bench.createFolder('scim'));
    const { tenantId } = await createSite(installation);
    bench.say(`filling a tenant with ${members} members`);
    const userIds = await fillMembers(installation, tenantId);
    const { kysely } = installation.database;
    using plain = openPlain(installation.settings.dataDir);

    const byEmail = plain.prepare(
      'select * from memberships where tenant_id = ? and user_id = (select id from users where email = ?) and deleted_at is null',
    );
    const filter = await compareInTurn(
      cpuSlice(async () => {
        for (let done = 0; done < 100; done += 1)
          await findMemberByEmail(kysely, tenantId, emailOf(randomInt(members)));
        return 100;
      }, milliseconds / 4),
      cpuSlice(() => {
        for (let done = 0; done < 100; done += 1) byEmail.all(tenantId, emailOf(randomInt(members)));
        return 100;
      }, milliseconds / 4),
      bench.pace,
    );

    const count = plain.prepare('select count(*) as total from memberships where tenant_id = ? and deleted_at is null');
    const page = plain.prepare(
      `select * from memberships where tenant_id = ? and user_id in
         (select user_id from memberships where tenant_id = ? and deleted_at is null order by user_id limit ? offset ?)
       order by user_id`,
    );
    const pages = await compareInTurn(
      cpuSlice(async () => {
        await readMemberPage(kysely, tenantId, { startIndex: 1 + randomInt(members), count: pageSize });
        return 1;
      }, milliseconds / 2),
      cpuSlice(() => {
        count.get(tenantId);
        page.all(tenantId, tenantId, pageSize, randomInt(members));
        return 1;
      }, milliseconds / 2),
      bench.pace,
    );
    return [
      judgeCpu(`filter by userName, ${members} members / prepared statement`, filter, { atMost: 3 }),
      judgeCpu(`page of ${pageSize} anywhere, ${members} members / prepared statements`, pages, { atMost: 3 }),
      await measurePatch(installation, tenantId, userIds.slice(0, added), bench.pace.pairs),
    ];
  },
};

/** A PATCH that adds a thousand members to a group, with an event and a webhook for each, on the disk. */
async function measurePatch(
  { database, clock }: Installation,
  tenantId: string,
  userIds: readonly string[],
  times: number,
): Promise<Finding> {
  const seconds: number[] = [];
  for (let turn = -2; turn < times; turn += 1) {
    // From one group to the other and back: every turn changes every row.
    const role = turn % 2 === 0 ? 'dpo' : 'engineer';
    const start = performance.now();
    await runTransaction(database, clock(), (tx) =>
      changeGroup(tx, systemSource(tenantId), role, [{ kind: 'add', userIds }]),
    );
    if (turn >= 0) seconds.push((performance.now() - start) / 1000);
  }
  return {
    what: `PATCH that adds ${added} members to a group, by the clock`,
    ours: '',
    floor: '',
    value: spreadOf(seconds),
    unit: 's',
    budget: { atMost: 0.25 },
  };
}

/** Writes people and memberships as they are stored: events of their making are not what is measured. */
async function fillMembers({ database, clock }: Installation, tenantId: string): Promise<readonly string[]> {
  const userIds = Array.from({ length: members }, () => newId());
  const now = clock();
  await runTransaction(database, now, async ({ queries }) => {
    const users = userIds.map((id, index) => ({
      id,
      email: emailOf(index),
      password_hash: null,
      password_changed_at: null,
      salt: newSalt(),
      created_at: now,
    }));
    const sealed = <Row extends object>(table: GrantTable, all: readonly Row[]) =>
      all.map((row) => withSeal(queries, table, row));
    await insertRows(queries, 'users', sealed('users', users));
    const factors = userIds.map((user_id) => ({ user_id, state: 'disabled', updated_at: now }));
    await insertRows(queries, 'second_factors', sealed('second_factors', factors));
    const rows = userIds.map((user_id, index) => ({
      tenant_id: tenantId,
      user_id,
      user_name: emailOf(index),
      given_name: 'Given',
      family_name: `Family ${index}`,
      external_id: newId(),
      role: 'cs_agent',
      salt: newSalt(),
      created_at: now,
      updated_at: now,
      accepted_at: null,
      deactivated_at: null,
      unassigned_at: null,
      deleted_at: null,
      last_signed_in_at: null,
    }));
    await insertRows(queries, 'memberships', sealed('memberships', rows));
  });
  return userIds;
}

function emailOf(index: number): string {
  return `person-${index}@example.com`;
}
