import { html, render } from 'lit';
import { adoptStyles } from '../../../packages/consent-banner/src/adopt-styles.ts';
import { bannerStyles } from '../../../packages/consent-banner/src/banner.styles.ts';
import { bannerView } from '../../../packages/consent-banner/src/banner-view.ts';
import { readDirection } from '../../../packages/consent-banner/src/languages.ts';
import type { SpokenWords } from '../../../packages/consent-banner/src/load-words.ts';
import { mountPanel } from '../../../packages/consent-banner/src/mount-panel.ts';
import { sharedStyles } from '../../../packages/consent-banner/src/shared.styles.ts';
import type { PublicNotice } from '../../../packages/node-sdk/src/types/api.ts';

export type Layer = 'banner' | 'panel';

/** What the editor sends to the page of the preview. */
export interface Preview {
  readonly notice: PublicNotice;
  /** The colour scheme of the page around the banner. */
  readonly scheme: 'light' | 'dark';
  readonly layer: Layer;
  /** That of the visitor; null for unknown. */
  readonly region: string | null;
  /** Whether the visitor's browser sends Global Privacy Control. */
  readonly hasSignal: boolean;
}

// The views that visitors see, with actions that store and send nothing.
const { styles, panelView } = mountPanel();
const host = document.querySelector('svc-consent') as HTMLElement;
const root = host.attachShadow({ mode: 'open' });
adoptStyles(root, sharedStyles, bannerStyles, styles);

let latest: Preview | null = null;

addEventListener('message', ({ origin, source, data }) => {
  // Extensions send messages of their own.
  if (origin === location.origin && source === parent && Object(data).notice) show(data as Preview);
});

function show(preview: Preview): void {
  latest = preview;
  const { notice, scheme, layer, hasSignal } = preview;
  const { language, texts, theme } = notice;
  const words = { ...texts, lang: language, dir: readDirection(language) } as unknown as SpokenWords;
  const ignore = () => undefined;
  const open = (next: Layer) => {
    // The editor follows, and sends the preview back with that layer.
    if (latest?.layer !== next) parent.postMessage(next, location.origin);
  };
  const close = () => open('banner');
  host.setAttribute('theme', theme?.scheme === 'light' || theme?.scheme === 'dark' ? theme.scheme : scheme);
  document.documentElement.dataset.theme = scheme;
  const panel = { noticeId: notice.id, notice, words, granted: {}, stored: null, hasPrivacySignal: hasSignal };
  render(
    html`<div id="root">
      ${panelView(words, layer === 'panel' ? panel : null, {
        acceptAll: ignore,
        rejectAll: ignore,
        save: ignore,
        close,
        followDialog: () => root.querySelector('dialog')?.open || close(),
      })}
      ${bannerView(
        { words, changedSince: null },
        { acceptAll: ignore, rejectAll: ignore, showPanel: () => open('panel'), expectPanel: ignore },
      )}
    </div>`,
    root,
  );
  const banner = root.querySelector('.banner') as HTMLElement;
  if (!banner.matches(':popover-open')) banner.showPopover();
  const dialog = root.querySelector('dialog') as HTMLDialogElement;
  if (layer === 'banner') dialog.close();
  else if (!dialog.open) openQuietly(dialog);
}

/** A dialog takes the focus, which belongs to the control of the editor that opened it. */
function openQuietly(dialog: HTMLDialogElement): void {
  const focused = parent.document.activeElement as HTMLElement | null;
  dialog.showModal();
  if (focused?.tagName !== 'IFRAME') focused?.focus();
}
