import { html, nothing, type TemplateResult } from 'lit';
import type { InclusionProof } from '../../../packages/node-sdk/src/types/api.ts';
import { saveFile } from './download.ts';
import { TaskElement, viewError } from './element.ts';
import { formatCount, viewTime } from './format.ts';
import { pageWords } from './preferences.ts';
import { isLedgerFault } from './prove.ts';

/** A button that proves an entry in the browser, and what the proof shows. */
export class ProofView extends TaskElement {
  static override properties = { prove: { attribute: false }, proof: { state: true } };

  /** Fetches and verifies the proof. */
  declare prove: () => Promise<InclusionProof>;
  declare proof: InclusionProof | null;

  constructor() {
    super();
    this.proof = null;
  }

  protected override render(): TemplateResult {
    return html`<section aria-live="polite">
      <h2>${pageWords.proof}</h2>
      <p>${pageWords.proofHint}</p>
      ${
        isLedgerFault(this.error)
          ? html`<div class="error"><p><strong>${pageWords.notProven}</strong> ${this.error.message}</p></div>`
          : viewError(this.error)
      }
      ${this.proof === null ? nothing : viewProof(this.proof)}
      <div class="actions">
        <button ?disabled=${this.isBusy} @click=${this.#run}>${pageWords.prove}</button>
        ${this.proof === null ? nothing : html`<button @click=${this.#save}>${pageWords.saveProof}</button>`}
      </div>
    </section>`;
  }

  readonly #run = (): void => {
    this.proof = null;
    void this.run(async () => {
      this.proof = await this.prove();
    });
  };

  readonly #save = (): void => {
    const proof = this.proof as InclusionProof;
    saveFile(`proof-${proof.checkpoint.ledger}-${proof.sequence}.json`, JSON.stringify(proof, null, 2));
  };
}

function viewProof({ sequence, checkpoint, shown }: InclusionProof): TemplateResult {
  return html`<div class="notice">
    <p>
      <strong>${pageWords.proven}</strong> ${pageWords.entry} ${formatCount(sequence)} ${pageWords.coveredBy}
      ${formatCount(checkpoint.size)} (${viewTime(checkpoint.at)}). ${shown === null ? nothing : pageWords.shown.covered}
    </p>
    <details>
      <summary>${pageWords.checkpoint}</summary>
      <pre tabindex="0" aria-label=${pageWords.checkpoint}>${checkpoint.note}</pre>
    </details>
  </div>`;
}

customElements.define('svc-proof', ProofView);
