import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { encode } from 'uqr';
import { createSetupToken } from '../../../accounts/members/setup.ts';
import type { MemberRole } from '../../../http/roles.ts';
import { computeCode } from '../../accounts/mfa/authenticator.ts';
import { capture } from '../../consent/helpers.ts';
import { describeOnOneDatabase, TestClock, type TestMember } from '../../harness.ts';
import { createTestSender, openRequest, startScriptedReceiver } from '../../webhooks/sending.ts';
import { type DashboardBrowser, describeDashboard, type VisitOptions } from './browser.ts';

const hour = 60 * 60_000;

/** A user without a mouse. */
class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses Tab until a control has the focus. Every stop on the way must be seen, and there must be few of them. */
  async to(control: Locator, within = 70): Promise<void> {
    await control.first().waitFor();
    const reached = control.and(this.#page.locator(':focus'));
    for (let stops = 0; stops <= within; stops++) {
      if (stops > 0) await this.#page.keyboard.press('Tab');
      assert.equal(await this.#page.evaluate(findUnseenFocus), null, `on the way to ${control}`);
      if ((await reached.count()) > 0) return;
    }
    assert.fail(`${control} is more than ${within} stops away at ${this.#page.url()}`);
  }

  async press(name: string | RegExp, role: 'button' | 'link' = 'button'): Promise<void> {
    await this.to(this.#page.getByRole(role, { name }));
    await this.#page.keyboard.press('Enter');
  }

  /** Follows a link. @param title the heading of the page that it leads to. */
  async follow(name: string | RegExp, title = name): Promise<void> {
    await this.press(name, 'link');
    await this.#page.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  /** Checks a box, or opens what is folded. */
  async toggle(control: Locator): Promise<void> {
    await this.to(control);
    await this.#page.keyboard.press('Space');
  }

  /** Replaces what a field holds. */
  async fill(label: string | RegExp, text: string): Promise<void> {
    await this.to(this.#page.getByLabel(label));
    await this.#page.keyboard.press('Control+a');
    await this.#page.keyboard.type(text);
  }

  /** Chooses the option that begins with what is typed. */
  async choose(name: string | RegExp, option: string): Promise<void> {
    const select = this.#page.getByRole('combobox', { name });
    await this.to(select);
    await this.#page.keyboard.type(option);
    const chosen = await this.#page
      .locator('select:focus')
      .evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text);
    assert.ok(chosen?.trim().startsWith(option), `chosen: ${chosen}`);
  }

  async enter(): Promise<void> {
    await this.#page.keyboard.press('Enter');
  }
}

/** Describes the focused element unless a user sees that it has the focus; null when it is seen, or the browser has it. */
function findUnseenFocus(): string | null {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  // The navigation gives the focus to headings, for screen readers; frames and dates mark the part inside that has it.
  const isMarkedInside = 'h1, iframe, input[type^=date]';
  if (focused === null || focused === document.body || focused.matches(isMarkedInside)) return null;
  const { outlineStyle, outlineWidth, visibility } = getComputedStyle(focused);
  const { top, bottom, left, right, width, height } = focused.getBoundingClientRect();
  const isOnScreen = width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  const isMarked = focused.matches(':focus-visible') && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  return isOnScreen && isMarked && visibility === 'visible' ? null : focused.outerHTML.slice(0, 200);
}

/** A page of a customer's site on another origin, that visitors open in a browser of their own. */
async function openSite(page: Page, markup: string) {
  const host = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">${markup}<p>Shop</p>`,
    );
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const browser = page.context().browser();
  assert.ok(browser);
  const visitor = await (await browser.newContext()).newPage();
  await visitor.goto(`http://localhost:${(host.address() as AddressInfo).port}/`);
  return {
    visitor,
    [Symbol.asyncDispose]: async () => {
      await visitor.context().close();
      host.closeAllConnections();
      host.close();
    },
  };
}

/** Reads the QR code as an authenticator does. @returns the secret in it. */
async function scan(page: Page, keyboard: Keyboard): Promise<string> {
  const picture = page.getByRole('img', { name: 'QR' }).locator('path');
  await picture.waitFor();
  await keyboard.toggle(page.locator('summary', { hasText: 'Or enter this address' }));
  const uri = (await page.locator('details code').textContent()) ?? '';
  const dark = encode(uri, { border: 4 }).data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`${x} ${y}`] : [])));
  const drawn = (await picture.getAttribute('d'))?.matchAll(/M(\d+ \d+)h1v1h-1z/g) ?? [];
  assert.deepEqual(
    [...drawn].map(([, place]) => place),
    dark,
  );
  return new URL(uri).searchParams.get('secret') ?? '';
}

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

describeOnOneDatabase('journeys through the dashboard by keyboard', (dialect) => {
  // The server bounds the times that the browsers of visitors send.
  describeDashboard('in a browser', defineJourneys, { dialect, clock: new TestClock(Date.now) });
  describeDashboard('from the setup on', defineSetup, { dialect, clock: new TestClock(Date.now), isSetUp: false });
});

function defineSetup(dashboard: DashboardBrowser): void {
  test('a server is set up with a second factor, and the banner of its first notice is seen', async () => {
    const { server } = dashboard;
    const token = await createSetupToken(server.installation);
    const follow = async (page: Page, keyboard: Keyboard) => {
      await keyboard.fill('Organization', 'Shop Ltd');
      await keyboard.fill('Email', 'grace@example.com');
      await keyboard.fill('Password', 'river lantern copper orchard');
      await keyboard.press('Continue');
      await keyboard.press('Set up');
      await keyboard.press(/^Continue$/);
      const secret = await scan(page, keyboard);
      await keyboard.fill('Code', computeCode(secret, server.clock.milliseconds()));
      await keyboard.press(/^Continue$/);
      await keyboard.press('I have stored the codes');
      await keyboard.press('Create the first notice');
      await keyboard.choose('Template', 'Blog');
      await keyboard.fill('Domain', 'localhost');
      assert.equal(await page.getByRole('textbox', { name: 'Controller' }).inputValue(), 'Shop Ltd');
      await keyboard.press('Create notice');
      await page.getByRole('heading', { level: 1, name: 'Privacy on our site' }).waitFor();
      await keyboard.press(/^Publish$/, 'link');
      await keyboard.press('Publish version 1');
      await keyboard.press(/^Publish$/);
      await page.getByText('Visitors see version 1').waitFor();
      await keyboard.press('Install', 'link');
      await keyboard.press('Copy');
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const tag = await page.evaluate(() => navigator.clipboard.readText());
      await page.getByText('Not seen yet').waitFor();
      await using site = await openSite(page, tag);
      await site.visitor.getByText('Shop Ltd').waitFor();
      await new Keyboard(site.visitor).press('Reject all');
      await site.visitor.getByRole('button', { name: 'Reject all' }).waitFor({ state: 'hidden' });
      await server.app.usage.write(server.installation.database);
      await page.getByText('localhost', { exact: true }).waitFor();
      await keyboard.press(/^Records$/, 'link');
      await page.locator('tbody tr').waitFor();
      await keyboard.follow('Home', 'Shop Ltd');
      const steps = page.getByRole('region', { name: 'First steps' });
      for (const step of ['Set up your second factor', 'Publish a notice', 'Put the banner on your site'])
        await steps.getByRole('listitem').filter({ hasText: step }).getByText('Done').waitFor();
    };
    await dashboard.visit(`setup#${token}`, (page) => follow(page, new Keyboard(page)), clipboard);
  });
}

function defineJourneys(dashboard: DashboardBrowser): void {
  const { visit } = dashboard;

  const createTenant = () => dashboard.server.createTenant(`tenant-${crypto.randomUUID()}`);

  const signIn = async (keyboard: Keyboard, { email, password }: TestMember) => {
    await keyboard.fill('Email', email);
    await keyboard.fill('Password', password);
    await keyboard.enter();
  };

  /** Signs a member in, and goes on from the start page. */
  const start = (
    member: TestMember,
    step: (page: Page, keyboard: Keyboard) => Promise<void>,
    options: VisitOptions = {},
  ) =>
    visit(
      '',
      async (page) => {
        const keyboard = new Keyboard(page);
        await signIn(keyboard, member);
        await page.getByRole('heading', { level: 1, name: /tenant-/ }).waitFor();
        await step(page, keyboard);
      },
      { ...clipboard, ...options },
    );

  /** A tenant without anything, and a member of it. */
  async function createMember(role: MemberRole = 'admin') {
    const { server } = dashboard;
    const tenant = await createTenant();
    return { server, tenant, member: await server.createMember({ tenantId: tenant.id, role }) };
  }

  test('a draft is changed, compared and published, and a visitor with an earlier choice is asked again', async () => {
    const { server, tenant, member } = await createMember();
    const { key } = tenant;
    const id = await server.createNotice({ key, content: { domain: 'localhost' } });
    const { body } = await server.request('GET', '/widgets/index.json', { key: null });
    const [{ script }] = body.widgets[0].versions;
    await start(member, async (page, keyboard) => {
      await using site = await openSite(page, `${script}<svc-consent notice-id="${id}"></svc-consent>`);
      const accept = site.visitor.getByRole('button', { name: 'Accept all' });
      await new Keyboard(site.visitor).press('Accept all');
      await accept.waitFor({ state: 'hidden' });
      const readChoice = 'globalThis.SvcConsent?.get()?.purposes?.marketing';
      await site.visitor.reload();
      await site.visitor.waitForFunction(readChoice);
      assert.equal(await accept.count(), 0);
      await keyboard.follow('Notices');
      await keyboard.follow('Website');
      await keyboard.fill('Controller', 'Example Group Ltd');
      await keyboard.press('Save');
      await page.getByText('Saved.').waitFor();
      await keyboard.press(/^Publish$/, 'link');
      await page.locator('ins').getByText('Group').waitFor();
      await keyboard.press('Publish version 2');
      await keyboard.press(/^Publish$/);
      await page.getByText('Visitors see version 2').waitFor();
      // Visitors who have decided check for a new version once a day.
      const { visitor } = site;
      const shop = visitor.url();
      await visitor.goto('about:blank');
      await visitor.clock.setSystemTime(Date.now() + 25 * hour);
      await visitor.goto(shop);
      await accept.waitFor();
      await site.visitor.getByText('since your last choice').waitFor();
    });
  });

  test('a record is found by its subject and proved in the browser', async () => {
    const { server, tenant, member } = await createMember();
    const { key } = tenant;
    const noticeId = await server.createNotice({ key });
    const captured = await capture(server, noticeId, { subjectId: 'ada@example.com' }, { key });
    assert.equal(captured.status, 201, captured.text);
    await start(member, async (page, keyboard) => {
      await keyboard.follow(/^Subjects$/);
      await keyboard.fill('Subject id', 'ada@example.com');
      await keyboard.enter();
      await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
      const record = page.locator('tbody tr a').first();
      await keyboard.press((await record.textContent())?.trim() as string, 'link');
      await keyboard.press('Prove');
      await page.getByText('Proven.').waitFor();
      await page.getByText('is covered by the checkpoint of size 1').waitFor();
    });
  });

  test('a request of a data subject is opened, assigned, its identity checked, and completed', async () => {
    const { server, tenant, member } = await createMember('cs_agent');
    const hour = 60 * 60_000;
    const receivedAt = new Date(Date.now() - 28 * 24 * hour - hour / 2).toISOString();
    const body = { subjectId: 'urgent', type: 'erasure', receivedAt };
    const urgent = await server.request('POST', '/v1/dsr', { key: tenant.key, body });
    assert.equal(urgent.status, 201, urgent.text);
    await start(
      member,
      async (page, keyboard) => {
        await keyboard.follow('Requests');
        const left = page.getByRole('row', { name: 'urgent' });
        await left.getByText('in 47 hr').waitFor();
        await page.clock.fastForward((hour * 2) / 3);
        await left.getByText('in 46 hr').waitFor();
        await keyboard.press('Open a request');
        await keyboard.fill('Subject id', 'ada@example.com');
        await keyboard.choose('Type', 'Access');
        await keyboard.fill('Notes', 'wrote a letter');
        await keyboard.press('Open a request');
        await page.getByRole('heading', { level: 1, name: 'Access: ada@example.com' }).waitFor();
        await keyboard.press('Edit');
        await keyboard.fill('Identity checked', 'called back');
        await keyboard.press('Save');
        await page.getByText(/^called back \(/).waitFor();
        await keyboard.press('Complete');
        await keyboard.choose('Outcome', 'Fulfilled');
        await keyboard.press('Complete');
        await page.getByText('Completed', { exact: true }).first().waitFor();
        assert.equal(await page.getByRole('button', { name: 'Complete' }).count(), 0);
        await keyboard.follow('Requests');
        await page.getByRole('row', { name: /ada@example.com Access Completed/ }).waitFor();
      },
      {
        // The clock of the device is wrong: what is left counts by that of the server.
        setClock: (clock) => clock.install({ time: Date.now() + 5 * hour }),
      },
    );
  });

  test('a dead letter is sent again to a receiver that answers again', async () => {
    const { server, tenant, member } = await createMember();
    await using receiver = await startScriptedReceiver();
    receiver.reply = { status: 500, text: 'out of order' };
    await using sender = createTestSender(server);
    await start(member, async (page, keyboard) => {
      await keyboard.follow('Webhooks');
      await keyboard.press('Add webhook');
      await keyboard.fill('URL', receiver.url);
      await keyboard.toggle(page.getByRole('checkbox', { name: 'dsr.created' }));
      await keyboard.toggle(page.locator('summary', { hasText: 'Advanced' }));
      await keyboard.fill('Retry schedule', '1');
      await keyboard.press('Add webhook');
      await keyboard.press('I have stored it');
      await openRequest(server, tenant, 'a subject');
      await sender.deliver();
      server.clock.advance(2000);
      await sender.deliver();
      await keyboard.follow('Home', tenant.slug);
      await keyboard.follow('Dead letters', 'Deliveries');
      await keyboard.follow('dsr.created');
      await page.getByText('out of order').first().waitFor();
      receiver.reply = { status: 204 };
      await keyboard.press('Redeliver');
      await page.getByText('No attempt was made yet').waitFor();
      await sender.deliver();
      await keyboard.press('Refresh');
      await page.getByText('Delivered', { exact: true }).first().waitFor();
      await keyboard.follow('Home', tenant.slug);
      await page.getByText('Nothing is due').waitFor();
    });
    assert.equal(receiver.received.length, 3);
  });

  test('staff read a tenant of their portfolio on record, and can change nothing there', async () => {
    const { server, member } = await createMember('dpco_principal');
    const away = await createTenant();
    await server.createMember({ tenantId: away.id, email: member.email, role: 'dpco_principal' });
    await openRequest(server, away, 'ada@example.com');
    await start(member, async (page, keyboard) => {
      await keyboard.follow('Portfolio');
      await keyboard.press(`Open read-only: ${away.slug}`);
      await page.locator('.viewing', { hasText: away.slug }).waitFor();
      await keyboard.follow('Requests');
      await keyboard.follow('ada@example.com');
      await page.getByText('Nobody').waitFor();
      assert.equal(await page.locator('main').getByRole('button').count(), 0);
      await keyboard.follow('Back to the portfolio', 'Portfolio');
    });
    const { body: log } = await server.request('GET', '/v1/audit?actor=staff', { key: away.key });
    assert.deepEqual(
      log.data.items.map(({ action, actorEmail }: Record<string, unknown>) => [action, actorEmail]),
      [['session.created', member.email]],
    );
  });
}
