import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { memberRoleValues, operationScopes } from '../../../dashboard/src/api-types.ts';
import { pages } from '../../../dashboard/src/pages.ts';
import api from '../../../openapi.json' with { type: 'json' };
import type { TestMember } from '../../harness.ts';
import { createScene } from '../../http/scene.ts';
import { assertAccessible, assertFits } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

type Operation = keyof typeof operationScopes;

/** Result of a visit to a page. */
interface Visit {
  readonly heading: string;
  /** The addresses of other pages. */
  readonly links: readonly string[];
  /** Requests of the page to the API: `POST /v1/dsr 503`. Requests that would change something get a 503 here. */
  readonly requests: readonly string[];
  /** Those that it sent before it showed anything of an answer. */
  readonly awaited: readonly string[];
}

describeDashboard('every page of the dashboard', (dashboard) => {
  /** A tenant that has every object whose page the tests open. */
  async function furnish() {
    const scene = await createScene(dashboard.server);
    await scene.record();
    await scene.editNotice();
    for (const thing of ['event', 'dsr', 'breach', 'deadLetter', 'invitation', 'member', 'evidence'] as const)
      await scene[thing]();
    await scene.controlTest();
    for (const ledger of ['audit', 'consent'] as const) await scene.checkpoint(ledger);
    await dashboard.server.createKey(scene.tenant.id, ['audit:read']);
    await dashboard.server.createScimToken(scene.tenant.id);
    await scene.trustCenter();
    return scene.tenant;
  }

  test('opens for the roles that may read it, and offers the actions whose operations they may call', async () => {
    const { server, visitAs } = dashboard;
    const { id: tenantId } = await furnish();
    const addresses = listAddresses();
    /** Operations of the administrator on each page, each with a request that calls it. */
    const actions = new Map<string, ReadonlyMap<Operation, string>>();
    for (const role of memberRoleValues) {
      const member = await server.createMember({ tenantId, role });
      const scopes: readonly string[] = (await call(member, 'GET', '/v1/me')).body.data.scopes;
      const isAllowed = (operation: Operation | null) =>
        operation === null || scopes.includes(operationScopes[operation]);
      await visitAs(member, '', async (page) => {
        await page.getByRole('navigation').waitFor();
        const shown = await page
          .locator('svc-shell > nav a')
          .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
        const entries = pages.filter(
          ({ path, operation }) => !path.includes(':') && path !== 'trust/badge' && isAllowed(operation),
        );
        assert.deepEqual(
          shown,
          entries.map(({ path }) => `/app/${path}`),
          role,
        );
        await page.evaluate(watchWork);
        await page.evaluate(holdWrites);
        for (const { path, operation } of pages) {
          const address = addresses.get(path) ?? path.replaceAll(/:\w+/g, randomUUID());
          const { heading, links, requests, awaited } = await open(page, address);
          const place = `${role} on /app/${address}`;
          assert.equal(heading === 'Not allowed', !isAllowed(operation), place);
          // Three with that of the session.
          assert.ok(awaited.length <= 2, `${place} waits for ${awaited.join(', ')}`);
          if (operation !== null && !isAllowed(operation)) {
            assert.deepEqual(requests, [], place);
            assert.equal((await call(member, ...requestOf(operation))).status, 403, place);
          }
          assert.deepEqual(
            requests.filter((request) => request.endsWith(' 403')),
            [],
            place,
          );
          const offered = findOperations(requests);
          for (const one of offered.keys()) assert.ok(isAllowed(one), `${place}: ${one}`);
          if (role === 'admin') {
            actions.set(path, offered);
            noteAddresses(addresses, links);
            continue;
          }
          for (const [one, request] of isAllowed(operation) ? (actions.get(path) ?? []) : []) {
            // The dialog of an erasure asks for other spellings.
            const isWanted = one !== 'searchSubjects' || isAllowed('eraseSubject');
            // Staff may sign a checkpoint only to prove an entry that none covers.
            const isOffered: boolean = isAllowed(one) && isWanted && !(role === 'dpco_principal' && path === 'proofs');
            assert.equal(offered.has(one), isOffered, `${place}: ${one}`);
            const [method = '', target = ''] = request.split(' ');
            if (!isAllowed(one)) assert.equal((await call(member, method, target)).status, 403, `${place}: ${one}`);
          }
        }
      });
    }
    const pressed = new Set([...actions.values()].flatMap((operations) => [...operations.keys()]));
    for (const one of ['createWebhook', 'completeDsr', 'inviteUser', 'withdrawConsentRecord'] as const)
      assert.ok(pressed.has(one), one);
  });

  test('is accessible, and so is each of its dialogs', async () => {
    const { server, visitAs } = dashboard;
    const { id: tenantId } = await furnish();
    const addresses = listAddresses();
    await visitAs(await server.createMember({ tenantId }), '', async (page) => {
      page.on('dialog', (question) => void question.accept());
      await page.addInitScript(watchWork);
      // Nothing is changed, so that each page has what it shows.
      await page.route('**/v1/**', async (route) => {
        if (route.request().method() === 'GET') return route.continue();
        await route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'held' } } });
      });
      const dialogs = new Set<string>();
      for (const { path } of pages) {
        await openAddress(page, addresses.get(path));
        await assertAccessible(page);
        noteAddresses(addresses, await listLinks(page));
        const buttons = page.locator('main button:enabled:visible:not([role=tab])');
        const names = await buttons.allTextContents();
        for (const name of new Set(names)) {
          await buttons.filter({ hasText: name.trim() }).first().click();
          await page.evaluate(() => (window as unknown as Waiting).settle());
          const title = (await page.locator('dialog[open] h2').allTextContents()).join();
          if (title === '' && page.url().endsWith(`/${addresses.get(path)}`)) continue;
          if (!dialogs.has(title)) await assertAccessible(page);
          dialogs.add(title);
          await openAddress(page, addresses.get(path));
        }
      }
      assert.ok(dialogs.size > 20, [...dialogs].join());
    });
  });

  for (const locale of ['de', 'fr'])
    test(`fits a narrow window in ${locale}`, async () => {
      const { server, visitAs } = dashboard;
      const { id: tenantId } = await furnish();
      const addresses = listAddresses();
      const member = await server.createMember({ tenantId });
      const narrow = { locale, viewport: { width: 320, height: 640 } };
      await visitAs(
        member,
        '',
        async (page) => {
          for (const { path } of pages) {
            await openAddress(page, addresses.get(path));
            assert.equal(await page.locator('html').getAttribute('lang'), locale);
            await assertFits(page);
            noteAddresses(addresses, await listLinks(page));
          }
        },
        narrow,
      );
    });

  /** Opens a page that has an address, and waits until it has everything that it shows. */
  async function openAddress(page: Page, address: string | undefined) {
    assert.ok(address !== undefined, `no page links to what comes after ${page.url()}`);
    await page.goto(`${dashboard.server.url}/app/${address}`, { waitUntil: 'networkidle' });
    await page.locator('main h1').waitFor();
    assert.deepEqual(await page.locator('main [role=alert]').allTextContents(), [], address);
  }

  function call({ session }: TestMember, method: string, path: string) {
    const headers = { ...session, 'Idempotency-Key': randomUUID() };
    return dashboard.server.request(method, path, { headers, ...(method !== 'GET' && { body: {} }) });
  }
});

const patterns = pages.map(({ path }) => ({ path, pattern: new URLPattern({ pathname: `/app/${path}` }) }));

/** The pages whose address has no parameter. */
function listAddresses(): Map<string, string> {
  return new Map(pages.flatMap(({ path }) => (path.includes(':') ? [] : [[path, path] as const])));
}

function listLinks(page: Page): Promise<readonly string[]> {
  return page
    .locator('main a[href^="/app/"]')
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname));
}

/** Keeps an address for each page with a parameter, of the links that lead to it. */
function noteAddresses(addresses: Map<string, string>, links: readonly string[]): void {
  for (const pathname of links) {
    const path = patterns.find(({ pattern }) => pattern.test({ pathname }))?.path;
    if (path !== undefined && !addresses.has(path)) addresses.set(path, pathname.slice('/app/'.length));
  }
}

/** Every operation with its address; fixed paths come before those with a parameter. */
const operations = Object.entries<Readonly<Record<string, { readonly operationId?: string }>>>(api.paths)
  .toSorted(([one], [other]) => one.replaceAll('{', '~').localeCompare(other.replaceAll('{', '~'), 'en'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId = '' }]) => ({
      method: method.toUpperCase(),
      path,
      pattern: new URLPattern({ pathname: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
      operation: operationId as Operation,
    })),
  )
  .filter(({ operation }) => Object.hasOwn(operationScopes, operation));

function requestOf(wanted: Operation): readonly [method: string, path: string] {
  const { method = '', path = '' } = operations.find(({ operation }) => operation === wanted) ?? {};
  return [method, path.replaceAll(/\{\w+\}/g, randomUUID())];
}

/** The operations that requests ask for and that change something, each with one of its requests. */
function findOperations(requests: readonly string[]): ReadonlyMap<Operation, string> {
  const found = requests.flatMap((request) => {
    const [wanted = '', target = ''] = request.split(' ');
    const { pathname } = new URL(target, 'http://svc.test');
    const match = operations.find(({ method, pattern }) => method === wanted && pattern.test({ pathname }));
    return match === undefined || wanted === 'GET' ? [] : [[match.operation, request] as const];
  });
  return new Map(found);
}

/** Opens a page without loading the document again, and presses everything that it shows. */
function open(page: Page, address: string): Promise<Visit> {
  return page.evaluate((path) => (window as unknown as Pressing).pressAll(path), `/app/${address}`);
}

interface Pressing {
  pressAll(path: string): Promise<Visit>;
}

interface Waiting {
  nextTask(): Promise<void>;
  /** Waits until no request is pending and everything is drawn. */
  settle(): Promise<void>;
}

/** Runs in the page, and defines `Waiting`. */
function watchWork(): void {
  const send = window.fetch;
  let pending = 0;
  window.fetch = async (...args) => {
    pending += 1;
    try {
      const answer = await send(...args);
      return new Response(answer.status === 204 ? null : await answer.text(), answer);
    } finally {
      pending -= 1;
    }
  };
  type Task = Element & { readonly isUpdatePending?: boolean; readonly isBusy?: boolean };
  const isWorking = () =>
    [...document.querySelectorAll<Task>('*')].some(({ isUpdatePending, isBusy }) => isUpdatePending || isBusy);
  const { port1, port2 } = new MessageChannel();
  const nextTask = () =>
    new Promise<void>((resolve) => {
      port1.onmessage = () => resolve();
      port2.postMessage(null);
    });
  const settle = async () => {
    for (let quiet = 0; quiet < 3; quiet = pending > 0 || isWorking() ? 0 : quiet + 1) await nextTask();
  };
  Object.assign(window, { settle, nextTask });
}

/** Runs in the page. Answers what would change something, and defines how a page is opened and everything pressed. */
function holdWrites(): void {
  const send = window.fetch;
  let requests: string[] = [];
  let awaited: string[] = [];
  /** Text of the page when the first response came. */
  let unanswered = '';
  const readPage = () => document.querySelector('main')?.textContent ?? '';
  window.fetch = async (input, init) => {
    const method = init?.method ?? 'GET';
    if (requests.length === 0 || readPage() === unanswered) awaited.push(`${method} ${input}`);
    const answer =
      method === 'GET'
        ? await send(input, init)
        : new Response(JSON.stringify({ error: { code: 'unavailable', message: 'held' } }), { status: 503 });
    if (requests.length === 0) unanswered = readPage();
    requests.push(`${method} ${input} ${answer.status}`);
    return answer;
  };
  window.confirm = () => true;
  Object.defineProperty(navigator.clipboard, 'writeText', { value: async () => undefined });
  // Downloads are links that a script presses.
  HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
    if (this.pathname.startsWith('/v1/')) requests.push(`GET ${this.pathname} 200`);
  };

  type Shell = HTMLElement & { readonly place: object };
  const find = () => document.querySelector('svc-shell') as Shell;
  const { settle, nextTask } = window as unknown as Waiting;
  const go = async (path: string) => {
    const before = find().place;
    history.pushState(null, '', path);
    dispatchEvent(new PopStateEvent('popstate'));
    while (find().place === before) await nextTask();
    await settle();
  };
  /** Changes every field, so that there is something to send. */
  const fill = (form: HTMLFormElement) => {
    form.noValidate = true;
    for (const field of form.querySelectorAll<HTMLInputElement>('input:enabled, textarea:enabled')) {
      const values: Readonly<Record<string, string>> = { email: 'a@b.test', url: 'https://b.test', number: '7' };
      if (field.type === 'checkbox' || field.type === 'file' || field.type === 'radio') continue;
      field.value = values[field.type] ?? (field.type.startsWith('date') ? field.value : 'pressed');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  };
  /** Presses each button that is there or appears; of those with one text, as in the rows of a table, the first two. */
  const pressButtons = async (within: string, before: () => Promise<void>) => {
    const pressed = new Map<string, number>();
    for (;;) {
      await before();
      const buttons = Map.groupBy(
        [...document.querySelectorAll<HTMLButtonElement>(`${within} button:enabled`)].filter((one) =>
          one.checkVisibility(),
        ),
        ({ textContent }) => textContent,
      );
      const [text, alike = []] =
        [...buttons].find(([name, { length }]) => (pressed.get(name) ?? 0) < Math.min(length, 2)) ?? [];
      const button = alike[pressed.get(text ?? '') ?? 0];
      if (text === undefined || button === undefined) return;
      pressed.set(text, (pressed.get(text) ?? 0) + 1);
      if (button.form !== null) fill(button.form);
      await settle();
      button.click();
      await settle();
    }
  };
  const pressAll = async (path: string): Promise<Visit> => {
    requests = [];
    awaited = [];
    await go(path);
    const first = [...awaited];
    let { place } = find();
    const heading = document.querySelector('main h1')?.textContent?.trim() ?? '';
    const links = [...document.querySelectorAll<HTMLAnchorElement>('main a[href^="/app/"]')].map(
      (link) => link.pathname,
    );
    await pressButtons('main', async () => {
      await pressButtons('main dialog[open]', async () => undefined);
      // A page that led to another one is opened again.
      if (find().place === place) return;
      await go(path);
      place = find().place;
    });
    return { heading, links, requests, awaited: first };
  };
  Object.assign(window, { pressAll });
}
