import { adoptDeferredStyles, completeBanner } from './first-layer/complete-banner.ts';
import { mountFirstLayer } from './first-layer/first-layer.ts';
import type { Notice } from './notice/notice.ts';
import { showOptOutButton } from './optional-elements/opt-out-button.ts';
import type { ConsentPage, Layer, PageView } from './page/consent-page.ts';
import {
  type Change,
  close,
  emptyState,
  join,
  load,
  open,
  type PageState,
  prepare,
  reduce,
} from './page/page-state.ts';
import { details } from './panel/details.ts';
import { mountPanel } from './panel/panel.ts';

export interface PreviewOptions {
  /** True if the panel is open. */
  readonly isOpen?: boolean;
  /** ISO 3166; null, the default, for a visitor of unknown region. */
  readonly region?: string | null;
  /** True if the visitor's browser sends Global Privacy Control. */
  readonly hasSignal?: boolean;
  /** Called when the visitor opens or closes the panel. */
  readonly onLayer?: (layer: Layer) => void;
}

/**
 * Shows a notice as a visitor who has not decided sees it, for editors of notices: the banner's own views, with actions that
 * store and send nothing.
 * @param host element that shows them; its attributes are those of `<svc-consent>`.
 */
export function mountPreview(host: HTMLElement, notice: Notice, options: PreviewOptions = {}): ConsentPreview {
  return new ConsentPreview(host, notice, options);
}

export class ConsentPreview implements ConsentPage {
  readonly #host: HTMLElement;
  readonly #listeners = new Set<() => void>();
  #state: PageState = emptyState;
  #options: PreviewOptions = {};

  constructor(host: HTMLElement, notice: Notice, options: PreviewOptions) {
    this.#host = host;
    if (!host.shadowRoot) host.attachShadow({ mode: 'open' });
    mountFirstLayer(this);
    completeBanner(this);
    adoptDeferredStyles(this);
    mountPanel(this, async () => details);
    showOptOutButton(this);
    this.show(notice, options);
  }

  get view(): PageView {
    return this.#state;
  }

  /** Shows another notice, or the same to another visitor. */
  show(notice: Notice, options: PreviewOptions): void {
    const { isOpen = false, region = null, hasSignal = false } = options;
    this.#options = options;
    const root = this.#host.shadowRoot ?? undefined;
    const place = { element: this.#host, root, noticeId: notice.id, address: '' };
    this.#change(join({ ...place, region, hasSignal, isDue: true }), load(notice, region), ...(isOpen ? [open] : []));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    listener();
    return () => this.#listeners.delete(listener);
  }

  async loadNotice(): Promise<Notice | null> {
    return this.view.notice;
  }

  decide(): void {}
  showOnce(): void {}
  expectPanel(): void {}

  open(switchedOn: readonly string[] = []): void {
    this.#change(prepare(switchedOn), open);
    this.#options.onLayer?.(this.view.layer);
  }

  close(): void {
    if (this.view.layer !== 'panel') return;
    this.#change(close);
    this.#options.onLayer?.(this.view.layer);
  }

  #change(...changes: readonly Change[]): void {
    this.#state = changes.reduce(reduce, this.#state);
    for (const listener of this.#listeners) listener();
  }
}
