import { adoptFrameworks } from '../../server/controls/adoption.ts';
import { catalogue } from '../../server/controls/catalogue/catalogue.ts';
import { newControlRow } from '../../server/controls/control-changes.ts';
import { rateReadiness, summarizeControls } from '../../server/controls/overview.ts';
import { listControlRows, readControls } from '../../server/controls/store.ts';
import type { Installation } from '../../server/installation/installation.ts';
import { systemSource } from '../../server/ledger/audit/store.ts';
import { runTransaction } from '../../server/storage/database.ts';
import { insertRows, newId } from '../../server/storage/rows.ts';
import type { Benchmark, Finding } from './benchmark.ts';
import { openPlain } from './plain-sqlite.ts';
import { judgeCpu } from './report.ts';
import { createSite, openSite } from './site.ts';
import { compareInTurn } from './slices.ts';
import { cpuSlice } from './work.ts';

const controls = 500;
const items = 20_000;
const resultsOfTest = 5;
const day = 24 * 60 * 60 * 1000;

/** Figures that the control framework recounts for every request, in a tenant with years of evidence. */
export const controlFramework: Benchmark = {
  name: 'controls',
  async run(bench) {
    const { milliseconds } = bench.pace;
    await using installation = await openSite(bench.createFolder('controls'));
    const { tenantId } = await createSite(installation);
    bench.say(`filling a tenant with ${controls} controls and ${items} items of evidence`);
    await fillTenant(installation, tenantId);
    const { kysely } = installation.database;
    const now = installation.clock();
    using plain = openPlain(installation.settings.dataDir);
    const statements = grouping.map((text) => plain.prepare(text));
    const floor = cpuSlice(() => {
      for (const statement of statements) statement.all({ tenantId, now });
      return 1;
    }, milliseconds / 2);
    const measure = async (what: string, run: () => Promise<string>): Promise<Finding> => {
      const ours = cpuSlice(async () => {
        await run();
        return 1;
      }, milliseconds / 2);
      const found = await compareInTurn(ours, floor, bench.pace);
      return judgeCpu(`${what}, ${controls} controls, ${items} items of evidence / the same SQL, prepared`, found, {
        atMost: 2.5,
      });
    };
    return [
      await measure('readiness', async () => JSON.stringify(rateReadiness(await readControls(kysely, tenantId, now)))),
      await measure('control list', async () =>
        JSON.stringify(summarizeControls(await readControls(kysely, tenantId, now))),
      ),
    ];
  },
};

/** The queries that any of the counts needs at least, as written by hand. */
const grouping = [
  'select frameworks from control_programs where tenant_id = @tenantId',
  'select * from tenant_controls where tenant_id = @tenantId',
  `select tenant_control_id, count(*) as items,
     max(case when expires_at is null or expires_at > @now then collected_at end) as latest
   from control_evidence where tenant_id = @tenantId and withdrawn_at is null group by tenant_control_id`,
  `select test.*, latest.status, latest.tested_at,
     (select count(*) from control_test_results where tenant_id = @tenantId and test_id = test.id) as results
   from control_tests test left join control_test_results latest on latest.id =
     (select id from control_test_results where tenant_id = @tenantId and test_id = test.id
      order by tested_at desc, id desc limit 1)
   where test.tenant_id = @tenantId and test.retired_at is null`,
];

/** Writes rows as they are stored: events of their making are not what is measured. */
async function fillTenant({ database, clock }: Installation, tenantId: string): Promise<void> {
  const now = clock();
  const daysAgo = (days: number) => new Date(Date.parse(now) - days * day).toISOString();
  await runTransaction(database, now, async (tx) => {
    const { queries } = tx;
    const codes = catalogue.frameworks.map(({ code }) => code);
    const adopted = await adoptFrameworks(tx, systemSource(tenantId), codes);
    const own = Array.from({ length: controls - adopted.controls }, (_, index) => {
      const row = newControlRow(tx, tenantId, '', 'quarterly');
      const texts = { title: `Control ${index}`, description: 'What is so when it works. '.repeat(4) };
      const mappings = { GDPR: ['Art. 32(1)'], SOC2: ['CC6.1'] };
      const definition = { code: `OWN-${index}`, domain: `Domain ${index % 20}`, ...texts, mappings };
      return { ...row, control_id: row.id, definition: JSON.stringify(definition) };
    });
    await insertRows(tx.queries, 'tenant_controls', own);
    const ownTests = own.map(({ id }) => ({
      id: newId(),
      tenant_id: tenantId,
      tenant_control_id: id,
      title: 'Look at the list',
      procedure: 'Ask for ten of them and compare.',
      cadence: null,
      created_at: now,
      retired_at: null,
    }));
    await insertRows(queries, 'control_tests', ownTests);
    const rows = await listControlRows(queries, { tenantId, now });
    const evidence = Array.from({ length: items }, (_, index) => ({
      id: newId(),
      tenant_id: tenantId,
      tenant_control_id: rows[index % rows.length]?.id as string,
      title: `Item ${index}`,
      kind: 'document',
      description: null,
      url: `https://files.example.com/${index}`,
      sha256: null,
      collected_at: daysAgo((index * 7) % 1500),
      expires_at: index % 3 === 0 ? daysAgo(((index * 7) % 1500) - 365) : null,
      created_at: now,
      withdrawn_at: null,
      withdrawal_reason: null,
    }));
    await insertRows(queries, 'control_evidence', evidence);
    const tests = await queries.selectFrom('control_tests').select('id').where('tenant_id', '=', tenantId).execute();
    const results = tests.flatMap(({ id }, index) =>
      Array.from({ length: resultsOfTest }, (_, run) => ({
        id: newId(),
        tenant_id: tenantId,
        test_id: id,
        status: (index + run) % 9 === 0 ? 'fail' : 'pass',
        notes: null,
        url: null,
        tested_at: daysAgo(run * 90 + (index % 60)),
        created_at: now,
      })),
    );
    await insertRows(queries, 'control_test_results', results);
  });
}
