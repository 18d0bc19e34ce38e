import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { Checkpoint, ControlFramework, TrustCenter } from '../../../packages/node-sdk/src/types/api.ts';
import { achievementsOf } from '../../site/trust/achievements.ts';
import { DashboardElement } from './element.ts';
import { pageWords } from './preferences.ts';
import { ledgers } from './sdk.ts';
import { session } from './session.ts';
import { type Draft, writeInput } from './trust-draft.ts';
import type { TrustPreview } from './trust-preview.ts';

/** The public page of a trust center, as visitors will see a draft of it. */
export class TrustPreviewFrame extends DashboardElement {
  static override properties = {
    stored: { attribute: false },
    draft: { attribute: false },
    frameworks: { attribute: false },
    screen: { state: true },
  };

  declare stored: TrustCenter;
  declare draft: Draft;
  /** Those of the catalogue. */
  declare frameworks: readonly ControlFramework[];
  declare screen: keyof typeof pageWords.screens;
  /** The newest: only a draft with a proof requests it. */
  #checkpoint: Checkpoint | null | undefined;

  constructor() {
    super();
    this.screen = matchMedia('(max-width: 40rem)').matches ? 'phone' : 'desktop';
  }

  protected override updated(_changed: PropertyValues<this>): void {
    this.#preview();
  }

  protected override render(): TemplateResult {
    return html`<h2>${pageWords.preview}</h2>
      <div class="filters">
        <label
          ><span>${pageWords.screen}</span
          ><select @change=${this.#choose}>
            ${Object.entries(pageWords.screens).map(([value, text]) => html`<option value=${value} ?selected=${value === this.screen}>${text}</option>`)}
          </select></label
        >
      </div>
      <div class="screen" data-screen=${this.screen}>
        <iframe src="/app/trust-preview.html" title=${pageWords.preview} @load=${this.#preview}></iframe>
      </div>
      <p class="quiet">${pageWords.trustPreviewHint}</p>`;
  }

  readonly #choose = (event: Event): void => {
    this.screen = (event.currentTarget as HTMLSelectElement).value as TrustPreviewFrame['screen'];
  };

  /** If it fails, the next change of the draft tries again. */
  async #loadCheckpoint(): Promise<void> {
    this.#checkpoint = null;
    if (!session.allows('listAuditCheckpoints')) return;
    try {
      this.#checkpoint = (await ledgers.audit.checkpoints.list({ limit: 1 })).items[0] ?? null;
      this.#preview();
    } catch {
      this.#checkpoint = undefined;
    }
  }

  readonly #preview = (): void => {
    const { stored, draft } = this;
    const now = new Date().toISOString();
    const whole = writeInput(draft);
    // A row that was just added has nothing to show.
    const content = {
      ...whole,
      frameworks: whole.frameworks.filter(({ achievedAt }) => achievedAt !== ''),
      links: whole.links.filter(({ label }) => label !== ''),
      subprocessors: whole.subprocessors
        .filter(({ name }) => name !== '')
        .map((row) => {
          const known = stored.subprocessors.find(({ name, since }) => name === row.name && since === row.since);
          const announcedAt = known?.announcedAt ?? now;
          return { ...row, announcedAt, endAnnouncedAt: known?.endAnnouncedAt ?? now, changedAt: announcedAt };
        }),
    };
    if (draft.showsProof && this.#checkpoint === undefined) void this.#loadCheckpoint();
    const proof = draft.showsProof ? (this.#checkpoint ?? null) : null;
    const { slug, name } = stored;
    const preview: TrustPreview = {
      center: { id: slug, slug, name, content, proof, publishedAt: stored.publishedAt ?? now, updatedAt: now },
      achievements: achievementsOf(this.frameworks, content.frameworks, now),
    };
    this.querySelector('iframe')?.contentWindow?.postMessage(preview, location.origin);
  };
}

customElements.define('svc-trust-preview', TrustPreviewFrame);
