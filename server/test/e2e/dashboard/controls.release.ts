import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Download, Page } from 'playwright-core';
import { addMember } from '../../../accounts/members/membership.ts';
import type { MemberRole } from '../../../http/roles.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { base, ControlClient, payload } from '../../controls/helpers.ts';
import { evidenceItem } from '../../controls/samples.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

/** A code that is a formula to a spreadsheet cannot be made; a title can. */
const hostileTitle = '=HYPERLINK("https://evil.example","x"), <img src=x onerror=alert(1)>';

describeDashboard('controls and readiness in the dashboard', (dashboard) => {
  const { visitAs } = dashboard;

  async function createTenant(role: MemberRole = 'engineer') {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const member = await server.createMember({ tenantId: tenant.id, role });
    return { server, tenant, member, client: new ControlClient(server, tenant) };
  }

  /** Adds members who never sign in. */
  async function addMembers(tenantId: string, count: number): Promise<void> {
    const { installation, clock } = dashboard.server;
    const wanted = { role: 'auditor', isActivated: true, isAccepted: true } as const;
    for (let index = 0; index < count; index += 1)
      await runTransaction(installation.database, clock.now(), (tx) =>
        addMember(tx, systemSource(tenantId), { ...wanted, email: `${index}@${tenantId}.example` }, 'test'),
      );
  }

  test('adopts a framework, filters its controls in the address, and moves one on the board by keyboard', async () => {
    const { member } = await createTenant();
    await visitAs(member, 'controls', async (page) => {
      await page.getByRole('main').getByRole('link', { name: 'Adopt frameworks' }).click();
      await page.getByRole('button', { name: 'Adopt frameworks' }).click();
      await page.getByRole('checkbox', { name: 'GDPR' }).check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'By framework' }).waitFor();
      await page.getByRole('link', { name: 'GDPR', exact: true }).click();
      await page.getByRole('combobox', { name: 'Domain' }).selectOption({ index: 1 });
      await page.getByRole('button', { name: 'Board' }).click();
      const address = new URL(page.url()).searchParams;
      assert.deepEqual([...address.keys()].sort(), ['domain', 'framework', 'view']);
      const cards = page.locator('.card');
      const count = await cards.count();
      const code = ((await cards.first().getByRole('link').textContent()) ?? '').split(' ')[0] as string;
      await cards.first().getByRole('button').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'New status' }).focus();
      await page.keyboard.press('ArrowDown');
      await page.getByLabel('Exception ends').waitFor({ state: 'detached' });
      await page.getByRole('combobox', { name: 'New status' }).selectOption('excepted');
      await page.getByLabel('Exception ends').fill('2020-01-01');
      await page.getByRole('textbox', { name: 'Reason' }).fill('later');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('alert').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'exceptionEndsAt');
      await page.getByLabel('Exception ends').fill('2027-11-01');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Excepted 1' }).waitFor();
      assert.ok((await page.evaluate(() => document.activeElement?.textContent ?? '')).startsWith(code));
      assert.equal(await page.locator('.card').count(), count);
      await page.reload();
      await page.getByRole('heading', { name: 'Excepted 1' }).waitFor();
      await page.getByRole('combobox', { name: 'Status' }).selectOption('excepted');
      assert.equal(await page.locator('.card').count(), 1);
      await page.getByRole('button', { name: 'Table' }).click();
      await page.getByRole('row', { name: code }).waitFor();
      await page.getByRole('searchbox').fill('no control has this');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing matches the filters.').waitFor();
    });
  });

  test('creates a control of one’s own with an owner, edits its requirements, and retires it', async () => {
    const { server, tenant, member, client } = await createTenant('dpo');
    const owner = await server.createMember({ tenantId: tenant.id, role: 'engineer' });
    await addMembers(tenant.id, 1000);
    await client.adopt('SOC2');
    await visitAs(member, 'controls', async (page) => {
      await page.getByRole('button', { name: 'New control' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Code').fill('OWN-1');
      await dialog.getByLabel('Title').fill(hostileTitle);
      await dialog.getByLabel('Description').fill('Visitors are met.\nAlways.');
      await dialog.getByLabel('Domain').fill('Reception');
      await dialog.getByText('Requirements that it helps to meet').click();
      await dialog.getByLabel('SOC 2').fill('CC6.1, CC0.0');
      const owners = dialog.getByRole('combobox', { name: 'Owner' });
      assert.equal(await owners.locator('option').count(), 1 + 2 + 1000);
      await owners.selectOption(owner.userId);
      await dialog.getByRole('button', { name: 'New control' }).click();
      await dialog.getByRole('alert').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'mappings.SOC2');
      await dialog.getByLabel('SOC 2').fill('CC6.1');
      await dialog.getByRole('button', { name: 'New control' }).click();
      await page.getByRole('heading', { name: `OWN-1 ${hostileTitle}` }).waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog.getByLabel('SOC 2').fill('CC6.1, CC6.2');
      await dialog.getByRole('combobox', { name: 'Owner' }).selectOption('');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('CC6.1, CC6.2').waitFor();
      await page.getByRole('definition').filter({ hasText: 'No owner' }).waitFor();
      await page.getByRole('button', { name: 'Retire', exact: true }).click();
      await dialog.getByText(`OWN-1 ${hostileTitle}: It leaves`).waitFor();
      await dialog.getByRole('button', { name: 'Retire' }).click();
      await page.getByRole('heading', { name: 'Controls', level: 1 }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'OWN-1' }).count(), 0);
    });
  });

  test('erases an item of evidence with its file', async () => {
    const { server, tenant, member, client } = await createTenant();
    const id = await client.create();
    const about = new URLSearchParams({ ...evidenceItem, title: 'Visit of Elif', name: 'elif.txt' });
    const path = `${base}/controls/${id}/evidence/files?${about}`;
    payload(await server.request('POST', path, { key: tenant.key, rawBody: 'Elif was here' }), 201);
    await visitAs(member, `controls/${id}`, async (page) => {
      await page.getByRole('button', { name: 'Erase: Visit of Elif' }).click();
      const dialog = page.getByRole('dialog', { name: 'Erase this item of evidence' });
      await dialog.getByText('This stays:').waitFor();
      await dialog.getByLabel('Reason').fill('Asked for it');
      await dialog.getByRole('checkbox', { name: 'Visit of Elif' }).check();
      await dialog.getByRole('button', { name: 'Erase' }).click();
      await page.getByText('Erased.', { exact: true }).waitFor();
      await page.getByText('Texts erased').waitFor();
      await assertAccessible(page);
      const shown = (await page.locator('main').textContent()) ?? '';
      assert.ok(!shown.includes('Elif') && !shown.includes('elif') && !shown.includes('null'), shown);
      assert.equal(await page.getByRole('button', { name: 'Erase' }).count(), 0);
    });
  });

  test('adds and withdraws evidence, records the result of a test, and retires the test', async () => {
    const { member, client } = await createTenant();
    const id = await client.create({ title: 'Visitors are met' });
    await visitAs(
      member,
      `controls/${id}`,
      async (page) => {
        const dialog = page.getByRole('dialog');
        await page.getByRole('button', { name: 'Add evidence' }).click();
        await dialog.getByLabel('Title').fill('Visitor list');
        await dialog.getByLabel('Link (').fill('https://files.example/list');
        await dialog.getByLabel('Collected').fill('2026-11-20T10:00');
        await dialog.getByRole('button', { name: 'Add evidence' }).click();
        const link = page.getByRole('link', { name: 'Visitor list' });
        assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
        await page.getByRole('definition').filter({ hasText: 'Current' }).waitFor();
        await page.getByRole('button', { name: 'Withdraw: Visitor list' }).click();
        await dialog.getByLabel('Reason').fill('wrong month');
        await dialog.getByRole('button', { name: 'Withdraw' }).click();
        await page.getByText('wrong month').waitFor();
        await page.getByRole('definition').filter({ hasText: 'Missing' }).waitFor();

        await page.getByRole('button', { name: 'Add test' }).click();
        await dialog.getByLabel('Title').fill('Ask at the door');
        await dialog.getByRole('button', { name: 'Add test' }).click();
        await page.getByRole('row', { name: 'Ask at the door' }).getByText('Due').waitFor();
        await page.getByRole('button', { name: 'Record result: Ask at the door' }).click();
        await dialog.getByRole('combobox', { name: 'Result' }).selectOption('fail');
        await dialog.getByLabel('Notes').fill('Nobody was there.');
        await dialog.getByRole('button', { name: 'Record result' }).click();
        await page.getByRole('definition').filter({ hasText: 'Fail' }).waitFor();
        await page.getByRole('button', { name: 'History (1): Ask at the door' }).click();
        await dialog.getByText('Nobody was there.').waitFor();
        await dialog.getByRole('button', { name: 'Close' }).click();
        await page.getByRole('button', { name: 'Retire: Ask at the door' }).click();
        await dialog.getByRole('button', { name: 'Retire' }).click();
        await page.getByText('No tests yet.').waitFor();
        await page.getByText('Retired tests').click();
        await page.getByRole('row', { name: 'Ask at the door' }).waitFor();
      },
      { timezoneId: 'UTC' },
    );
  });

  test('uploads a file with a hostile name, refuses what the server would, and downloads it', async () => {
    const { member, client } = await createTenant();
    const id = await client.create({ title: 'Visitors are met' });
    const own = { timezoneId: 'UTC' };
    const { database, settings } = dashboard.server.installation;
    const now = dashboard.server.clock.now();
    const size = settings.evidenceQuota - 10 * 1024 * 1024;
    const others = { id: crypto.randomUUID(), tenant_id: client.tenant.id, size, created_at: now, finished_at: now };
    await database.kysely.insertInto('control_evidence_files').values(others).execute();
    const open = async (page: Page) => {
      await page.getByRole('button', { name: 'Add evidence' }).click();
      await page.getByRole('dialog').getByLabel('Collected').fill('2026-11-20T10:00');
      return page.getByRole('dialog');
    };
    const add = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Add evidence' }).click();
    const name = `a "list" <img src=x onerror=alert(1)> ${'x'.repeat(180)}.html`;
    await visitAs(
      member,
      `controls/${id}`,
      async (page) => {
        const dialog = await open(page);
        const choose = (file: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }) =>
          dialog.getByLabel('File').setInputFiles(file);
        await choose({ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) });
        await dialog.getByText('The file is empty').waitFor();
        // Made in the page: sending 26 MiB to the browser takes seconds.
        const drop = async (file: { readonly name: string; readonly size: number }) => {
          const dataTransfer = await page.evaluateHandle(({ name, size }) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(size)], name));
            return transfer;
          }, file);
          await dialog.locator('.drop').dispatchEvent('drop', { dataTransfer });
        };
        await drop({ name: 'large.zip', size: 26 * 1024 * 1024 });
        await dialog.getByText('A file may have at most 25 MiB. This one has 26 MiB.').waitFor();
        await dialog.getByText('Free space for files: 10 MiB / 5 GiB').waitFor();
        let uploads = 0;
        page.on('request', (request) => {
          uploads += request.url().includes('/evidence/files') ? 1 : 0;
        });
        await add(page);
        await dialog.getByRole('alert').last().waitFor();
        await drop({ name: 'large.zip', size: 11 * 1024 * 1024 });
        await dialog.getByText('The file does not fit into the free space of 10 MiB.').waitFor();
        await add(page);
        await dialog.getByText('The file does not fit into the free space of 10 MiB.').nth(1).waitFor();
        assert.equal(uploads, 0);
        // A page of an earlier version would send it: the browser gets the answer, and not a reset connection.
        const refused = await page.evaluate(
          async (path) => {
            const answer = await fetch(path, { method: 'POST', body: new Uint8Array(26 * 1024 * 1024) });
            return { status: answer.status, code: (await answer.json()).error.code };
          },
          `/v1/control-framework/controls/${id}/evidence/files?${new URLSearchParams({ title: 'T', kind: 'document', name: 'n', collectedAt: '2026-11-20T10:00:00Z' })}`,
        );
        assert.deepEqual(refused, { status: 413, code: 'payload_too_large' });
        await choose({ name, mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') });
        await dialog.getByLabel('Title').fill('Visitor list');
        await add(page);
        const link = page.getByRole('link', { name: 'a _list_' });
        await link.waitFor();
        await page.getByText('SHA-256').waitFor();
        const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
        assert.equal(await readDownload(file), '<script>alert(1)</script>');
        assert.match(file.suggestedFilename(), /^a _list_ _img.*\.html$/);

        // Another tab switched to another tenant.
        const { server } = dashboard;
        const away = await server.createTenant(`away-${client.tenant.slug}`);
        await server.createMember({ tenantId: away.id, email: member.email });
        await page.evaluate(async (tenant) => {
          const headers = { 'Content-Type': 'application/json' };
          await fetch('/v1/me/tenant', { method: 'POST', headers, body: JSON.stringify({ tenant }) });
        }, away.id);
        await link.click();
        const [again] = await Promise.all([
          page.waitForEvent('download'),
          page
            .getByRole('dialog')
            .getByRole('button', { name: `Continue in ${client.tenant.slug}` })
            .click(),
        ]);
        assert.equal(await readDownload(again), '<script>alert(1)</script>');
        assert.match(again.url(), new RegExp(`\\?tenant=${client.tenant.id}&user=`));

        // Dropped on the area, and the title follows its name.
        await open(page);
        await drop({ name: 'dropped.txt', size: 7 });
        assert.equal(await dialog.getByLabel('Title').inputValue(), 'dropped.txt');
        await add(page);
        await page.getByRole('link', { name: 'dropped.txt, 7' }).waitFor();

        // The server says what the browser does not know, and nothing of the form is lost.
        await open(page);
        await drop({ name: 'more.txt', size: 4 });
        await dialog.getByLabel('Collected').fill('2030-01-01T00:00');
        await add(page);
        await dialog.getByText('must not be in the future').waitFor();
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'collectedAt');
        assert.equal(await dialog.getByLabel('Title').inputValue(), 'more.txt');
      },
      own,
    );
  });

  test('saves what the filters show as CSV that a spreadsheet does not run', async () => {
    const { member, client } = await createTenant('auditor');
    await client.create({ code: 'OWN-1', title: hostileTitle, domain: '  @SUM(1)' });
    await client.create({ code: 'OWN-2', title: 'Not shown', domain: 'Other' });
    await visitAs(member, 'controls?search=own-1', async (page) => {
      await page.getByRole('link', { name: 'OWN-1' }).waitFor();
      const rows = await readDownload(await download(page));
      assert.ok(rows.startsWith('\uFEFFCode,Title,Domain,'), rows);
      const cell = `"'=HYPERLINK(""https://evil.example"",""x""), <img src=x onerror=alert(1)>"`;
      assert.ok(rows.includes(`\r\nOWN-1,${cell},'@SUM(1),Not started,,`), rows);
      assert.ok(!rows.includes('OWN-2'));
    });
    await visitAs(member, 'readiness', async (page) => {
      await page.getByRole('link', { name: '@SUM(1)' }).waitFor();
      assert.match(await readDownload(await download(page)), /\r\nDomain,'@SUM\(1\),0,0,0,0,0,1\r\n/);
    });
  });
});

async function download(page: Page): Promise<Download> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  return file;
}

async function readDownload(file: Download): Promise<string> {
  return readFile(await file.path(), 'utf8');
}
