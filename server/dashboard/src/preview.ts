import type { Notice } from '../../../packages/consent-banner/src/notice/notice.ts';
import { type ConsentPreview, mountPreview } from '../../../packages/consent-banner/src/preview.ts';
import type { PublicNotice } from '../../../packages/node-sdk/src/types/api.ts';

export type Layer = 'banner' | 'panel';

/** Message of the editor to the page of the preview. */
export interface Preview {
  readonly notice: PublicNotice;
  /** The colour scheme of the page around the banner. */
  readonly scheme: 'light' | 'dark';
  readonly layer: Layer;
  /** That of the visitor; null for unknown. */
  readonly region: string | null;
  /** True if the visitor's browser sends Global Privacy Control. */
  readonly hasSignal: boolean;
}

const host = document.querySelector('svc-consent') as HTMLElement;
let shown: ConsentPreview | null = null;

addEventListener('message', ({ origin, source, data }) => {
  // Extensions send messages of their own.
  if (origin === location.origin && source === parent && Object(data).notice) show(data as Preview);
});

function show({ notice, scheme, layer, region, hasSignal }: Preview): void {
  document.documentElement.dataset.theme = scheme;
  const options = {
    isOpen: layer === 'panel',
    region,
    hasSignal,
    // The editor follows, and sends the preview back with that layer.
    onLayer: (next: string) => parent.postMessage(next === 'panel' ? 'panel' : 'banner', location.origin),
  };
  keepFocus(() => {
    if (shown === null) shown = mountPreview(host, notice as unknown as Notice, options);
    else shown.show(notice as unknown as Notice, options);
  });
}

/** A dialog takes the focus, which belongs to the control of the editor that opened it. */
function keepFocus(step: () => void): void {
  const focused = parent.document.activeElement as HTMLElement | null;
  step();
  if (focused?.tagName !== 'IFRAME') focused?.focus();
}
