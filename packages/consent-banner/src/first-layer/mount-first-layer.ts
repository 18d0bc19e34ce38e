import { CORNER } from '../page/attributes.ts';
import { query } from '../page/browser.ts';
import type { ConsentPage } from '../page/consent-page.ts';
import { adoptStyles } from './adopt-styles.ts';
import { create } from './create.ts';
import { createBanner } from './create-banner.ts';
import { createTrigger } from './create-trigger.ts';
import { firstLayerStyles } from './first-layer.styles.ts';
import { sharedStyles } from './shared.styles.ts';
import { applyTheme, readTheme } from './theme.ts';

/** Shows the first layer, the floating button, and a message if the panel cannot be loaded, in the element of a page. */
export function mountFirstLayer(page: ConsentPage): void {
  /** What is shown, with what it was made of: it is made again if that changes. */
  const parts = new Map<string, readonly [element: HTMLElement, ...sources: unknown[]]>();
  let box: HTMLElement | undefined;

  function show(name: string, sources: readonly unknown[] | null, make: () => HTMLElement): void {
    const [shown, ...before] = parts.get(name) ?? [];
    if (shown && sources?.every((one, at) => one === before[at])) return;
    const element = sources && make();
    shown?.remove();
    parts.delete(name);
    if (!element) return;
    parts.set(name, [element, ...sources]);
    box?.append(element);
  }

  page.subscribe(() => {
    const { view } = page;
    const { root, notice, layer } = view;
    // Another element shows from now on, or none.
    if (box && box.parentNode !== root) {
      box.remove();
      parts.clear();
      box = undefined;
    }
    if (!root) return;
    const isAsked = view.isAsking && !!notice && !view.isRecalled;
    const isMissing = view.isOpening && view.isFailed;
    const corner = view.element?.getAttribute('trigger') ?? '';
    const place = !view.isAsking && notice?.texts.trigger && CORNER.test(corner) ? corner : '';
    // A visitor who has decided needs none of this.
    if (!box && !notice && !isMissing) return;
    if (!box) {
      adoptStyles(root, sharedStyles + firstLayerStyles);
      box = create('div', { id: 'root' });
      root.append(box);
      // Shortcuts of the page take the element for no form control, and would swallow the keys of our buttons.
      box.onkeydown = box.onkeypress = box.onkeyup = (event) => event.stopPropagation();
    }
    applyTheme(box, view);
    const sources = isAsked || isMissing ? [notice, isAsked, isMissing] : null;
    show('banner', sources, () => createBanner(page, isMissing, isAsked));
    show('trigger', place ? [notice] : null, () => createTrigger(page));
    for (const [element] of parts.values()) {
      element.dataset.place = place;
      element.dataset.layout = readTheme(view, 'layout');
      element.dataset.position = readTheme(view, 'position');
      element.classList.toggle('covered', layer === 'panel');
      // Beside a modal dialog of the page it would be drawn above that, but inert.
      element.togglePopover(layer === 'panel' || !query(':modal:not(:has(svc-consent))'));
    }
  });
}
