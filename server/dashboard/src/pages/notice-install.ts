import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type {
  Notice,
  NoticeContent,
  NoticeSighting,
  NoticeVersion,
} from '../../../../packages/node-sdk/src/types/api.ts';
import { inlineNotice } from '../../../site/widgets/inline-notice.ts';
import { viewRelative, viewTime } from '../format.ts';
import { nameLanguage } from '../notice-names.ts';
import { NoticePage } from '../notice-page.ts';
import { writeNotice } from '../notice-rules.ts';
import { viewCopyable, viewRecipe } from '../page-element.ts';
import { Polling } from '../polling.ts';
import { pageWords, words } from '../preferences.ts';
import { notices, readWidget, type WidgetVersion } from '../sdk.ts';

/** How the banner gets on a site: the pinned tag, the policy, and where both go. */
export class NoticeInstallation extends NoticePage {
  static override properties: PropertyDeclarations = {
    version: { state: true },
    latest: { state: true },
    sightings: { state: true },
    inline: { state: true },
  };

  /** The version of the banner to pin. */
  declare version: WidgetVersion | undefined;
  /** The version that visitors see; null before the notice is published, undefined until it is loaded. */
  declare latest: NoticeVersion | null | undefined;
  /** Where the banner was seen; null until that is loaded. */
  declare sightings: readonly NoticeSighting[] | null;
  /** The public notice in one language, for the tag with the notice inside; null until it is loaded. */
  declare inline: { readonly language: string; readonly text: string } | null;
  readonly #polling = new Polling(this, () => this.#look());

  constructor() {
    super();
    this.sightings = null;
    this.inline = null;
  }

  /** Looks for the banner again. A failure is tried again by the next look. */
  async #look(): Promise<void> {
    if (this.stored === null) return;
    const found = await notices.listSightings(this.noticeId).catch(() => null);
    if (found !== null) this.sightings = found.items;
  }

  protected override async load(): Promise<void> {
    const [stored, version] = await Promise.all([notices.retrieve(this.noticeId), readWidget('svc-consent')]);
    this.version = version;
    this.stored = stored;
    await this.updateComplete;
    const [{ items }] = await Promise.all([notices.listVersions(this.noticeId, { limit: 1 }), this.#look()]);
    this.latest = items[0] ?? null;
    if (this.latest !== null) await this.#loadInline(this.latest, this.latest.language);
  }

  /** Reads the published bytes of a language. */
  async #loadInline({ shown }: NoticeVersion, language: string): Promise<void> {
    const hash = shown[language];
    if (hash === undefined) return;
    this.inline = { language, text: writeNotice(await notices.retrieveShown(this.noticeId, hash)) };
  }

  protected override viewNotice(notice: Notice): TemplateResult {
    const { version, latest } = this;
    if (version === undefined) return html`<p role="alert">${words.failed}</p>`;
    return html`${
      notice.status === 'published'
        ? nothing
        : html`<p class="notice">
              ${pageWords.notPublic} <a href="/app/notices/${notice.id}/publish">${pageWords.publishNotice}</a>
            </p>`
    }
      <p>${pageWords.installHint} <a href="/docs/widgets/banner-guide/" target="_blank">${pageWords.readDocs}</a></p>
      <section>
        <h2>${pageWords.liveCheck}</h2>
        <p class="quiet">${pageWords.liveCheckHint}</p>
        <div role="status">${this.#viewSightings((latest ?? notice).domain)}</div>
        ${this.#polling.view()}
      </section>
      ${this.viewOutcome()}
      ${
        latest === undefined
          ? this.viewWaiting()
          : viewRecipes(notice.id, latest ?? notice, version, this.#viewInline(notice.id, version, latest))
      }`;
  }

  /** The tag with the notice inside, which is there once the notice is published. */
  #viewInline(id: string, { script, element }: WidgetVersion, latest: NoticeVersion | null) {
    const { inline } = this;
    if (latest === null || inline === null) return nothing;
    const own = inline.language === latest.language ? undefined : inline.language;
    const filled = inlineNotice(element.replace('YOUR-NOTICE-ID', id), inline.text, own);
    const choose = (event: Event) => {
      const { value } = event.currentTarget as HTMLSelectElement;
      void this.runQuietly(() => this.#loadInline(latest, value));
    };
    return html`<section>
      <h2>${pageWords.recipes.inline}</h2>
      <p>${pageWords.recipeHints.inline}</p>
      <label class="field">
        <span>${pageWords.editor.language}</span>
        <select .value=${live(inline.language)} @change=${choose}>
          ${Object.keys(latest.shown).map(
            (tag) => html`<option value=${tag} ?selected=${tag === inline.language}>${nameLanguage(tag)}</option>`,
          )}
        </select>
      </label>
      ${viewCopyable(`${script}\n\n${filled}`)}
    </section>`;
  }

  /** @param domain that of the published notice, to which hosts belong or not. */
  #viewSightings(domain: string): TemplateResult {
    const { sightings } = this;
    if (sightings === null) return html`<p>${words.loading}</p>`;
    const isSeen = sightings.some(({ lastRefusedAt }) => lastRefusedAt === null);
    return html`${isSeen ? nothing : html`<p>${pageWords.notSeenYet}</p>`}
      <ul class="plain">
        ${sightings.map((one) => (one.lastRefusedAt === null ? viewSighting(one) : viewRefused(one, domain)))}
      </ul>`;
  }
}

function viewSighting({ host, lastReadAt, lastCaptureAt, widgetVersion }: NoticeSighting): TemplateResult {
  return html`<li>
    <strong>${host}</strong>
    <span>
      ${pageWords.lastSeen}: ${viewMoment(lastReadAt)}. ${pageWords.lastDecision}: ${viewMoment(lastCaptureAt)}.
      ${widgetVersion === null ? nothing : `${pageWords.bannerVersion}: ${widgetVersion}.`}
    </span>
  </li>`;
}

/** A host outside of the domain: its visitors see the banner, and none of their decisions is recorded. */
function viewRefused({ host, lastRefusedAt }: NoticeSighting, domain: string): TemplateResult {
  return html`<li>
    <span>
      <strong>${host}</strong> ${pageWords.refusedHost.replace('{domain}', domain)}
      <span class="quiet">${pageWords.lastRefusal}: ${viewMoment(lastRefusedAt)}.</span>
    </span>
    <span class="status" data-tone="bad">${pageWords.refusals}</span>
  </li>`;
}

/** A time and how long ago it was. */
function viewMoment(time: string | null): TemplateResult | string {
  return time === null ? '–' : html`${viewTime(time)} (${viewRelative(time)})`;
}

/** @param inline is shown after the plain tag. */
function viewRecipes(
  id: string,
  content: NoticeContent,
  version: WidgetVersion,
  inline: TemplateResult | typeof nothing,
): TemplateResult {
  const { origin } = new URL(version.files[0]?.url ?? location.href);
  const recipes = writeRecipes(id, content, version);
  const names = Object.keys(recipes) as (keyof typeof recipes)[];
  const view = (name: keyof typeof recipes) =>
    viewRecipe(pageWords.recipes[name], pageWords.recipeHints[name], recipes[name]);
  return html`${names.map((name) => html`${view(name)} ${name === 'html' ? inline : nothing}`)}
  ${viewRecipe(
    pageWords.securityPolicy,
    pageWords.securityPolicyHint,
    `script-src ${origin}; connect-src ${origin}`,
    "require-trusted-types-for 'script'; trusted-types svc-consent svc-consent-panel",
  )}`;
}

/** Code to paste into each kind of site. */
function writeRecipes(id: string, { language, purposes }: NoticeContent, version: WidgetVersion) {
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
${held} data-svc-src="https://www.googletagmanager.com/gtm.js?id=GTM-XXXXXXX"></script>

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
