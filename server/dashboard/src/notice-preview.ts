import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { NoticeContent } from '../../../packages/node-sdk/src/types/api.ts';
import { DashboardElement } from './element.ts';
import { nameLanguage, nameRegion } from './notice-names.ts';
import { type LocalizedMessages, presentNotice } from './notice-rules.ts';
import { pageWords, words } from './preferences.ts';
import type { Layer, Preview } from './preview.ts';

/** A language to see how the texts fit that are written from the right. */
export const rightToLeft = 'ar';

/** How the preview is shown. */
interface Look {
  readonly screen: keyof typeof pageWords.screens;
  readonly scheme: Preview['scheme'];
  readonly layer: Layer;
  /** Empty for a visitor of unknown region. */
  readonly region: string;
  readonly signal: keyof typeof pageWords.editor.signals;
}

/** Preview of a notice under edit: with the function that publication uses, and the banner's own views. */
export class NoticePreview extends DashboardElement {
  static override properties: PropertyDeclarations = {
    content: { attribute: false },
    version: { attribute: false },
    language: { attribute: false },
    languages: { attribute: false },
    regions: { attribute: false },
    spoken: { attribute: false },
    look: { state: true },
  };

  declare content: NoticeContent;
  /** The version that the content becomes. */
  declare version: number;
  declare language: string;
  /** Those of the notice. */
  declare languages: readonly string[];
  /** Those for which the notice has rules. */
  declare regions: readonly string[];
  /** The default words; null until they are loaded. */
  declare spoken: LocalizedMessages | null;
  declare look: Look;

  constructor() {
    super();
    this.regions = [];
    this.spoken = null;
    const scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    this.look = { screen: 'desktop', scheme, layer: 'banner', region: '', signal: 'off' };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('message', this.#follow);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('message', this.#follow);
  }

  protected override updated(_changed: PropertyValues<this>): void {
    this.#preview();
  }

  protected override render(): TemplateResult {
    const { editor } = pageWords;
    const { look, language, languages, regions } = this;
    const tags = [...new Set([...languages, rightToLeft])];
    const nameTag = (tag: string) => (languages.includes(tag) ? nameLanguage(tag) : editor.rightToLeft);
    return html`<h2>${pageWords.preview}</h2>
      <div class="filters">
        ${viewChoice(pageWords.screen, pageWords.screens, look.screen, (screen) => this.#look({ screen }))}
        ${viewChoice(pageWords.layer, pageWords.layers, look.layer, (layer) => this.#look({ layer }))}
        ${viewChoice(editor.language, Object.fromEntries(tags.map((tag) => [tag, nameTag(tag)])), language, (tag) =>
          this.dispatchEvent(new CustomEvent('language', { detail: tag })),
        )}
        ${viewChoice(pageWords.appearance, { light: words.themeLight, dark: words.themeDark }, look.scheme, (scheme) => this.#look({ scheme }))}
        ${viewChoice(
          editor.region,
          { '': editor.unknownRegion, ...Object.fromEntries(regions.map((region) => [region, nameRegion(region)])) },
          look.region,
          (region) => this.#look({ region }),
        )}
        ${viewChoice(editor.signal, editor.signals, look.signal, (signal) => this.#look({ signal }))}
      </div>
      <div class="screen" data-screen=${look.screen}>
        <iframe src="/app/preview.html" title=${pageWords.preview} @load=${this.#preview}></iframe>
      </div>
      <p class="quiet">${pageWords.previewHint}</p>
      ${languages.includes(language) ? nothing : html`<p class="quiet">${editor.rightToLeftHint}</p>`}`;
  }

  #look(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
  }

  readonly #preview = (): void => {
    const { content, version, language, spoken, look, regions } = this;
    const frame = this.querySelector('iframe')?.contentWindow;
    if (!frame || spoken === null) return;
    const preview: Preview = {
      notice: presentNotice(content, version, language, spoken),
      scheme: look.scheme,
      layer: look.layer,
      region: regions.includes(look.region) ? look.region : null,
      hasSignal: look.signal === 'on',
    };
    frame.postMessage(preview, location.origin);
  };

  /** The preview opens and closes its own preferences. */
  readonly #follow = ({ origin, source, data }: MessageEvent): void => {
    if (origin !== location.origin || source !== this.querySelector('iframe')?.contentWindow) return;
    if (data === 'banner' || data === 'panel') this.#look({ layer: data });
  };
}

function viewChoice<Value extends string>(
  label: string,
  options: Readonly<Record<Value, string>>,
  chosen: Value,
  choose: (value: Value) => void,
): TemplateResult {
  return html`<label
    ><span>${label}</span
    ><select
      .value=${chosen}
      @change=${({ currentTarget }: Event) => choose((currentTarget as HTMLSelectElement).value as Value)}
    >
      ${Object.entries<string>(options).map(
        ([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`,
      )}
    </select></label
  >`;
}

customElements.define('svc-notice-preview', NoticePreview);
