import { html, type TemplateResult } from 'lit';
import { TaskElement, viewError } from './element.ts';
import { words } from './preferences.ts';
import { session } from './session.ts';

/**
 * The page behind the link that a server prints when it is started on this machine: `/app/start#token`. It signs in by a
 * POST, so that no preview of the link uses it up.
 */
export class StartPage extends TaskElement {
  override connectedCallback(): void {
    super.connectedCallback();
    document.title = `${words.signIn} · Svc`;
    const token = location.hash.slice(1);
    void this.run(async () => {
      await session.start(token);
      history.replaceState(null, '', '/app/');
      await session.load();
    });
  }

  protected override render(): TemplateResult {
    if (this.error === null)
      return html`<h1>${words.signInTitle}</h1>
        <p role="status">${words.loading}</p>`;
    return html`<h1>${words.signInTitle}</h1>
      ${viewError(this.error)}
      <p><a href="/app/">${words.signIn}</a></p>`;
  }
}

customElements.define('svc-start', StartPage);
