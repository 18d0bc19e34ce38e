import { expect, fixtureCleanup } from '@open-wc/testing';
import type { Notice } from '../src/notice/notice.ts';
import { createNotice, json, listenToConsole, type Network, replaceNetwork, restorePage } from './network.ts';
import { find, isBannerShown, leavePage, listQueued, press, readStored, type Visit } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

/** Adds an element with a notice as inline JSON; the server has the notice, too. */
function visitInline(
  id: string,
  text: string,
  { attributes = {}, served = {} }: { attributes?: Readonly<Record<string, string>>; served?: Partial<Notice> } = {},
): Visit {
  fixtureCleanup();
  const network: Network = replaceNetwork(createNotice(id, served));
  const element = document.createElement('svc-consent');
  for (const [name, value] of Object.entries({ 'notice-id': id, ...attributes })) element.setAttribute(name, value);
  const script = document.createElement('script');
  script.type = 'application/json';
  script.textContent = text;
  element.append(script);
  document.body.append(element);
  return { noticeId: id, element, network };
}

const write = (notice: Notice): string => JSON.stringify({ data: notice });

async function hash(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

describe('a notice inside the element', () => {
  let visit: Visit | undefined;

  afterEach(async () => {
    visit?.element.remove();
    restorePage();
    await leavePage();
    fixtureCleanup();
  });

  it('shows at once, without a request, and its record has the hash of its text', async () => {
    const id = crypto.randomUUID();
    const text = write(createNotice(id, { controllerName: 'Bücher & Söhne' }));
    visit = visitInline(id, `\n  ${text}\n`);
    expect(isBannerShown(visit), 'in the same task').to.equal(true);
    await press(visit, '.banner [data-choice=accept]');
    await waitUntil(() => visit?.network.records.length, 'a record goes out');
    expect(visit.network.records[0]?.body).to.include({
      shownHash: await hash(text),
      language: 'en',
      noticeVersion: 7,
    });
    expect(visit.network.notices).to.be.empty;
  });

  it('counts as its own version when it is stale, and the visitor is asked about the newer one the next day', async () => {
    const id = crypto.randomUUID();
    const stale = write(createNotice(id, { version: 6, asksSince: 6 }));
    visit = visitInline(id, stale);
    await press(visit, '.banner [data-choice=accept]');
    await waitUntil(() => visit?.network.records.length, 'a record goes out');
    expect(visit.network.records[0]?.body).to.include({ shownHash: await hash(stale), noticeVersion: 6 });
    expect(readStored(visit)).to.include({ noticeVersion: 6 });
    visit.element.remove();
    await leavePage();
    localStorage.removeItem(`svc-consent:${id}:checked`);
    visit = visitInline(id, stale, { served: { version: 7, asksSince: 7 } });
    await waitUntil(() => visit && isBannerShown(visit), 'the banner asks again');
    await press(visit, '.banner [data-choice=reject]');
    expect(readStored(visit), 'about the version of the server').to.include({ noticeVersion: 7 });
  });

  const whole = createNotice('x');
  for (const [name, damage] of [
    ['truncated', (text: string) => text.slice(0, -40)],
    ['of another notice', () => write(createNotice(crypto.randomUUID()))],
    ['of another form', () => '{"data":[]}'],
    ['empty', () => ''],
    ['without texts', () => write({ ...whole, texts: undefined } as unknown as Notice)],
  ] as const) {
    it(`is fetched when it is ${name}, which is logged once`, async () => {
      const errors = listenToConsole();
      const id = crypto.randomUUID();
      visit = visitInline(id, damage(write(createNotice(id))));
      await waitUntil(() => visit && isBannerShown(visit), 'the banner shows');
      expect(visit.network.notices).to.have.length(1);
      expect(errors.filter((error) => error.includes('invalid inline notice'))).to.have.length(1);
    });
  }

  it('is shown as it is when it was edited; the record, whose hash the server refuses, goes out without one', async () => {
    const errors = listenToConsole();
    const id = crypto.randomUUID();
    const published = write(createNotice(id));
    visit = visitInline(id, published.replace('Reject all', 'Say no'));
    expect(find(visit, '[data-choice=reject]').textContent).to.equal('Say no');
    const { records } = visit.network;
    visit.network.answerRecord = () => {
      if (records.at(-1)?.body.shownHash === 'unverified') return json({ data: {} }, { status: 201 });
      const details = [{ path: 'body.shownHash', message: 'belongs to no version' }];
      return json({ error: { code: 'validation_failed', details } }, { status: 422 });
    };
    await press(visit, '.banner [data-choice=accept]');
    await waitUntil(() => records.length === 2, 'it is sent again');
    expect(records[0]?.body.shownHash).to.not.equal(await hash(published));
    expect(records[1]?.body).to.deep.equal({ ...records[0]?.body, shownHash: 'unverified' });
    expect(errors).to.deep.equal([
      '<svc-consent>: what was shown is the text of no published version, so its record is unverified.',
    ]);
    await waitUntil(() => visit && listQueued(visit).length === 0, 'the queue is empty');
  });

  for (const [own, others, wanted, isFetched] of [
    ['en', ['de'], 'de', true],
    ['en', ['de'], 'DE', true],
    ['en', ['de'], 'de-AT', true],
    ['en', ['de'], 'en-US', false],
    ['en', ['de'], 'tlh', false],
    ['de', [], 'de-AT', false],
    ['de', ['de-CH'], 'de', false],
    ['de', ['de-CH'], 'de-AT', true],
  ] as const) {
    const offered = [own, ...others].join(' and ');
    it(`in ${own} is ${isFetched ? '' : 'not '}fetched in ${wanted} where the notice has ${offered}`, async () => {
      const id = crypto.randomUUID();
      const text = write(createNotice(id, { language: own, languages: others }));
      visit = visitInline(id, text, { attributes: { language: wanted }, served: { language: 'fr' } });
      await waitUntil(() => visit && isBannerShown(visit), 'the banner shows');
      expect(find(visit, '.banner').lang).to.equal(isFetched ? 'fr' : own);
      expect(visit.network.notices).to.have.length(isFetched ? 1 : 0);
    });
  }
});
