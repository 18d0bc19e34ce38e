import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { TrustCenter } from '../../../packages/node-sdk/src/types/api.ts';
import { PageElement } from './page-element.ts';
import { pageWords } from './preferences.ts';

/** A page about the trust center, with links to the others. */
export abstract class TrustPage extends PageElement {
  static override properties: PropertyDeclarations = { stored: { state: true } };

  /** The trust center as the server has it; null until it is loaded. */
  declare stored: TrustCenter | null;

  constructor() {
    super();
    this.stored = null;
  }

  /** Draws the page below its heading. */
  protected abstract viewTrust(stored: TrustCenter): TemplateResult;

  protected override render(): TemplateResult {
    const { stored } = this;
    if (stored === null) return this.viewPending(pageWords.trust);
    const links = [
      ['/app/trust', pageWords.edit],
      ['/app/trust/badge', pageWords.badge],
    ] as const;
    return html`<h1>${pageWords.trust}</h1>
      <nav aria-label=${pageWords.trust}>
        <ul class="tabs">
          ${links.map(
            ([address, title]) =>
              html`<li><a href=${address} aria-current=${location.pathname === address ? 'page' : nothing}>${title}</a></li>`,
          )}
          ${stored.published ? html`<li><a href="/trust/${stored.slug}" target="_blank">${pageWords.publicPage}</a></li>` : nothing}
        </ul>
      </nav>
      ${this.viewTrust(stored)} ${this.viewDialogs()}`;
  }
}
