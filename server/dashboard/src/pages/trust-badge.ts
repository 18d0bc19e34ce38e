import { html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { TrustCenter } from '../../../../packages/node-sdk/src/types/api.ts';
import { type ChoiceName, choices } from '../../../../packages/trust-badge/src/attributes.ts';
import type { BadgePreview } from '../badge-preview.ts';
import { choice, field } from '../element.ts';
import { viewRecipe } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { readWidget, trust, type WidgetVersion } from '../sdk.ts';
import { TrustPage } from '../trust-page.ts';

const flags = ['show-frameworks', 'show-updated', 'show-powered-by'] as const;
/** Attributes whose value the user writes. `api-base` is not among them: the tag loads the script from its server. */
const texts = ['accent', 'locale', 'trust-url'] as const;

/** The configurator of the badge, with the real badge and the tag to copy. */
export class TrustBadgePage extends TrustPage {
  static override properties: PropertyDeclarations = {
    version: { state: true },
    chosen: { state: true },
    theme: { state: true },
  };

  /** The version of the badge to pin. */
  declare version: WidgetVersion | undefined;
  /** The attributes that differ from their defaults. */
  declare chosen: Readonly<Record<string, string>>;
  /** Of the page around the badge. */
  declare theme: BadgePreview['theme'];

  constructor() {
    super();
    this.chosen = {};
    this.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  protected override async load(): Promise<void> {
    [this.stored, this.version] = await Promise.all([trust.retrieve(), readWidget('svc-trust-badge')]);
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    this.#preview();
  }

  protected override viewTrust(stored: TrustCenter): TemplateResult {
    const { version } = this;
    if (version === undefined) return html`<p role="alert">${words.failed}</p>`;
    const { origin } = new URL(version.files[0]?.url ?? location.href);
    return html`<div class="editor">
        <div @input=${this.#input}>${this.#viewFields()}</div>
        ${stored.published ? this.#viewPreview() : html`<p class="notice">${pageWords.badgeNotPublic}</p>`}
      </div>
      ${viewRecipe(pageWords.tag, pageWords.tagHint, `${version.script}\n\n${this.#writeElement(stored, version)}`)}
      ${viewRecipe(
        pageWords.securityPolicy,
        pageWords.securityPolicyHint,
        `script-src ${origin}; connect-src ${origin}`,
        "require-trusted-types-for 'script'; trusted-types svc-trust-badge",
      )}
      <p><a href="/docs/widgets/badge/" target="_blank">${pageWords.readDocs}</a></p>`;
  }

  #viewFields(): TemplateResult {
    const names = Object.keys(choices) as ChoiceName[];
    const shown = names.filter((name) => name !== 'position' || this.chosen.variant === 'floating');
    return html`${shown.map((name) =>
      choice(
        pageWords.badgeAttributes[name],
        name,
        choices[name].map((value) => [value, pageWords.badgeValues[value]] as const),
        this.chosen[name] ?? choices[name][0],
      ),
    )}
    ${texts.map((name) =>
      field(pageWords.badgeAttributes[name], name, { hint: pageWords.badgeHints[name], isOptional: true }),
    )}
    ${flags.map(
      (name) =>
        html`<label class="check"><input type="checkbox" name=${name} checked /> ${pageWords.badgeAttributes[name]}</label>`,
    )}`;
  }

  #viewPreview(): TemplateResult {
    const choose = (event: Event) => {
      this.theme = (event.currentTarget as HTMLSelectElement).value as BadgePreview['theme'];
    };
    const themes = { light: words.themeLight, dark: words.themeDark };
    return html`<div class="preview">
      <h2>${pageWords.preview}</h2>
      <div class="filters">
        <label
          ><span>${pageWords.pageAround}</span
          ><select @change=${choose}>
            ${Object.entries(themes).map(
              ([value, text]) => html`<option value=${value} ?selected=${value === this.theme}>${text}</option>`,
            )}
          </select></label
        >
      </div>
      <iframe class="badge" src="/app/badge-preview.html" title=${pageWords.preview} @load=${this.#preview}></iframe>
      <p class="quiet">${pageWords.badgePreviewHint}</p>
    </div>`;
  }

  /** The element of the tag, with the chosen attributes. */
  #writeElement({ slug }: TrustCenter, { element }: WidgetVersion): string {
    const attributes = Object.entries(this.chosen).map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`);
    return element
      .replaceAll('your-tenant', slug)
      .replace(`tenant="${slug}"`, `tenant="${slug}"${attributes.join('')}`);
  }

  readonly #input = ({ target }: Event): void => {
    const { name, type, checked, value } = target as HTMLInputElement;
    const given = type === 'checkbox' ? (checked ? '' : 'false') : value.trim();
    const isDefault = given === '' || (Object.hasOwn(choices, name) && given === choices[name as ChoiceName][0]);
    const { [name]: _, ...others } = this.chosen;
    const { position, ...still } = others;
    // Only a floating badge has a corner.
    const kept = name === 'variant' && given !== 'floating' ? still : others;
    this.chosen = isDefault ? kept : { ...kept, [name]: given };
  };

  readonly #preview = (): void => {
    const { stored } = this;
    const frame = this.querySelector('iframe')?.contentWindow;
    if (!frame || stored === null) return;
    // The badge reports values that it cannot use in the console; half a colour or address is being typed.
    const usable = Object.entries(this.chosen).filter(
      ([name, value]) => name !== 'accent' || CSS.supports('color', value),
    );
    const attributes = { tenant: stored.slug, ...Object.fromEntries(usable) };
    frame.postMessage({ attributes, theme: this.theme } satisfies BadgePreview, location.origin);
  };
}

function escapeAttribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}

customElements.define('svc-trust-badge-page', TrustBadgePage);
