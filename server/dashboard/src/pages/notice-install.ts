import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Notice, NoticeContent, NoticeVersion } from '../../../../packages/node-sdk/src/types/api.ts';
import type { describeWidgets } from '../../../widgets/tags.ts';
import { transport } from '../api.ts';
import { NoticePage } from '../notice-page.ts';
import { viewCopyable } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { notices } from '../sdk.ts';

type Widgets = ReturnType<typeof describeWidgets>;
type Version = Widgets['widgets'][number]['versions'][number];

/** How the banner gets on a site: the pinned tag, the policy, and where both go. */
export class NoticeInstallation extends NoticePage {
  static override properties: PropertyDeclarations = { version: { state: true }, latest: { state: true } };

  /** The version of the banner to pin. */
  declare version: Version | undefined;
  /** What visitors see now; null before the notice is published. */
  declare latest: NoticeVersion | null;

  constructor() {
    super();
    this.latest = null;
  }

  protected override async load(): Promise<void> {
    const list = { id: 'listWidgets', method: 'GET', path: '/widgets/index.json', answer: 'bare' } as const;
    const [stored, { items }, { widgets }] = await Promise.all([
      notices.retrieve(this.noticeId),
      notices.listVersions(this.noticeId, { limit: 1 }),
      transport.request<Widgets>(list),
    ]);
    const versions = widgets.find(({ name }) => name === 'svc-consent')?.versions;
    // The bytes of a version that is not released change with the next build.
    this.version = versions?.find(({ released }) => released) ?? versions?.[0];
    this.latest = items[0] ?? null;
    this.stored = stored;
  }

  protected override viewNotice(notice: Notice): TemplateResult {
    const { version } = this;
    if (version === undefined) return html`<p role="alert">${words.failed}</p>`;
    const { origin } = new URL(version.files[0]?.url ?? location.href);
    const recipes = writeRecipes(notice.id, this.latest ?? notice, version);
    const names = Object.keys(recipes) as (keyof typeof recipes)[];
    return html`${
      notice.status === 'published'
        ? nothing
        : html`<p class="notice">
              ${pageWords.notPublic} <a href="/app/notices/${notice.id}/publish">${pageWords.publishNotice}</a>
            </p>`
    }
      <p>${pageWords.installHint} <a href="/docs/widgets/banner-guide/" target="_blank">${pageWords.readDocs}</a></p>
      ${names.map((name) => viewRecipe(pageWords.recipes[name], pageWords.recipeHints[name], recipes[name]))}
      ${viewRecipe(
        pageWords.securityPolicy,
        pageWords.securityPolicyHint,
        `script-src ${origin}; connect-src ${origin}`,
        "require-trusted-types-for 'script'; trusted-types svc-consent svc-consent-ui",
      )}`;
  }
}

function viewRecipe(title: string, hint: string, ...texts: readonly string[]): TemplateResult {
  return html`<section>
    <h2>${title}</h2>
    <p>${hint}</p>
    ${texts.map((text) => viewCopyable(text))}
  </section>`;
}

/** What to paste into each kind of site. */
function writeRecipes(id: string, { language, purposes }: NoticeContent, version: Version) {
  const { script } = version;
  const element = version.element.replace('YOUR-NOTICE-ID', id);
  const optional = purposes.filter(({ required }) => !required);
  const needs = (optional.length > 0 ? optional : purposes).map(({ key }) => key).join(' ');
  const held = `<script type="text/plain" data-svc-purpose="${needs}"`;
  return {
    html: `${script}\n\n${element}`,
    wordpress: `add_action('wp_head', function () { ?>
${script}
<?php }, 0);
add_action('wp_body_open', function () { ?>
${element}
<?php }, 0);`,
    tagManager: `${script}
${held}>
  window.dataLayer = window.dataLayer || [];
  window.dataLayer.push({ 'gtm.start': Date.now(), event: 'gtm.js' });
</script>
${held} data-src="https://www.googletagmanager.com/gtm.js?id=GTM-XXXXXXX"></script>

${element}`,
    next: `export default function RootLayout({ children }) {
  return (
    <html lang="${language}">
      <head>
        ${script.replace('crossorigin', 'crossOrigin').replace('></script>', ' />')}
      </head>
      <body>
        ${element.replace('></svc-consent>', ' />')}
        {children}
      </body>
    </html>
  );
}`,
  };
}

customElements.define('svc-notice-install', NoticeInstallation);
