import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { build } from 'vite';
import { addMember } from '../../server/accounts/members/membership.ts';
import { createSession } from '../../server/accounts/sign-in/session-store.ts';
import { createApp } from '../../server/cli/server/app.ts';
import { createLog } from '../../server/cli/server/start-server.ts';
import { type Installation, openInstallation } from '../../server/installation/installation.ts';
import { recordEvents, systemSource } from '../../server/ledger/audit/store.ts';
import { readSettings } from '../../server/settings.ts';
import { runTransaction } from '../../server/storage/database.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { createSite } from './site.ts';
import { compareInTurn, type Spread, spreadOf } from './slices.ts';
import { buildScript, evaluate, openVisits, type SiteFile, type Visits } from './visits.ts';

const rows = 5000;

/** Two loads of each, the second of which finds their scripts there. */
const visited = ['notices', 'people', 'audit', 'keys', ''] as const;

/** The dashboard as an administrator sees it, beside a bare page with Lit that lists the same events of the audit log. */
export const dashboard: Benchmark = {
  name: 'dashboard',
  async run(bench) {
    // It is no workspace, which `builds` could name.
    await build({ configFile: join(import.meta.dirname, '../../server/dashboard/vite.config.ts'), logLevel: 'error' });
    const dataDir = bench.createFolder('dashboard');
    // A browser presses faster than the limits let a person.
    const limits = { SVC_LIMIT_API_KEY: '1000000', SVC_LIMIT_TENANT: '1000000', SVC_LIMIT_VISITOR: '1000000' };
    const settings = readSettings({ SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: 'error', ...limits });
    await using installation = await openInstallation(settings);
    const token = await fillTenant(installation);
    const { koa } = createApp(installation, { log: createLog(settings) });
    const script = { type: 'text/javascript', body: await buildScript('lit-list') };
    const page =
      '<!doctype html><html lang="en"><title>List</title><script src="/list.js" defer></script><lit-list></lit-list></html>';
    const floor = new Map<string, SiteFile>([
      ['/list', { type: 'text/html', body: page }],
      ['/list.js', script],
    ]);
    await using visits = await openVisits(floor, koa.callback());
    const signedIn = signIn(visits, token);
    return [
      await measureStart(bench, signedIn),
      ...(await measureVisit(bench, signedIn)),
      await measureRequests(signedIn),
      await measureScroll(bench, signedIn),
    ];
  },
};

/** An administrator, and more events than a person reads. @returns the token of a session. */
async function fillTenant(installation: Installation): Promise<string> {
  const { database, clock, settings } = installation;
  const { tenantId } = await createSite(installation);
  const source = systemSource(tenantId);
  return runTransaction(database, clock(), async (tx) => {
    const wanted = { email: 'admin@example.com', role: 'admin', isActivated: true, isAccepted: true } as const;
    const member = await addMember(tx, source, wanted, 'bench');
    if (member === undefined) throw new Error('the tenant is not empty');
    const events = Array.from({ length: rows }, (_, index) => ({
      source,
      event: {
        module: 'consent',
        action: 'consent_notice.updated',
        targetId: null,
        targetRef: `Notice ${index}`,
      } as const,
    }));
    await recordEvents(tx, events);
    const opened = { tenantId, userId: member.user_id, challengeId: null };
    return (await createSession(tx, opened, settings.sessionLifetime)).token;
  });
}

/** Visits of a browser in which the user signed in before. */
function signIn({ origin, ...visits }: Visits, token: string): Visits {
  const cookie = { name: 'svc_session', value: token, domain: '127.0.0.1', path: '/', expires: -1 };
  const cookies = [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Lax' as const }];
  const localStorage = [{ name: 'svc-signed-in', value: '' }];
  const context = { locale: 'en-GB', storageState: { cookies, origins: [{ origin, localStorage }] } };
  return { ...visits, origin, visit: (options, look) => visits.visit({ ...options, context }, look) };
}

/** Until the first page of the list is there, and the press on the link of its first row is answered. */
async function measureStart({ pace }: Bench, visits: Visits): Promise<Finding> {
  const open = (path: string) => () =>
    visits.visit({ path, slowdown: 4, watch: watchStart }, (_page, session) => evaluate(session, 'interactive'));
  const found = await compareInTurn(open('/app/audit'), open('/list'), { ...pace, pairs: pace.pairs * 2 });
  return {
    what: 'dashboard: time until a list is interactive / bare Lit page (CPU 4 ×)',
    ours: `${found.ours.toFixed(0)} ms`,
    floor: `${found.floor.toFixed(0)} ms`,
    value: found.cost,
    unit: '×',
    budget: { atMost: 3 },
  };
}

/** Runs in the page: looks at every frame whether a press is answered. */
function watchStart(): void {
  const { promise, resolve } = Promise.withResolvers<number>();
  const look = () => {
    const link = document.querySelector('tbody tr a');
    const press = new MouseEvent('click', { bubbles: true, cancelable: true, composed: true });
    // The listener of a page that is ready keeps the browser from following the link.
    if (link !== null && !link.dispatchEvent(press)) resolve(performance.now());
    else requestAnimationFrame(look);
  };
  look();
  Object.assign(window, { interactive: promise });
}

/** Measurements of a visit, taken in the page. */
interface Watched {
  shifts: number;
  /** The longest task since it was set to 0. */
  longestTask: number;
  /** The longest interaction since it was set to 0: from the press to the next frame. */
  interaction: number;
  /** How many requests were sent before anything of an answer was shown. */
  awaited: number;
  /** Resolves in the first frame in which the page of an address has what it loads. */
  content(path: string): Promise<unknown>;
}

/** Runs in the page. */
function watchVisit(): void {
  const watched: Watched = {
    shifts: 0,
    longestTask: 0,
    interaction: 0,
    awaited: 0,
    content: (path) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        const isOpen = document.querySelector('nav [aria-current=page]')?.getAttribute('href') === path;
        const hasContent = document.querySelector('main h1') && !document.querySelector('main p[role=status]');
        if (isOpen && hasContent) resolve();
        else requestAnimationFrame(look);
      };
      look();
      return promise;
    },
  };
  Object.assign(window, { watched });
  const read = () => document.querySelector('main')?.textContent;
  const send = window.fetch;
  let isAnswered = false;
  let unanswered = read();
  window.fetch = async (address, init) => {
    if (!isAnswered || read() === unanswered) watched.awaited += 1;
    const answer = await send(address, init);
    // Of the session a page shows nothing.
    if (!isAnswered && address !== '/v1/me') {
      isAnswered = true;
      unanswered = read();
    }
    return answer;
  };
  // Shifts after a press count too: the page answers it by itself.
  const watch = (type: string, note: (entry: PerformanceEntry) => void, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...more });
  watch('layout-shift', (entry) => {
    watched.shifts += (entry as PerformanceEntry & { value: number }).value;
  });
  watch('longtask', ({ duration }) => {
    watched.longestTask = Math.max(watched.longestTask, duration);
  });
  const noteEvent = (entry: PerformanceEntry) => {
    if ((entry as PerformanceEventTiming & { interactionId: number }).interactionId > 0)
      watched.interaction = Math.max(watched.interaction, entry.duration);
  };
  watch('event', noteEvent, { durationThreshold: 16 });
}

/** A visit of several pages and, once they are loaded, of the same again: what a press takes then, and what moves. */
async function measureVisit({ pace }: Bench, visits: Visits): Promise<readonly Finding[]> {
  const pages: number[] = [];
  const dialogs: number[] = [];
  const shifts: number[] = [];
  for (let round = 0; round < pace.pairs; round += 1)
    await visits.visit({ path: '/app/', slowdown: 4, watch: watchVisit }, async (page, session) => {
      await waitForContent(session, '/app/');
      for (const path of visited) await openEntry(page, session, path);
      for (const path of visited) pages.push(await timePress(session, () => openEntry(page, session, path)));
      dialogs.push(await timePress(session, () => page.locator('svc-palette > button').click()));
      shifts.push(await evaluate(session, 'watched.shifts'));
    });
  const row = (what: string, value: Spread, unit: Finding['unit'], atMost: number): Finding => ({
    what: `dashboard: ${what} (CPU 4 ×)`,
    ours: '',
    floor: '',
    value,
    unit,
    budget: { atMost },
  });
  return [
    row('press on the entry of a loaded page to paint', spreadOf(pages), 'ms', 100),
    row('press that opens a dialog to paint', spreadOf(dialogs), 'ms', 100),
    row(`layout shift over ${2 * visited.length + 1} pages`, spreadOf(shifts), '', 0.02),
  ];
}

async function openEntry(page: Page, session: CDPSession, path: string): Promise<void> {
  await page.locator(`nav a[href="/app/${path}"]`).click();
  await waitForContent(session, `/app/${path}`);
}

function waitForContent(session: CDPSession, path: string): Promise<number> {
  return evaluate(session, `watched.content(${JSON.stringify(path)})`);
}

/** @returns how long the press took until the next frame was there; 16 ms stand for less, which the browser does not report. */
async function timePress(session: CDPSession, press: () => Promise<unknown>): Promise<number> {
  await evaluate(session, 'watched.interaction = 0');
  await press();
  // The browser reports an interaction some time after its frame.
  await evaluate(session, 'new Promise((resolve) => setTimeout(resolve, 300))');
  return Math.max(16, await evaluate(session, 'watched.interaction'));
}

/** Of every page of the navigation, opened by its address: the most requests that its first content waits for. */
async function measureRequests(visits: Visits): Promise<Finding> {
  const paths = await visits.visit({ path: '/app/', slowdown: 1, watch: watchVisit }, async (page, session) => {
    await waitForContent(session, '/app/');
    return page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  });
  const counts: { readonly path: string; readonly count: number }[] = [];
  for (const path of paths) {
    const count = await visits.visit({ path, slowdown: 1, watch: watchVisit }, async (_page, session) => {
      await waitForContent(session, path);
      return evaluate(session, 'watched.awaited');
    });
    counts.push({ path, count });
  }
  const figures = counts.map(({ count }) => count);
  const most = Math.max(...figures);
  const named = counts.flatMap(({ path, count }) => (count === most ? [path] : []));
  return {
    what: `dashboard: requests to the API before the first content, of ${paths.length} pages`,
    ours: '',
    floor: '',
    value: { ...spreadOf(figures), median: most },
    unit: '',
    budget: { atMost: 3 },
    ...(most > 3 && { note: `the figure is the most, of ${named.join(', ')}` }),
  };
}

/** The longest task while a list with thousands of rows is scrolled down and up again. */
async function measureScroll({ pace }: Bench, visits: Visits): Promise<Finding> {
  const longest: number[] = [];
  for (let round = 0; round < Math.ceil(pace.pairs / 3); round += 1)
    await visits.visit({ path: '/app/audit', slowdown: 1, watch: watchVisit }, async (page, session) => {
      await waitForContent(session, '/app/audit');
      await page.evaluate(loadRows, rows);
      await page.locator('tbody').first().hover();
      await evaluate(session, 'new Promise((resolve) => setTimeout(resolve, 500))');
      await evaluate(session, 'watched.longestTask = 0');
      const height = await evaluate(session, 'document.documentElement.scrollHeight');
      for (const direction of [1, -1])
        for (let at = 0; at < height; at += height / 40) {
          await page.mouse.wheel(0, (direction * height) / 40);
          await evaluate(session, 'new Promise(requestAnimationFrame)');
        }
      await evaluate(session, 'new Promise((resolve) => setTimeout(resolve, 300))');
      longest.push(await evaluate(session, 'watched.longestTask'));
    });
  return {
    what: `dashboard: longest task while ${rows.toLocaleString('en')} rows scroll`,
    ours: '',
    floor: '',
    value: spreadOf(longest),
    unit: 'ms',
    budget: { atMost: 50 },
    note: 'the browser reports tasks of 50 ms and more; 0 stands for none',
  };
}

/** Runs in the page: presses "Show more" until so many rows are there. */
async function loadRows(wanted: number): Promise<void> {
  while (document.querySelectorAll('tbody tr').length < wanted) {
    document.querySelector<HTMLElement>('svc-list > .actions button:enabled')?.click();
    await new Promise(requestAnimationFrame);
  }
}
