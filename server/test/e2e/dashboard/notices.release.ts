import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Locator, Page } from 'playwright-core';
import type { MemberRole } from '../../../http/roles.ts';
import { allGranted, payload, visit } from '../../consent/helpers.ts';
import { noticeContent } from '../../harness.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

const hostile = '<img src=x onerror=alert(1)>';

describeDashboard('notices in the dashboard', (dashboard) => {
  const { visitAs } = dashboard;

  /** A tenant with a published notice, and a member. */
  async function createTenant(role: MemberRole = 'admin', content = {}) {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const id = await server.createNotice({ key: tenant.key, content });
    const edit = (body: object) => server.request('PATCH', `/v1/consent/${id}`, { key: tenant.key, body });
    const read = async () => (await server.request('GET', `/v1/consent/${id}`, { key: tenant.key })).body.data;
    return { server, tenant, id, edit, read, member: await server.createMember({ tenantId: tenant.id, role }) };
  }

  const openPreview = (page: Page) => page.frameLocator('iframe');

  test('downloads the receipt of a record, and shows which facts a publication changes', async () => {
    const { server, tenant, id, edit, member } = await createTenant();
    const record = payload(await visit(server, id)).id;
    await visitAs(member, `notices/${id}/records/${record}`, async (page) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download receipt' }).click();
      const file = await download;
      assert.match(file.suggestedFilename(), /^receipt-\d+\.jsonld$/);
      const saved = JSON.parse(readFileSync(await file.path(), 'utf8'));
      const sent = await server.request('GET', `/v1/consent/records/${record}/receipt`, { key: tenant.key });
      assert.deepEqual(saved['dpv:hasRecordOfActivity'], sent.body['dpv:hasRecordOfActivity']);
      const missing = /incomplete\. The notice did not state: Your postal address; .*; How long a consent counts/;
      await page.getByText(missing).waitFor();
      await assertAccessible(page);
    });
    const purposes = [{ ...noticeContent.purposes[1], storage: { period: 'P14M' } }];
    payload(await edit({ jurisdictions: ['IE'], purposes }), 200);
    await visitAs(member, `notices/${id}/publish`, async (page) => {
      await page.getByText('Countries whose law applies: Ireland').waitFor();
      await page.getByText('How long the data are stored: 14 months').waitFor();
      // Of the text to publish, and of each version.
      const listMissing = async (shown: Locator) => {
        await shown.getByText(/^Missing for a complete receipt: \d+$/).click();
        return (await shown.getByRole('listitem').allTextContents()).map((text) => text.split(': ').at(-1));
      };
      const drafted = page.locator('svc-notice-publish > details');
      assert.ok(!(await listMissing(drafted)).includes('Countries whose law applies'));
      await page.getByText('Content of version 1').click();
      const published = page.locator('details.version');
      assert.ok((await listMissing(published)).includes('Countries whose law applies'));
      await assertAccessible(page);
    });
  });

  test('edits everything a receipt needs, without commands', async () => {
    const { server, tenant, id, edit, read, member } = await createTenant();
    const { purposes: all } = await read();
    payload(await edit({ purposes: [all[1]], rights: ['objection'] }), 200);
    await visitAs(member, `notices/${id}`, async (page) => {
      const summary = page.locator('summary', { hasText: 'About the processing' });
      const summaryOfPurpose = page.locator('summary', { hasText: 'Data, storage and recipients' });
      const open = async () => {
        await page.locator('summary', { hasText: 'Links in the banner' }).click();
        await summary.click();
        await summaryOfPurpose.click();
      };
      const save = () => page.getByRole('button', { name: 'Save' }).click();
      const fill = (label: string, value: string) => page.getByLabel(label).fill(value);
      const amount = (group: string, unit: string) => page.getByRole('group', { name: group }).getByLabel(unit);
      await summary.waitFor();
      assert.equal(await page.getByLabel('Your postal address').isVisible(), false);
      await open();
      await fill('Your postal address', '1 Main Street, Dublin');
      await fill('Your email for data protection', 'privacy@example.com');
      await fill('Privacy policy', 'https://example.com/privacy');
      await fill('Page to change and withdraw consent', 'https://example.com/consent');
      await fill('Page to exercise rights', 'https://example.com/rights');
      for (const name of ['Withdraw consent', 'Access', 'Complaint to an authority'])
        await page.getByRole('checkbox', { name, exact: true }).check();
      await page.getByLabel('Objection').uncheck();
      await fill('Countries whose law applies', 'IE, Ireland');
      await amount('How long a consent counts', 'Months').fill('12');
      await page.getByLabel('IP address').check();
      await amount('How long the data are stored', 'Years').fill('1');
      await amount('How long the data are stored', 'Months').fill('6');
      await fill('What ends the storage', 'Account closure');
      await fill('Countries where the data are stored', 'DE,IE');
      await page.getByLabel('No recipients').check();
      for (const name of ['Letters', 'Counter']) {
        await page.getByRole('button', { name: 'Add recipient' }).click();
        await page.keyboard.type(name);
      }
      const letters = page.getByRole('group', { name: 'Letters', exact: true });
      for (const role of ['Third party', 'Processor']) await letters.getByLabel('Role').selectOption(role);
      const recipient = page.getByRole('group', { name: 'Counter', exact: true });
      await recipient.getByLabel('Role').selectOption('Third party');
      await page.getByRole('button', { name: 'Remove: Letters' }).click();
      await letters.waitFor({ state: 'detached' });
      assert.equal(await recipient.getByLabel('Role').inputValue(), 'third_party');
      await recipient.getByLabel('Postal address').fill('2 Side Street, Berlin');
      await recipient.getByLabel('Email').fill('counter@example.com');
      await recipient.getByLabel('Country').fill('XX');
      // The server rejects both; a part that is closed is opened for its error.
      await summary.click();
      await save();
      await page.getByRole('alert').getByText('Countries whose law applies: ').waitFor();
      assert.ok(await page.getByLabel('Countries whose law applies').isVisible());
      assert.equal(
        await page.evaluate(() => document.activeElement?.getAttribute('name')),
        'purposes.0.recipients.0.country',
      );
      await assertAccessible(page);
      await fill('Countries whose law applies', 'IE, EU');
      await page.getByText('Ireland, European Union').waitFor();
      await save();
      await page.getByRole('alert').getByText('Country: ').waitFor();
      await recipient.getByLabel('Country').fill('DE');
      await save();
      await page.getByText('Saved.').waitFor();
      await page.reload();
      await open();
      assert.equal(await amount('How long a consent counts', 'Months').inputValue(), '12');
      assert.equal(await amount('How long the data are stored', 'Years').inputValue(), '1');
      assert.equal(await page.getByLabel('Countries where the data are stored').inputValue(), 'DE, IE');
      assert.ok(await page.getByLabel('IP address').isChecked());
      assert.equal(await page.getByLabel('Objection').isChecked(), false);
      assert.equal(await recipient.getByLabel('Role').inputValue(), 'third_party');
    });
    const { purposes, ...rest } = await read();
    const { controllerContact, links, rights, jurisdictions, consentDuration } = rest;
    assert.deepEqual(
      { controllerContact, links, rights, jurisdictions, consentDuration },
      {
        controllerContact: { address: '1 Main Street, Dublin', email: 'privacy@example.com' },
        links: {
          privacyPolicy: 'https://example.com/privacy',
          withdrawal: 'https://example.com/consent',
          rights: 'https://example.com/rights',
        },
        rights: ['withdraw_consent', 'access', 'complaint'],
        jurisdictions: ['IE', 'EU'],
        consentDuration: 'P12M',
      },
    );
    const [{ dataCategories, storage, recipients }] = purposes;
    assert.deepEqual(
      { dataCategories, storage, recipients },
      {
        dataCategories: ['ip_address'],
        storage: { period: 'P1Y6M', criteria: 'Account closure', locations: ['DE', 'IE'] },
        recipients: [
          {
            name: 'Counter',
            role: 'third_party',
            address: '2 Side Street, Berlin',
            email: 'counter@example.com',
            country: 'DE',
          },
        ],
      },
    );
    await visitAs(member, `notices/${id}/publish`, async (page) => {
      await page.getByRole('button', { name: 'Publish version 2' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Visitors see version 2').waitFor();
      assert.equal(await page.getByText('Missing for a complete receipt: ').count(), 1);
    });
    const record = payload(await visit(server, id, { noticeVersion: 2, purposes: { [purposes[0].key]: true } })).id;
    const { body } = await server.request('GET', `/v1/consent/records/${record}/receipt`, { key: tenant.key });
    assert.deepEqual([body.missing, body['dct:conformsTo']], [[], 'https://w3id.org/dpv/schema/dpv-27560#receipt']);
    // An emptied field removes what was stated.
    await visitAs(member, `notices/${id}`, async (page) => {
      await page.locator('summary', { hasText: 'About the processing' }).click();
      await page.getByRole('group', { name: 'How long a consent counts' }).getByLabel('Months').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
    });
    assert.equal((await read()).consentDuration, undefined);
  });

  test('edits texts, languages, look, regions and cookies in parts, with the preview beside', async () => {
    const { id, read, member } = await createTenant();
    await visitAs(member, `notices/${id}?part=texts`, async (page) => {
      const preview = openPreview(page);
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'));
      const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
      const languages = page.locator('.languages');
      await page.getByLabel('Title', { exact: true }).fill('Our own words');
      await preview.getByText('Our own words').waitFor();
      assert.equal(await page.getByLabel('Button that accepts all').getAttribute('placeholder'), 'Accept all');
      for (const [tag, complaint] of [
        ['no tag', 'no language'],
        ['en', 'a language of the notice'],
      ] as const) {
        await page.getByLabel('Add a language').fill(tag);
        await page.getByLabel('Add a language').press('Enter');
        assert.notEqual(
          await page.getByLabel('Add a language').evaluate((input: HTMLInputElement) => input.validationMessage),
          '',
          complaint,
        );
      }
      await page.getByLabel('Add a language').fill('DE-at');
      await page.getByLabel('Add a language').press('Enter');
      await languages.getByText('Not translated: Necessary, Analytics, Marketing').waitFor();
      assert.equal(await focused(), 'translations.de-AT.texts.title');
      await page.keyboard.type('Ihre Wahl');
      await preview.getByRole('heading', { name: 'Ihre Wahl' }).waitFor();
      await preview.getByRole('button', { name: 'Alle akzeptieren' }).waitFor();
      assert.equal(await page.getByLabel('Button that accepts all').getAttribute('placeholder'), 'Alle akzeptieren');
      for (const [name, words] of [
        ['Necessary', 'Notwendig'],
        ['Analytics', 'Statistik'],
        ['Marketing', 'Werbung'],
      ] as const) {
        const group = page.getByRole('group', { name: new RegExp(`^${name}`) });
        await group.getByLabel('Label').fill(words);
        await group.getByLabel('What visitors read').fill(`${words}.`);
      }
      await languages.getByText('Complete: offered').waitFor();
      await preview.getByText(/Statistik.*Werbung/).waitFor();
      // A translation follows its purpose.
      await page.getByRole('tab', { name: 'Content' }).click();
      const marketing = page.getByRole('group', { name: 'Marketing', exact: true });
      await marketing.getByLabel('Key').fill('ads');
      await marketing.getByRole('button', { name: 'Move up' }).click();
      await page.getByRole('tab', { name: 'Content' }).press('ArrowRight');
      await page.getByRole('tab', { name: 'Texts and languages', selected: true }).waitFor();
      await languages.getByText('Complete: offered').waitFor();

      await page.getByRole('tab', { name: 'Look' }).click();
      await page.getByLabel('Layout').selectOption('Bar');
      await page.getByLabel('Position').selectOption('Top');
      await page.getByLabel('Accent color').fill('#ffe000');
      await page.getByText('The text on it is black, 15.9 : 1.').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'On the light background: 1.3 : 1' })
        .getByText('Too low')
        .waitFor();
      await page.getByLabel('Color scheme').selectOption('Dark');
      await page.getByText('Too low').waitFor({ state: 'detached' });
      await page.getByLabel('Layout').selectOption('In the center');
      assert.equal(await page.getByLabel('Position').count(), 0);
      await page.getByLabel('Layout').selectOption('Bar');
      await page.getByLabel('Position').selectOption('Top');

      await page.getByRole('tab', { name: 'Regions' }).click();
      await page.getByRole('group', { name: 'Add a region' }).getByRole('combobox', { name: /^Part/ }).fill('C!');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('combobox', { name: /^Part/ }).fill('ca');
      await page.keyboard.press('Enter');
      const california = page.getByRole('group', { name: 'California, United States' });
      assert.equal(await focused(), 'purposes.1.basisByRegion.US-CA');
      await california.getByText('see the banner and are asked').waitFor();
      for (const name of ['Analytics', 'Marketing'])
        await california.getByRole('combobox', { name, exact: true }).selectOption('Objection');
      await california.getByText('are not asked').waitFor();
      await page.getByRole('combobox', { name: 'Region', exact: true }).selectOption('California, United States');

      await page.getByRole('tab', { name: 'Cookies' }).click();
      await page.getByRole('button', { name: 'Add tracker: Analytics' }).click();
      await page.keyboard.type('_ga');
      const tracker = page.getByRole('group', { name: '_ga' });
      await tracker.getByLabel('Provider').fill('Google');
      await tracker.getByLabel('Lifetime').selectOption('Months');
      await tracker.getByLabel('Number').fill('13');
      await tracker.getByLabel('Third party').check();
      await page.getByText('Listed: 1 / 60').waitFor();
      await page.getByRole('button', { name: 'Add tracker: Marketing' }).click();
      page.once('dialog', (question) => void question.dismiss());
      await page.getByRole('link', { name: 'Notices' }).click();
      // The fields of other parts are kept, and the part with the one that is rejected is opened.
      await page.getByRole('tab', { name: 'Texts and languages' }).click();
      await page.getByLabel('Title', { exact: true }).fill('<b>Wahl</b>');
      await page.getByRole('tab', { name: 'Regions' }).click();
      await save();
      await page.getByRole('alert').getByText('must be plain text').waitFor();
      assert.match((await focused()) ?? '', /^(?:purposes\.\d\.trackers\.0\.name|translations\.de-AT\.texts\.title)$/);
      await page.getByRole('tab', { name: 'Cookies' }).click();
      await page.getByRole('button', { name: 'Remove: Tracker 1' }).click();
      await page.getByRole('tab', { name: 'Look' }).click();
      await save();
      await page.getByRole('tab', { name: 'Texts and languages', selected: true }).waitFor();
      assert.equal(await focused(), 'translations.de-AT.texts.title');
      await page.getByLabel('Title', { exact: true }).fill('Ihre Wahl');
      await save();
      await page.getByText('Saved.').waitFor();
      await page.reload();
      await languages.getByRole('button', { name: 'de-AT', exact: false }).first().click();
      assert.equal(await page.getByLabel('Title', { exact: true }).inputValue(), 'Ihre Wahl');
    });
    const { texts, theme, translations, purposes } = await read();
    assert.deepEqual(texts, { title: 'Our own words' });
    assert.deepEqual(theme, { layout: 'bar', position: 'top', scheme: 'dark', accent: '#ffe000' });
    assert.deepEqual(translations, {
      'de-AT': {
        texts: { title: 'Ihre Wahl' },
        purposes: {
          ads: { label: 'Werbung', description: 'Werbung.' },
          analytics: { label: 'Statistik', description: 'Statistik.' },
          necessary: { label: 'Notwendig', description: 'Notwendig.' },
        },
      },
    });
    assert.deepEqual(
      purposes.map(({ key, basisByRegion, trackers }: Record<string, unknown>) => ({ key, basisByRegion, trackers })),
      [
        { key: 'necessary', basisByRegion: undefined, trackers: undefined },
        { key: 'ads', basisByRegion: { 'US-CA': 'object' }, trackers: undefined },
        {
          key: 'analytics',
          basisByRegion: { 'US-CA': 'object' },
          trackers: [{ name: '_ga', provider: 'Google', lifetime: 'P13M', thirdParty: true }],
        },
      ],
    );
    // Fields that are cleared are removed.
    await visitAs(member, `notices/${id}?part=texts`, async (page) => {
      await page.getByLabel('Title', { exact: true }).fill('');
      await page.getByRole('button', { name: 'Remove: Austrian German' }).click();
      await page.getByRole('tab', { name: 'Regions' }).click();
      await page.getByRole('button', { name: 'Remove: California, United States' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.').waitFor();
    });
    const emptied = await read();
    assert.deepEqual([emptied.texts, emptied.translations], [undefined, undefined]);
    assert.equal(emptied.purposes[1].basisByRegion, undefined);
  });

  test('says before a publication whether visitors are asked again, and asks them on request', async () => {
    const { server, tenant, id, edit, member } = await createTenant();
    const readVersions = async () =>
      payload(await server.request('GET', `/v1/consent/${id}/versions`, { key: tenant.key }), 200).items;
    const [, analytics] = noticeContent.purposes;
    await edit({ texts: { title: 'Our words' }, theme: { layout: 'bar' } });
    await visitAs(member, `notices/${id}/publish`, async (page) => {
      const publish = async (name: string) => {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
        await page.getByText(`Visitors see ${name.slice(8)}`).waitFor();
      };
      await page.getByText('Texts: Title').waitFor();
      await page.getByText('Layout: Bar').waitFor();
      await page.getByText('are not asked again').waitFor();
      await publish('Publish version 2');
      assert.equal((await readVersions())[0].asksSince, 1);
      await page.getByLabel('Ask all visitors again').check();
      await assertAccessible(page);
      await publish('Publish version 3');
      assert.equal((await readVersions())[0].asksSince, 3);
      const trackers = [{ name: '_ga', provider: 'Google', lifetime: 'P1Y6M', thirdParty: true }];
      await edit({ purposes: [{ ...analytics, basisByRegion: { GB: 'object' }, trackers }] });
      await page.reload();
      await page.getByText('Tracker: _ga · Google · 1 year, 6 months · Third party').waitFor();
      await page.getByText('Basis (United Kingdom): Objection').waitFor();
      await page.getByText('are asked again').waitFor();
      assert.equal(await page.getByLabel('Ask all visitors again').count(), 0);
      await publish('Publish version 4');
      assert.equal((await readVersions())[0].asksSince, 4);
    });
  });

  test('warns in the editor and before a publication if a text leaves out the controller or a purpose', async () => {
    const words = { analytics: 'Statistik', marketing: 'Werbung', necessary: 'Notwendig' };
    const purposes = Object.entries(words).map(([key, label]) => [key, { label, description: `${label}.` }]);
    const german = { texts: { intro: 'Statistik?' }, purposes: Object.fromEntries(purposes) };
    const { id, read: readNotice, member } = await createTenant('admin', { translations: { de: german } });
    await visitAs(member, `notices/${id}/publish`, async (page) => {
      const controller = 'The text does not name the controller. Add {controller} to it.';
      const purpose = 'The text does not name Werbung. Add {purposes} to it.';
      const warnings = page.getByRole('status').getByRole('listitem');
      const read = async () => (await warnings.locator('> span').allTextContents()).map((text) => text.trim());
      await page.getByText('Incomplete first layer').waitFor();
      assert.deepEqual(await read(), [`German: ${controller} ${purpose}`]);
      await assertAccessible(page);
      await warnings.getByRole('link', { name: 'Edit text: German' }).click();
      await page.getByRole('tab', { name: 'Texts and languages', selected: true }).waitFor();
      await page.getByRole('tab', { name: 'Content' }).click();
      await warnings.getByRole('button', { name: 'Edit text: German' }).click();
      const intro = page.getByLabel('Text of the first layer');
      await page.getByRole('heading', { name: 'Texts in: German' }).waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'translations.de.texts.intro');
      assert.equal(await intro.inputValue(), 'Statistik?');
      await assertAccessible(page);
      const save = async (text: string) => {
        await intro.fill(text);
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Saved.').waitFor();
      };
      await save('{controller}: Statistik');
      await warnings.getByText(controller).waitFor({ state: 'detached' });
      assert.deepEqual(await read(), [`German: ${purpose}`]);
      await save('{controller}: {purposes}');
      await page.getByText('Incomplete first layer').waitFor({ state: 'detached' });
    });
    assert.deepEqual((await readNotice()).warnings, []);
  });

  test('shows the exact words of a record with their hash, and says if they are others', async () => {
    const { server, id, edit, tenant, member } = await createTenant();
    const translated = ([key, label]: readonly string[]) => [key, { label, description: `${label}.` }];
    const purposes = Object.fromEntries(
      [
        ['necessary', 'Notwendig'],
        ['analytics', 'Statistik'],
        ['marketing', hostile.replaceAll(/[<>]/g, '')],
      ].map(translated),
    );
    payload(await edit({ translations: { de: { purposes } } }), 200);
    await server.request('POST', `/v1/consent/${id}/publish`, { key: tenant.key });
    const shown = await (await fetch(`${server.url}/v1/public/consent/${id}?language=de`)).text();
    const told = { language: 'de', shownHash: hash('sha256', shown), region: 'US-CA' };
    const record = payload(await visit(server, id, told)).id;
    const plain = payload(await visit(server, id, { subjectId: 'another', shownHash: 'unverified' })).id;
    // From now on, visitors see other texts.
    payload(await edit({ translations: null, name: 'Renamed' }), 200);
    await server.request('POST', `/v1/consent/${id}/publish`, { key: tenant.key });
    await visitAs(member, `notices/${id}/records/${record}`, async (page) => {
      await page.getByText('These are the exact words:').waitFor();
      await page.getByText('Statistik.').waitFor();
      await page.getByText('Alle ablehnen · Alle akzeptieren').waitFor();
      await page.getByText('California, United States').waitFor();
      await page.getByText('Analytics: Consent').waitFor();
      await page.getByText(told.shownHash).waitFor();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Prove' }).click();
      await page.getByText('It covers the words that were shown, too.').waitFor();
      await page.route('**/shown/*', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: (await answer.text()).replace('Statistik.', 'Tracking.') });
      });
      await page.reload();
      await page.getByRole('alert').getByText('These are not the words that were shown').waitFor();
      await page.goto(`${server.url}/app/notices/${id}/records/${plain}`);
      await page.getByText('could not compute it').waitFor();
      assert.equal(await page.locator('svc-shown-notice').count(), 0);
    });
  });

  test('creates a notice from a template, edits it and shows the text in the real banner', async () => {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const member = await server.createMember({ tenantId: tenant.id, role: 'engineer' });
    await visitAs(member, 'notices#new', async (page) => {
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await page.reload();
      await page.getByText('No notices yet').waitFor();
      assert.equal(await dialog.count(), 0);
      await page.getByRole('button', { name: 'New notice' }).click();
      await dialog.getByLabel('Template').selectOption('blog');
      await dialog.getByLabel('Domain').fill('https://blog.example.com/');
      await dialog.getByRole('button', { name: 'Create notice' }).click();
      await dialog.getByRole('alert').getByText('Domain: must be a host name').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'domain');
      await dialog.getByLabel('Domain').fill('blog.example.com');
      await dialog.getByLabel('Controller').fill('Blog Ltd');
      await dialog.getByRole('button', { name: 'Create notice' }).click();
      await page.getByRole('heading', { name: 'Privacy on our site', level: 1 }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');

      const preview = openPreview(page);
      await preview.getByText(/Blog Ltd.*Statistics.*Videos and maps/).waitFor();
      const statistics = page.getByRole('group', { name: 'Statistics', exact: true });
      await statistics.getByLabel('Label').fill('Visits');
      await preview.getByText(/Visits.*Videos and maps/).waitFor();
      const visits = page.getByRole('group', { name: 'Visits', exact: true });
      await visits.getByRole('button', { name: 'Move down' }).click();
      assert.deepEqual(await page.evaluate(() => document.activeElement?.ariaLabel), 'Move up: Visits');
      await preview.getByText(/Videos and maps.*Visits/).waitFor();
      await page.getByRole('group', { name: 'Necessary', exact: true }).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Add purpose' }).click();
      await page.keyboard.type('not a key');
      await page.getByRole('group', { name: 'Purpose 3' }).getByLabel('Label').fill('Chat');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'purposes.2.key');
      page.once('dialog', (question) => void question.dismiss());
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByLabel('Key', { exact: true }).nth(2).fill('chat');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByRole('row', { name: 'Draft' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog', { name: 'Delete notice' }).getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('row', { name: 'Draft' }).getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('row', { name: 'Archived' }).waitFor();
    });
    const { body } = await server.request('GET', '/v1/consent', { key: tenant.key });
    const [{ purposes, status }] = body.data.data;
    assert.equal(status, 'archived');
    assert.deepEqual(
      purposes.map(({ key }: { key: string }) => key),
      ['media', 'statistics', 'chat'],
    );
  });

  test('publishes two versions, the second with its differences, but only what was reviewed', async () => {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const id = await server.createNotice({ key: tenant.key, publish: false });
    const member = await server.createMember({ tenantId: tenant.id, role: 'dpo' });
    await visitAs(member, `notices/${id}/publish`, async (page) => {
      const publish = async (name: string) => {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      };
      await page.getByText('Not published yet').waitFor();
      await page.locator('ins').getByText('Example Ltd').waitFor();
      await publish('Publish version 1');
      await page.getByText('Visitors see version 1').waitFor();
      await page.getByRole('link', { name: 'Install the banner' }).waitFor();
      await page.getByText('No differences').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Publish version' }).count(), 0);
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByLabel('Controller').fill('Example Group Ltd');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('link', { name: 'Publish', exact: true }).click();
      await page.locator('ins').getByText('Group').waitFor();
      assert.equal(await page.locator('del').count(), 0);
      const body = { name: 'Theirs' };
      await server.request('PATCH', `/v1/consent/${id}`, { key: tenant.key, body });
      await publish('Publish version 2');
      await page.getByText('Review the changes below').waitFor();
      await page.locator('ins').getByText('Theirs').waitFor();
      await publish('Publish version 2');
      await page.getByText('Visitors see version 2').waitFor();
      await page.locator('tbody tr').nth(1).waitFor();
    });
    const { body } = await server.request('GET', `/v1/public/consent/${id}`, { key: null });
    assert.deepEqual([body.data.version, body.data.controllerName, body.data.name], [2, 'Example Group Ltd', 'Theirs']);
  });

  test('copies the tag with its integrity, and says that a draft is not public', async () => {
    const { server, tenant, id, member } = await createTenant();
    const draft = await server.createNotice({ key: tenant.key, publish: false });
    const { body } = await server.request('GET', '/widgets/index.json', { key: null });
    const [latest] = body.widgets[0].versions;
    const permissions = ['clipboard-read', 'clipboard-write'];
    await visitAs(
      member,
      `notices/${id}/install`,
      async (page) => {
        const copy = async (name: string) => {
          const recipe = page.locator('section', { has: page.getByRole('heading', { name, exact: true }) });
          await recipe.getByRole('button', { name: 'Copy' }).first().click();
          await recipe.getByRole('button', { name: 'Copied' }).waitFor();
          return page.evaluate(() => navigator.clipboard.readText());
        };
        const element = `<svc-consent notice-id="${id}"></svc-consent>`;
        assert.equal(await copy('Plain HTML'), `${latest.script}\n\n${element}`);
        assert.ok((await copy('WordPress')).includes(latest.script));
        assert.match(await copy('Google Tag Manager'), /data-svc-purpose="analytics marketing"/);
        const shown = await (await fetch(`${server.url}/v1/public/consent/${id}`)).text();
        assert.equal(
          await copy('Plain HTML with the notice inside'),
          `${latest.script}\n\n${element.replace('><', `><script type="application/json">${shown}</script><`)}`,
        );
        assert.match(await copy('Next.js'), /crossOrigin="anonymous" defer \/>/);
        assert.equal(await copy('Content-Security-Policy'), `script-src ${server.url}; connect-src ${server.url}`);
        await page.getByText('Not seen yet').waitFor();
        const headers = { Origin: 'https://www.example.com' };
        await server.request('GET', `/widgets/svc-consent/${latest.version}/svc-consent.js`, { key: null, headers });
        await server.request('GET', `/v1/public/consent/${id}`, { key: null, headers });
        await server.app.usage.write(server.installation.database);
        await page
          .getByRole('listitem')
          .filter({ hasText: 'www.example.com' })
          .filter({ hasText: `Banner version: ${latest.version}` })
          .waitFor();
        const refused = await visit(server, id, {}, { Origin: 'https://staging.test' });
        assert.equal(refused.status, 403);
        await server.app.usage.write(server.installation.database);
        await page
          .getByRole('listitem')
          .filter({ hasText: 'staging.test sent decisions that were refused: it does not belong to example.com.' })
          .filter({ hasText: /Last refused: .+ Refused$/ })
          .waitFor();
        await assertAccessible(page);
        await page.goto(`${server.url}/app/notices/${draft}/install`);
        await page.getByText('shows nothing until').waitFor();
      },
      { permissions },
    );
  });

  test('keeps the language of the code that is shown if another one cannot be loaded', async () => {
    const translated = noticeContent.purposes.map(({ key }) => [key, { label: key, description: key }]);
    const translations = { de: { purposes: Object.fromEntries(translated) } };
    const { member, id } = await createTenant('admin', { translations });
    await visitAs(member, `notices/${id}/install`, async (page) => {
      const language = page.getByRole('combobox', { name: 'Language' });
      await language.waitFor();
      await page.route('**/shown/*', (route) => route.abort());
      await language.selectOption('German');
      await page.getByRole('alert').getByText('cannot be reached').waitFor();
      assert.equal(await language.inputValue(), 'en');
      await page.unrouteAll();
      await language.selectOption('German');
      await page.locator('code', { hasText: 'language="de"' }).waitFor();
    });
  });

  test('shows decisions, opt-in rates and fetches of the last days in bars and tables', async () => {
    const { server, id, member, edit } = await createTenant('auditor');
    const capture = async (subjectId: string, analytics: boolean) =>
      payload(await visit(server, id, { subjectId, purposes: { ...allGranted, analytics } }));
    await visitAs(
      member,
      'notices',
      async (page) => {
        await page.getByRole('link', { name: 'Statistics' }).click();
        await page.getByText('No page fetched the notice in this span').waitFor();
        await assertAccessible(page);
        for (const subjectId of ['one', 'two', 'three']) await capture(subjectId, true);
        await capture('four', false);
        for (let index = 0; index < 5; index += 1)
          await server.request('GET', `/v1/public/consent/${id}`, { key: null });
        await server.app.usage.write(server.installation.database);
        await edit({ purposes: [{ key: 'analytics', label: hostile, description: 'Counts.', required: false }] });
        await page.getByLabel('Span').selectOption('7 days');
        const rate = page.getByRole('row', { name: hostile });
        await rate.getByRole('cell', { name: '75%' }).waitFor();
        assert.equal(new URL(page.url()).search, '?days=7');
        await page.reload();
        assert.equal(await page.getByLabel('Span').inputValue(), '7');
        // A purpose that the notice no longer has goes by its key.
        await page.getByRole('row', { name: 'necessary 100% 4 0' }).waitFor();
        const section = (name: string) => page.locator('section', { has: page.getByRole('heading', { name }) });
        assert.equal(await section('Decisions').locator('.days .first').count(), 7);
        assert.equal(await section('Decisions').locator('.days .first[height="4"]').count(), 1);
        for (const [name, cells] of [
          ['Decisions', ['4', '0', '4']],
          ['Fetches of the notice', ['5']],
        ] as const) {
          await section(name).getByText('Show as table').click();
          const rows = section(name).locator('tbody tr');
          assert.equal(await rows.count(), 7);
          assert.deepEqual(await rows.first().getByRole('cell').allTextContents(), cells);
        }
        await assertAccessible(page);
      },
      { setClock: (clock) => clock.setFixedTime(server.clock.now()) },
    );
  });

  test('does not say that nothing was decided or seen before that is known', async () => {
    const { member, id } = await createTenant();
    await visitAs(member, 'notices', async (page) => {
      await page.getByRole('link', { name: 'Website' }).waitFor();
      await page.route(/\/v1\/.*\/(?:statistics|sightings)/, (route) => route.abort());
      await page.getByRole('link', { name: 'Statistics' }).click();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      assert.equal(await page.locator('.empty').count(), 0);
      const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/sightings'));
      await page.getByRole('link', { name: 'Install', exact: true }).click();
      await asked;
      await page.getByRole('heading', { name: 'WordPress' }).waitFor();
      assert.equal(await page.getByText('Not seen yet').count(), 0);
      assert.equal(new URL(page.url()).pathname, `/app/notices/${id}/install`);
    });
  });

  test('reads a page of 10,000 notices at a time: in the list, in the palette and on the start page', async () => {
    const { server, id, member } = await createTenant();
    await sql`insert into consent_notices
      (id, tenant_id, status, content, domain, search_text, version, created_at, updated_at)
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 9999)
      select printf('01900000-0000-7000-8000-%012d', number), tenant_id, 'draft', replace(content, 'Website', 'Site ' || number),
        domain, replace(search_text, 'website', 'site ' || number), 0, created_at, updated_at
      from consent_notices, numbers where id = ${id}`.execute(server.installation.database.kysely);
    await visitAs(member, '', async (page) => {
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      /** The requests of the API since the last call, which answer at most 100 objects each. */
      const countRequests = async () => {
        await page.waitForLoadState('networkidle');
        return requests.splice(0).filter((url) => url.includes('/v1/')).length;
      };
      await page.reload();
      await page.getByText('Nothing is due').waitFor();
      assert.ok((await countRequests()) <= 5);
      await page.getByRole('link', { name: 'Notices' }).click();
      const rows = page.locator('tbody tr');
      await rows.first().waitFor();
      const first = await rows.count();
      assert.ok(first <= 50);
      assert.equal(await countRequests(), 1);
      await page.getByRole('button', { name: 'Show more' }).press('Enter');
      await rows.nth(first).waitFor();
      assert.equal(await rows.count(), 2 * first);
      assert.equal(await countRequests(), 1);
      await page.getByLabel('Name, controller or domain').fill('site 7777');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Site 7777', exact: true }).waitFor();
      assert.equal(await rows.count(), 1);
      assert.equal(await countRequests(), 1);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find a page or an object' }).fill('site 99');
      await page.getByRole('option', { name: 'Site 99' }).first().waitFor();
      assert.ok((await page.getByRole('option').count()) <= 20);
      assert.ok((await countRequests()) <= 10);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^Site 99/, level: 1 }).waitFor();
    });
  });

  test('previews the banner in each look without storing or sending anything', async () => {
    const { server, member, id } = await createTenant();
    await visitAs(member, `notices/${id}`, async (page) => {
      const preview = openPreview(page);
      await preview.getByRole('button', { name: 'Accept all' }).waitFor();
      const language = page.getByRole('combobox', { name: 'Language', exact: true });
      await language.selectOption('Right to left (Arabic)');
      await preview.locator('section[dir=rtl]').waitFor();
      // Only the editor around it sends drafts.
      await page.frames()[1]?.evaluate(
        async (notice) => {
          const arrival = new Promise((resolve) => addEventListener('message', resolve, { once: true }));
          postMessage({ notice, scheme: 'light', layer: 'banner', region: null, hasSignal: false });
          await arrival;
          await new Promise(requestAnimationFrame);
        },
        payload(await server.request('GET', `/v1/public/consent/${id}`, { key: null }), 200),
      );
      assert.equal(await preview.locator('section[dir=rtl]').count(), 1);
      const before = await countTraces(page);
      const shown = page.getByRole('combobox', { name: 'Shown' });
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await language.selectOption('English');
      await page.getByRole('combobox', { name: 'Appearance' }).selectOption('dark');
      await page.getByRole('combobox', { name: 'Screen' }).selectOption('phone');
      await preview.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
      await preview.getByRole('button', { name: 'Accept all' }).press('Enter');
      await preview.getByRole('button', { name: 'Preferences' }).press('Enter');
      await preview.getByRole('switch', { name: 'Analytics' }).press('Space');
      await shown.locator('option[value=panel]:checked').waitFor({ state: 'attached' });
      await preview.getByRole('button', { name: 'Save' }).press('Enter');
      await page.keyboard.press('Escape');
      await preview.getByRole('dialog').waitFor({ state: 'hidden' });
      // The editor follows by a message.
      await shown.locator('option[value=banner]:checked').waitFor({ state: 'attached' });
      await shown.focus();
      await shown.selectOption('panel');
      await preview.getByRole('dialog').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'SELECT');
      assert.deepEqual(requests, []);
      assert.deepEqual(await countTraces(page), before);
    });
  });

  test('offers to load the editor again if the script of its part could not be fetched', async () => {
    const { member } = await createTenant();
    await visitAs(member, 'notices', async (page) => {
      await page.route('**/app/assets/content-*.js', (route) => route.abort());
      await page.getByRole('link', { name: 'Website' }).click();
      await page.getByRole('alert').getByText('cannot be reached').waitFor();
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByLabel('Controller').waitFor();
    });
  });

  test('says that the words of the banner could not be loaded, and tries again', async () => {
    const { member, id } = await createTenant();
    await visitAs(member, 'notices', async (page) => {
      await page.route('**/notices/words*', (route) => route.abort());
      await page.getByRole('link', { name: 'Website' }).click();
      await page.getByRole('alert').getByText('cannot be reached').waitFor();
      assert.equal(await page.getByLabel('Controller').inputValue(), 'Example Ltd');
      await page.unroute('**/notices/words*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await openPreview(page).getByRole('button', { name: 'Accept all' }).waitFor();
      assert.equal(new URL(page.url()).pathname, `/app/notices/${id}`);
    });
  });

  test('previews the layouts, the links, the accent, and what visitors of each region see', async () => {
    const [necessary, analytics] = noticeContent.purposes;
    const { member, id } = await createTenant('engineer', {
      purposes: [
        necessary,
        {
          ...analytics,
          basisByRegion: { 'US-CA': 'object' },
          trackers: [{ name: '_ga', provider: 'Google', lifetime: 'P13M', thirdParty: true }],
        },
      ],
      links: { privacyPolicy: 'https://example.com/privacy' },
      theme: { accent: '#ffe000' },
    });
    await visitAs(member, `notices/${id}?part=look`, async (page) => {
      const preview = openPreview(page);
      const accept = preview.getByRole('button', { name: 'Accept all' });
      const choose = (name: string, value: string) =>
        page.getByRole('combobox', { name, exact: true }).selectOption(value);
      await preview.getByRole('link', { name: 'Privacy policy' }).waitFor();
      assert.deepEqual(
        await accept.evaluate((button) => [getComputedStyle(button).backgroundColor, getComputedStyle(button).color]),
        ['rgb(255, 224, 0)', 'color(xyz-d65 0 0 0)'],
      );
      for (const [layout, name] of [
        ['Bar', 'bar'],
        ['In the center', 'center'],
      ] as const) {
        await choose('Layout', layout);
        await preview.locator(`.banner[data-layout=${name}]`).waitFor();
      }
      await choose('Shown', 'Preferences');
      await preview.getByText(/^Cookies and similar technologies/).click();
      await preview.getByRole('cell', { name: '13 months' }).waitFor();
      await choose('Shown', 'First layer');
      await choose('Region', 'California, United States');
      await accept.waitFor({ state: 'detached' });
      await preview.getByRole('button', { name: 'Your Privacy Choices' }).waitFor();
      await choose('Privacy signal', 'Global Privacy Control');
      await preview.getByText('Opt-out request honored').first().waitFor();
      await choose('Region', 'Unknown');
      await accept.waitFor();
    });
  });

  test('frames the preview by pages of this server only, and no other page', async () => {
    const policyOf = async (path: string) =>
      (await fetch(`${dashboard.server.url}/app/${path}`)).headers.get('content-security-policy') ?? '';
    for (const path of ['preview.html', 'trust-preview.html', 'badge-preview.html']) {
      const preview = await policyOf(path);
      assert.match(preview, /default-src 'none';.*frame-ancestors 'self'/);
      // Only the badge loads something: what is published.
      assert.equal(/connect-src/.test(preview), path === 'badge-preview.html');
    }
    for (const path of ['', 'notices', 'preview', 'preview.html/'])
      assert.match(await policyOf(path), /ancestors 'none'/);
  });

  test('deletes a draft, and only archives a notice that was published', async () => {
    const { server, tenant, member } = await createTenant();
    await server.createNotice({ key: tenant.key, publish: false, content: { name: 'Never shown' } });
    await visitAs(member, 'notices', async (page) => {
      const rows = page.locator('tbody tr');
      await page.getByRole('button', { name: 'Delete: Never shown' }).click();
      await page.getByRole('dialog').getByText('Never shown').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Never shown').first().waitFor({ state: 'detached' });
      assert.equal(await rows.count(), 1);
      assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    });
  });

  test('shows the changes of another tab before it saves over them', async () => {
    const { member, id, edit, read } = await createTenant();
    await visitAs(member, `notices/${id}`, async (page) => {
      await page.getByRole('textbox', { name: /^Name/ }).fill('Ours');
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole('textbox', { name: /^Name/ }).fill('Theirs');
      await other.getByLabel('Controller').fill('Their Ltd');
      await other.getByRole('button', { name: 'Save' }).click();
      await other.getByText('Saved.').waitFor();
      await other.close();
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'changed meanwhile' });
      await dialog.locator('ins').getByText('Their').first().waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      page.once('dialog', (question) => void question.dismiss());
      await page.getByRole('link', { name: 'Notices' }).click();
      assert.equal((await read()).name, 'Theirs');
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Save my changes' }).click();
      await page.getByText('Saved.').waitFor();
      assert.equal(await page.getByLabel('Controller').inputValue(), 'Their Ltd');
      assert.equal((await read()).name, 'Ours');
      await page.getByRole('textbox', { name: /^Name/ }).fill('Ours again');
      await edit({ name: 'Theirs again' });
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Discard my changes' }).click();
      assert.equal(await page.getByRole('textbox', { name: /^Name/ }).inputValue(), 'Theirs again');
    });
    const { name, controllerName } = await read();
    assert.deepEqual([name, controllerName], ['Theirs again', 'Their Ltd']);
  });

  test('shows hostile texts as text in the form, the preview and the differences', async () => {
    const { member, id, edit } = await createTenant('admin', { name: hostile, controllerName: hostile });
    await edit({ purposes: [{ key: 'hostile', label: hostile, description: hostile, required: false }] });
    await visitAs(member, `notices/${id}`, async (page) => {
      const preview = openPreview(page);
      await page.getByRole('combobox', { name: 'Shown' }).selectOption('panel');
      await preview.getByRole('switch', { name: hostile }).waitFor();
      await page.getByRole('heading', { name: hostile }).waitFor();
      assert.equal(await page.getByLabel('What visitors read').inputValue(), hostile);
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await preview.locator('img').count(), 0);
      await page.getByRole('link', { name: 'Publish', exact: true }).click();
      await page.locator('ins').getByText(hostile).first().waitFor();
      assert.equal(await page.locator('img').count(), 0);
    });
  });

  test('lets an auditor read every part of a notice, and change none', async () => {
    const { member, edit } = await createTenant('auditor');
    await edit({ controllerName: 'Another Ltd' });
    await visitAs(member, 'notices', async (page) => {
      await page.getByRole('link', { name: 'Website' }).click();
      await openPreview(page).getByRole('button', { name: 'Accept all' }).waitFor();
      assert.ok(await page.getByLabel('Controller').isDisabled());
      for (const name of ['Texts and languages', 'Look', 'Regions', 'Cookies']) {
        await page.getByRole('tab', { name }).click();
        await page.getByRole('tabpanel', { name }).waitFor();
        assert.equal(await page.locator('main button:enabled:not([role=tab])').count(), 0);
        await assertAccessible(page);
      }
    });
  });
});

/** How much the browser has stored for the server. */
async function countTraces(page: Page) {
  const stored = await page.evaluate(async () => ({
    items: Object.keys({ ...localStorage, ...sessionStorage }),
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }));
  return { ...stored, cookies: (await page.context().cookies()).length };
}
