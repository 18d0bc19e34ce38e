// The live consent banner: it appears only on request, and the page lists everything that it sends.
import { liveNoticeId, serverPlaceholder } from '../site/placeholders.ts';
import { createWidget, readFields, setField, settle } from './live-fields.ts';
import { type PageRequest, startPageServer } from './page-server.ts';
import { readServerFacts, type ServerFacts } from './server-facts.ts';
import { showTag } from './tag-output.ts';

const languages = ['en', 'de', 'ar'];
const choiceKey = 'svc-docs:live-banner';
const place = document.querySelector<HTMLElement>('[data-live="svc-consent"]');
if (place !== null) await startBanner(place);

async function startBanner(live: HTMLElement): Promise<void> {
  const find = <Kind extends HTMLElement>(selector: string) => live.querySelector(selector) as Kind;
  const form = find<HTMLFieldSetElement>('fieldset');
  const log: string[] = [];
  const report = (line: string) => {
    log.unshift(line);
    find('[data-log]').textContent = log.slice(0, 20).join('\n');
  };
  const server = startPageServer(
    (request) => answerInPage(request, report),
    (request) => report(writeRequest(request)),
  );
  const facts = await readServerFacts();
  const demo = facts !== null && isUsable(facts) ? facts.demo : null;
  const radios = [...live.querySelectorAll<HTMLInputElement>('[name=where]')];
  const [inPage, onServer] = radios;
  if (onServer !== undefined) onServer.disabled = demo === null;
  const usesServer = () => onServer?.checked === true && demo !== null;
  const findBase = () => (usesServer() ? location.origin : server.address);
  const sync = () => {
    setField(form, 'notice-id', usesServer() ? (demo?.noticeId ?? '') : liveNoticeId);
    setField(form, 'api-base', findBase());
    find('[data-note]').textContent = usesServer()
      ? 'Each decision becomes a record in the ledger of the demo tenant, as on a real site.'
      : 'Nothing leaves this page. It shows below what would have been sent.';
  };
  let banner: HTMLElement | undefined;
  let accent = '';
  const update = () => {
    const attributes = readFields(form);
    if (banner !== undefined) {
      banner.remove();
      // Whatever address the tag has: the policy of this page allows no requests to other servers.
      banner = createWidget('svc-consent', new Map([...attributes, ['api-base', findBase()]]));
      if (accent !== '') banner.style.setProperty('--svc-c-accent', accent);
      document.body.append(banner);
    }
    const base = facts?.baseUrl ?? serverPlaceholder;
    const wanted = new Map(attributes);
    if ([server.address, location.origin].includes(wanted.get('api-base') ?? '')) wanted.set('api-base', base);
    if (wanted.get('notice-id') === liveNoticeId) wanted.set('notice-id', 'your-notice-id');
    showTag(find('[data-tag]'), createWidget('svc-consent', wanted), base);
  };
  const show = () => {
    banner?.remove();
    banner = document.createElement('svc-consent');
    update();
  };
  document.addEventListener('svc-consent', (event) => {
    find('[data-state]').textContent = JSON.stringify((event as CustomEvent).detail, null, 2);
  });
  const first = demo !== null && takeKeptChoice() ? onServer : inPage;
  if (first !== undefined) first.checked = true;
  form.disabled = false;
  sync();
  update();
  for (const radio of radios)
    radio.addEventListener('change', () => {
      sync();
      update();
    });
  form.addEventListener('input', settle(update));
  find<HTMLInputElement>('[data-accent]').addEventListener('input', ({ target }) => {
    accent = (target as HTMLInputElement).value;
  });
  find('[data-action=show]').addEventListener('click', show);
  find('[data-action=open]').addEventListener('click', () => {
    if (banner === undefined) show();
    (globalThis as { SvcConsent?: { open(): void } }).SvcConsent?.open();
  });
  find('[data-action=forget]').addEventListener('click', () => {
    forgetDecisions();
    if (usesServer()) keepChoice();
    // This page has the decision in memory; the reloaded one finds none.
    location.reload();
  });
}

/** The server accepts records of a notice only from the notice's own site. */
function isUsable({ demo }: ServerFacts): boolean {
  return demo !== null && (location.hostname === demo.domain || location.hostname.endsWith(`.${demo.domain}`));
}

function forgetDecisions(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith('svc-consent:')) localStorage.removeItem(name);
  } catch {
    // Storage is blocked: there is nothing to forget.
  }
}

/** Remembers for the next load that decisions go to the server. */
function keepChoice(): void {
  try {
    sessionStorage.setItem(choiceKey, 'server');
  } catch {
    // Storage is blocked: the page starts with the default.
  }
}

/** True if that was remembered; it counts for one load. */
function takeKeptChoice(): boolean {
  try {
    const isKept = sessionStorage.getItem(choiceKey) !== null;
    sessionStorage.removeItem(choiceKey);
    return isKept;
  } catch {
    return false;
  }
}

function writeRequest({ method, path, body }: PageRequest): string {
  return `${method} ${path}${body === null ? '' : ` ${JSON.stringify(body)}`}`;
}

async function answerInPage(request: PageRequest, report: (line: string) => void): Promise<object | null> {
  report(writeRequest(request));
  const { method, path, body } = request;
  const { pathname, searchParams } = new URL(path, location.href);
  if (pathname === `/v1/public/consent/${liveNoticeId}`) return readNotice(searchParams.get('language') ?? 'en');
  if (pathname !== `/v1/public/consent/${liveNoticeId}/records` || method !== 'POST') return null;
  return answerRecord(body as object);
}

/** The notice of this page in a language, or in English. */
async function readNotice(language: string): Promise<object> {
  const known = languages.find((one) => language.toLowerCase().split('-')[0] === one) ?? 'en';
  const root = new URL(document.documentElement.dataset.root ?? '', document.baseURI);
  const { data } = await (await fetch(new URL(`live/notice/${known}.json`, root))).json();
  // The banner would say that a notice of another domain is not recorded.
  return { ...data, domain: location.hostname };
}

/** The response that the server would send. The hashes are invented, because there is no ledger here. */
function answerRecord(body: object): object {
  const now = new Date().toISOString();
  return {
    id: crypto.randomUUID(),
    noticeId: liveNoticeId,
    noticeVersion: 1,
    kind: 'capture',
    withdrawsRecordId: null,
    capturedAt: now,
    recordedAt: now,
    sequence: 1,
    ledgerHash: `sha256:${'0'.repeat(64)}`,
    prevLedgerHash: null,
    ...body,
  };
}
