import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NoticeContent } from '../../server/consent/notice.ts';
import { writeShownTexts } from '../../server/consent/public-notice.ts';
import type { Widget } from '../../server/site/widgets/widget.ts';
import { compileHint } from '../widgets/define-script.ts';
import { buildScript, type Site, type SiteFile } from './visits.ts';

export const noticeId = '0199f0c4-6f2e-7c4a-9a51-3d2f6f0f8f11';

const words = { Necessary: 'Notwendig', Statistics: 'Statistik', Marketing: 'Marketing' };
const content: NoticeContent = {
  name: 'Site',
  controllerName: 'Example Ltd',
  language: 'en',
  domain: '127.0.0.1',
  purposes: Object.keys(words).map((label, index) => ({
    key: label.toLowerCase(),
    label,
    description: `${label} of the site.`,
    required: index === 0,
  })),
  translations: {
    de: {
      purposes: Object.fromEntries(
        Object.entries(words).map(([english, label]) => [
          english.toLowerCase(),
          { label, description: `${label} der Seite.` },
        ]),
      ),
    },
  },
};

/** Two banners of others: their built files in the npm package, and what a visitor sees of their first layer. */
const peers = {
  orejime: {
    script: 'dist/orejime-standard-en.js',
    styles: 'dist/orejime-standard.css',
    button: '.orejime-Banner-saveButton',
  },
  'vanilla-cookieconsent': {
    script: 'dist/cookieconsent.umd.js',
    styles: 'dist/cookieconsent.css',
    button: '#cc-main .cm__btn',
  },
} as const;

/** The same page with each banner: ours with the notice fetched and inline, in two languages, the floors, and the peers. */
export async function createBannerSite({ files }: Widget): Promise<Site> {
  const shown = await writeShownTexts({ id: noticeId, version: 1, asksSince: 1, content });
  const [english = '', german = ''] = ['en', 'de'].map((tag) => shown.find(({ language }) => language === tag)?.text);
  const notice = `/v1/public/consent/${noticeId}`;
  const inline = (text: string) => `<script type="application/json">${text}</script>`;
  const ours = (language: string, inside = ''): SiteFile =>
    writePage({ language, script: 'widget/svc-consent.js', element: 'svc-consent', inside });
  return new Map<string, SiteFile>([
    ...[...files].map(([name, { bytes }]) => [`/widget/${name}`, script(bytes)] as const),
    ['/ours', ours('en')],
    ['/ours-inline', ours('en', inline(english))],
    ['/german', ours('de')],
    ['/german-inline', ours('de', inline(german))],
    ['/lit.js', hinted(await buildScript('lit-banner'))],
    ['/lit', writePage({ script: 'lit.js', element: 'lit-banner' })],
    ['/vanilla.js', hinted(readFileSync(new URL('./children/vanilla-banner.js', import.meta.url)))],
    ['/vanilla', writePage({ script: 'vanilla.js', element: 'vanilla-banner' })],
    ['/none.js', script('')],
    ['/none', writePage({ script: 'none.js' })],
    ...Object.entries(peers).flatMap(([name, peer]) => addPeer(name, peer)),
    ...['', '?language=en'].map((query) => [notice + query, json(english)] as const),
    [`${notice}?language=de`, json(german)],
    [`${notice}/records`, json('{"data":{}}')],
  ]);
}

const script = (body: string | Buffer): SiteFile => ({ type: 'text/javascript', body });
/** The floors are compiled as our script is. */
const hinted = (body: Buffer): SiteFile => script(`${compileHint}\n${body}`);
const json = (body: string): SiteFile => ({ type: 'application/json', body });

/** A peer with its set-up in the same file, which saves it a request. */
function addPeer(name: string, peer: (typeof peers)[keyof typeof peers]): readonly (readonly [string, SiteFile])[] {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  const setUp = readFileSync(new URL(`./children/${name}.js`, import.meta.url), 'utf8');
  return [
    [`/${name}.js`, script(`${readFileSync(join(folder, peer.script), 'utf8')}\n${setUp}`)],
    [`/${name}.css`, { type: 'text/css', body: readFileSync(join(folder, peer.styles)) }],
    [`/${name}`, writePage({ script: `${name}.js`, styles: `${name}.css`, button: peer.button })],
  ];
}

interface BannerPage {
  readonly script: string;
  readonly styles?: string;
  readonly language?: string;
  /** The name of the element, whose first button is looked for. */
  readonly element?: string;
  readonly inside?: string;
  /** A button of a banner without a shadow root. */
  readonly button?: string;
}

/**
 * A page that looks at every frame whether the first button of its banner is there, and no longer transparent: `seen` is that
 * time, `shifts` the layout shift. With `#hold` at its address it has no idle time until `release()`: what a banner leaves for
 * later is not measured with what it does until it is seen.
 */
function writePage({ script, styles, language = 'en', element, inside = '', button }: BannerPage): SiteFile {
  const find = element
    ? `document.querySelector('${element}').shadowRoot?.querySelector('.banner button')`
    : `document.querySelector('${button}')`;
  const tag = element && `<${element} notice-id="${noticeId}">${inside}</${element}>`;
  const body = `<!doctype html><html lang="${language}"><title>Banner</title><script>
if (location.hash === '#hold') {
  const held = [];
  window.requestIdleCallback = (work) => held.push(work);
  window.release = () => {
    for (const work of held.splice(0)) setTimeout(work);
    window.requestIdleCallback = (work) => setTimeout(work, 20);
  };
}
</script><script src="/${script}" defer></script>
${styles ? `<link rel="stylesheet" href="/${styles}">` : ''}${tag ?? ''}<h1>A page</h1><p>${'Some words of it. '.repeat(200)}</p><script>
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shifts += value;
}).observe({ type: 'layout-shift', buffered: true });
const look = () => {
  const isSeen = ${find}?.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  if (isSeen) resolveSeen(performance.now());
  else if (performance.now() < 20000) requestAnimationFrame(look);
};
let resolveSeen;
window.seen = new Promise((resolve) => { resolveSeen = resolve; });
look();
</script></html>`;
  return { type: 'text/html', body };
}
