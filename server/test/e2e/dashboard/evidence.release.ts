import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { writeKey } from '../../../../packages/node-sdk/src/ledger/checkpoint.ts';
import type { MemberRole } from '../../../http/roles.ts';
import { recordRotation } from '../../../ledger/rotation-store.ts';
import { NoteSigner } from '../../../ledger/signed-note.ts';
import { runTransaction } from '../../../storage/database.ts';
import { capture } from '../../consent/helpers.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

const subjectId = 'ada/lovelace <b>@example.com</b>';

describeDashboard('records, audit log and proofs in the dashboard', (dashboard) => {
  const { visitAs } = dashboard;

  /** A tenant with a notice and a record of a hostile subject id, and a member. */
  async function createTenant(role: MemberRole = 'admin') {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const { key } = tenant;
    const noticeId = await server.createNotice({ key });
    const captured = await capture(server, noticeId, { subjectId, purposes: { marketing: true } }, { key });
    assert.equal(captured.status, 201, captured.text);
    const member = await server.createMember({ tenantId: tenant.id, role });
    return { server, tenant, noticeId, recordId: captured.body.data.id as string, member };
  }

  test('finds a subject, proves its record in the browser, and withdraws it', async () => {
    const { noticeId, recordId, member } = await createTenant();
    await visitAs(member, 'subjects', async (page) => {
      await page.getByLabel('Subject id').fill('a subject without records');
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('No consent is recorded for this subject').waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      await page.getByRole('link', { name: 'Open a request' }).click();
      const subject = page.getByRole('dialog').getByLabel('Subject id');
      assert.equal(await subject.inputValue(), 'a subject without records');
      await page.keyboard.press('Escape');
      assert.equal(new URL(page.url()).search, '?subjectId=a+subject+without+records');
      await page.goBack();
      await page.getByRole('link', { name: 'Look up another subject' }).click();
      await page.getByLabel('Subject id').fill(subjectId);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByRole('heading', { name: subjectId }).waitFor();
      await page.getByText('marketing', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Notice: Website' }).waitFor();
      await page.locator('tbody tr a').first().click();
      await page.getByRole('button', { name: 'Prove' }).click();
      await page.getByText('Proven.').waitFor();
      await page.getByText('is covered by the checkpoint of size 1').waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save proof' }).click();
      assert.equal((await saved).suggestedFilename(), 'proof-consent-1.json');
      await page.getByRole('button', { name: 'Withdraw consent' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw consent' }).click();
      await page.getByRole('heading', { name: 'Record 2' }).waitFor();
      await page.getByText('marketing: refused').waitFor();
      await page.locator('summary', { hasText: 'Content of version 1' }).click();
      await page.locator('.version').getByText('Website', { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Withdraw consent' }).count(), 0);
      await page.getByRole('definition').getByRole('link', { name: recordId }).click();
      await page.getByRole('heading', { name: 'Record 1' }).waitFor();
      await page.locator('.version').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Withdraw consent' }).count(), 0);
      await page.goto(`${dashboard.server.url}/app/notices/${noticeId}/records`);
      await page.locator('tbody tr').nth(1).waitFor();
      await page.getByRole('heading', { level: 1, name: 'Website' }).waitFor();
      await page.locator('.tabs [aria-current]', { hasText: 'Records' }).waitFor();
      assert.equal(await page.locator('tbody b').count(), 0);
      await page.getByLabel('Kind').selectOption('withdrawal');
      await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: 'Withdrawal' }).waitFor();
      await page.getByLabel('Subject id').fill('nobody');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing matches the filters').waitFor();
      assert.match(page.url(), /kind=withdrawal&subjectId=nobody/);
    });
  });

  test('withdraws on the page of the subject what holds on a notice, and finds a record by its id', async () => {
    const { server, tenant, noticeId, recordId, member } = await createTenant();
    const body = { subjectId, purposes: { analytics: true } };
    const captured = await capture(server, noticeId, body, { key: tenant.key });
    assert.equal(captured.status, 201, captured.text);
    await visitAs(member, `subjects/${encodeURIComponent(subjectId)}`, async (page) => {
      await page.getByRole('button', { name: 'Withdraw consent: Website' }).click();
      await page.getByRole('dialog').getByText(`${subjectId}, Website`).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw consent' }).click();
      await page.getByText('The consent is withdrawn').waitFor();
      await page.locator('tbody tr').nth(3).waitFor();
      assert.equal(await page.getByText('Granted', { exact: true }).count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Withdraw consent' }).count(), 0);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find' }).fill(recordId.toUpperCase());
      await page.getByRole('option', { name: subjectId }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Record 1' }).waitFor();
    });
  });

  test('erases the spellings of a subject that are chosen with it, and no other', async () => {
    const { server, tenant, noticeId, member } = await createTenant();
    const person = `nora-${crypto.randomUUID()}@example.com`;
    const [chosen, other] = [person.toUpperCase(), ` ${person}`];
    for (const subjectId of [person, chosen, other])
      await capture(server, noticeId, { subjectId, purposes: { analytics: true } }, { key: tenant.key });
    await visitAs(member, `subjects/${encodeURIComponent(person)}`, async (page) => {
      await page.getByRole('button', { name: 'Erase' }).click();
      const dialog = page.getByRole('dialog', { name: 'Erase this data subject' });
      const spellings = dialog.getByRole('group', { name: 'other spellings' }).getByRole('checkbox');
      await spellings.first().waitFor();
      assert.deepEqual([await spellings.count(), await spellings.nth(0).isChecked()], [2, false]);
      await assertAccessible(page);
      assert.deepEqual(await spellings.evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value'))), [
        other,
        chosen,
      ]);
      await spellings.nth(1).check();
      await dialog.getByLabel('Reason').fill('Asked for it');
      await dialog.getByRole('checkbox', { name: 'cannot be undone' }).check();
      await dialog.getByRole('button', { name: 'Erase' }).click();
      await page.getByText('Erased.', { exact: true }).waitFor();
      assert.match((await page.locator('dl').textContent()) ?? '', /Consent records\s*2/);
    });
    const body = { subjectId: person };
    const found = await server.request('POST', '/v1/consent/subjects/search', { key: tenant.key, body });
    assert.deepEqual(found.body.data.items, [{ subjectId: other, recordCount: 1 }]);
  });

  test('erases a subject on its page, which says what is covered, and follows what goes on in the background', async () => {
    const { server, tenant, noticeId, member } = await createTenant();
    const person = `erased-${crypto.randomUUID()}@example.com`;
    const body = { subjectId: person, purposes: { analytics: true } };
    assert.equal((await capture(server, noticeId, body, { key: tenant.key })).status, 201);
    const dsr = { subjectId: person, type: 'erasure' };
    const made = await server.request('POST', '/v1/dsr', { key: tenant.key, body: dsr });
    const page = `subjects/${encodeURIComponent(person)}`;
    await visitAs(member, page, async (page) => {
      await page.getByRole('button', { name: 'Erase' }).click();
      const dialog = page.getByRole('dialog', { name: 'Erase this data subject' });
      await dialog.getByText('Consent records: 1').waitFor();
      await dialog.getByText('A request of the person is open').waitFor();
      await assertAccessible(page);
      const erase = async () => {
        await dialog.getByLabel('Reason').fill('Asked for it');
        await dialog.getByRole('checkbox', { name: person }).check();
        await dialog.getByRole('button', { name: 'Erase' }).click();
      };
      await erase();
      await dialog.getByRole('alert').waitFor();
      page.once('dialog', (question) => question.accept());
      await page.keyboard.press('Escape');
      const complete = { key: tenant.key, body: { outcome: 'fulfilled' } };
      await server.request('POST', `/v1/dsr/${made.body.data.id}/complete`, complete);
      await page.getByRole('button', { name: 'Erase' }).click();
      await dialog.getByText('Completed requests: 1').waitFor();
      assert.equal(await dialog.getByText('is open').count(), 0);
      await page.route('**/erase', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace('"done"', '"running"') });
      });
      await erase();
      await page.getByText('the rest follows in the background').waitFor();
      await page.getByText('Erased.', { exact: true }).waitFor();
      assert.match((await page.locator('dl').textContent()) ?? '', /Consent records\s*1\s*Completed requests\s*1/);
      assert.equal(new URL(page.url()).pathname, '/app/subjects');
      assert.ok(!(await page.locator('body').textContent())?.includes(person));
      await assertAccessible(page);
    });
  });

  test('does not prove a record that the server altered on the way', async () => {
    const { noticeId, recordId, member } = await createTenant();
    await visitAs(member, '', async (page) => {
      await page.route('**/v1/consent/*/records/*', async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace('"marketing":true', '"marketing":false');
        await route.fulfill({ response, body });
      });
      await page.goto(`${dashboard.server.url}/app/notices/${noticeId}/records/${recordId}`);
      await page.getByText('marketing: refused').waitFor();
      await page.getByRole('button', { name: 'Prove' }).click();
      await page.getByText('Not proven.').waitFor();
      assert.equal(await page.getByText('Proven.', { exact: true }).count(), 0);
    });
  });

  test('shows what an audit event changed, and proves it', async () => {
    const { server, tenant, member } = await createTenant();
    const body = { name: 'Acme <img src=x>' };
    const changed = await server.request('PATCH', '/v1/tenant', { key: tenant.key, body });
    assert.equal(changed.status, 200, changed.text);
    await visitAs(member, 'audit?module=tenants', async (page) => {
      await page.locator('tbody a').first().click();
      await page.getByRole('link', { name: tenant.slug }).waitFor();
      const row = page.getByRole('row', { name: 'name' });
      await row.getByText(tenant.slug).waitFor();
      await row.getByText(body.name).waitFor();
      await page.getByRole('button', { name: 'Prove' }).click();
      await page.getByText('Proven.').waitFor();
      await page.goBack();
      await page.getByLabel('Module').selectOption('mfa');
      await page.getByText('Nothing matches the filters').waitFor();
      await page.getByLabel('Module').selectOption('All');
      await page.getByLabel('Until').fill('2026-11-20');
      await page.getByLabel('Until').blur();
      await page.getByText('Nothing matches the filters').waitFor();
      await page.getByLabel('Until').fill('2026-11-21');
      await page.getByLabel('Until').blur();
      await page.locator('tbody a').first().waitFor();
      await page.getByRole('link', { name: 'Export or verify the log' }).waitFor();
      await page.getByLabel('From').fill('2026-11-22');
      await page.getByLabel('From').blur();
      await page.waitForURL(/from=2026-11-22/);
      await page.getByText('Nothing matches the filters').waitFor();
      await page.goto(`${server.url}/app/audit?from=yesterday`);
      await page.getByRole('alert').waitFor();
    });
  });

  test('signs a checkpoint, and verifies an export and an altered one in the browser', async () => {
    const { member } = await createTenant();
    const open = (page: Page, content: string) =>
      page.getByLabel('Export file').setInputFiles({
        name: 'consent.jsonl',
        mimeType: 'application/jsonl',
        buffer: Buffer.from(content),
      });
    await visitAs(member, 'proofs', async (page) => {
      await page.getByText('svc').first().waitFor();
      const download = async (button: Locator) => {
        const started = page.waitForEvent('download');
        await button.click();
        const stream = await (await started).createReadStream();
        return Buffer.concat(await stream.toArray()).toString();
      };
      await page.getByRole('button', { name: 'Sign a checkpoint now' }).first().click();
      await page.locator('#consent tbody tr').first().waitFor();
      const note = await download(page.locator('#consent').getByRole('button', { name: 'Save' }).first());
      const text = await download(page.getByRole('button', { name: 'Download export' }).first());
      await open(page, text);
      await page.getByLabel('Checkpoint that you kept').fill(note);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Proven. 1 entries are as they were signed.').waitFor();
      await page.getByText('grew out of the checkpoint that you kept').waitFor();
      await open(page, text.replace('marketing', 'marketinG'));
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Not proven.').waitFor();
      assert.equal(await page.getByText('Proven. 1').count(), 0);
    });
  });
});

describeDashboard('the dashboard after a rotation of the key', (dashboard) => {
  test('verifies an export of before with the current key', async () => {
    const { server, visitAs } = dashboard;
    const { installation, clock, tenant } = server;
    const created = await server.request('POST', '/v1/ledgers/audit/checkpoints');
    assert.equal(created.status, 201, created.text);
    const buffer = Buffer.from((await server.request('GET', '/v1/ledgers/audit/export')).text);
    const next = new NoteSigner('the secret that follows the first one');
    await runTransaction(installation.database, clock.now(), (tx) => recordRotation(tx, installation, next));
    const current = writeKey(next.named(installation.signer.verifier.name));
    await visitAs(await server.createMember({ tenantId: tenant.id }), 'proofs', async (page) => {
      // As after a restart with the new secret.
      await page.route('**/.well-known/svc-ledger-key', (route) => route.fulfill({ body: `${current}\n` }));
      await page.reload();
      await page.getByText(current).waitFor();
      const file = { name: 'audit.jsonl', mimeType: 'application/jsonl', buffer };
      await page.getByLabel('Export file').setInputFiles(file);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText(/^Proven\. \d+ entries are as they were signed\./).waitFor();
    });
  });
});
