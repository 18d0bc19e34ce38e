import { adoptStyles } from '../../adopt-styles.ts';
import { panelStyles } from '../../panel.styles.ts';
import { sharedStyles } from '../../shared.styles.ts';
import { switchStyles } from '../../switch.styles.ts';
import { createElement } from '../create-element.ts';
import { vendorsStyles } from './vendors.styles.ts';
import { type VendorsContent, writeLayer } from './vendors-layer.ts';

/** The name of the element that the vendors' layer is in. */
export const VENDORS_TAG = 'svc-consent-vendors';

// On a server there are no elements: the class can be named there, and does nothing.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** The vendors' layer: a modal dialog, empty while it is closed. It takes the banner's custom properties and parts. */
export class SvcConsentVendorsElement extends Base {
  #root: ShadowRoot | undefined;

  /** Shows the layer. `onClose` is called when it is closed, in whatever way. */
  show(content: VendorsContent, onClose: () => void): void {
    this.#root ??= this.attachShadow({ mode: 'open' });
    adoptStyles(this.#root, sharedStyles, panelStyles, switchStyles, vendorsStyles);
    const { lang, dir } = content.words;
    const dialog = createElement('dialog', {
      class: 'layer panel',
      part: 'panel',
      'aria-labelledby': 'title',
      lang,
      dir,
    });
    dialog.append(...writeLayer(content, () => dialog.close()));
    dialog.addEventListener('close', () => {
      dialog.remove();
      onClose();
    });
    this.#root.replaceChildren(createElement('div', { id: 'root' }, dialog));
    dialog.showModal();
  }
}
