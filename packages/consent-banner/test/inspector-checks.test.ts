import { expect } from '@open-wc/testing';
import { inspectPage, startInspector, writeMarkdown } from '../src/add-ons/inspector/index.ts';
import { listenToConsole, restorePage } from './network.ts';
import { isBannerShown, leavePage, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

describe('the checks of the inspector', () => {
  const holder = document.createElement('div');

  beforeEach(leavePage);

  afterEach(() => {
    restorePage();
    holder.remove();
  });

  async function check(attributes: Readonly<Record<string, string>>, markup = ''): Promise<readonly string[]> {
    holder.innerHTML = markup;
    document.body.append(holder);
    const visit = await visitPage({}, undefined, attributes);
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    return (await inspectPage()).warnings;
  }

  it('find nothing on a page that is set up correctly', async () => {
    const attributes = { scheme: 'dark', layout: 'bar', position: 'top', 'refusal-max-age': '200', trigger: 'none' };
    const markup = `<img alt="" data-svc-purpose="statistics" data-src="${pixel}">`;
    expect(await check({ ...attributes, 'clear-cookies': 'statistics: _ga' }, markup)).to.deep.equal([]);
  });

  it('name every attribute with an invalid value, and what it must be', async () => {
    const warnings = await check({ scheme: 'blue', region: 'UK', 'max-age': '-1', 'refusal-max-age': '30' });
    expect(warnings.map((warning) => /^[\w-]+/.exec(warning)?.[0])).to.have.members([
      'scheme',
      'region',
      'max-age',
      'refusal-max-age',
    ]);
    expect(warnings.find((warning) => warning.startsWith('scheme'))).to.equal(
      'scheme="blue" is not understood. It must be page, light or dark.',
    );
  });

  it('name tags that load although they name a purpose, and tags that cannot be held back', async () => {
    const warnings = await check(
      {},
      `<img alt="" data-svc-purpose="marketing" src="${pixel}"><object data-svc-purpose="marketing"></object>
       <video data-svc-purpose="statistics" data-src="x" poster="${pixel}"></video>`,
    );
    expect(warnings.map((warning) => /<(\w+)/.exec(warning)?.[1])).to.have.members(['img', 'object', 'video']);
  });

  it('name purposes that the notice does not have', async () => {
    const warnings = await check(
      { 'consent-mode': 'analytics: analytics_storage' },
      '<iframe title="A map" data-svc-purpose="maps" data-src="x"></iframe>',
    );
    expect(warnings).to.deep.equal([
      '<iframe data-svc-purpose="maps"> needs a purpose that the notice does not have. It never loads.',
      'consent-mode names the purpose "analytics", which the notice does not have.',
    ]);
    expect(writeMarkdown(await inspectPage())).to.contain('which the notice does not have');
  });

  it('are logged on localhost, each once', async () => {
    const errors = listenToConsole();
    const stop = startInspector();
    await check({ layout: 'banner' });
    stop();
    expect(errors.filter((error) => error.includes('layout="banner"'))).to.have.length(1);
  });
});
