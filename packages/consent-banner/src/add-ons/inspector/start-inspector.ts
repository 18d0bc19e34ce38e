import type { InspectionOptions } from './inspection.ts';
import { InspectorPanel } from './inspector-panel.ts';

export interface InspectorOptions extends InspectionOptions {
  /** Opens the panel for everybody who sees the page, whatever its address says. Never set it on a page for visitors. */
  readonly isOpen?: boolean | undefined;
}

const FRAGMENT = '#svc-inspect';

/**
 * Opens the panel when the address of the page ends in `#svc-inspect`, now or later, or the option says so. Otherwise, and on
 * a server, it does nothing.
 * @returns the way to close it, and to listen no more.
 */
export function startInspector({ isOpen = false, ...options }: InspectorOptions = {}): () => void {
  if (!globalThis.document) return () => {};
  let panel: InspectorPanel | undefined;
  const open = (isWanted: boolean): void => {
    if (isWanted) panel = InspectorPanel.open(options) ?? panel;
  };
  const follow = (): void => open(location.hash === FRAGMENT);
  addEventListener('hashchange', follow);
  open(isOpen || location.hash === FRAGMENT);
  return () => {
    removeEventListener('hashchange', follow);
    panel?.close();
  };
}
