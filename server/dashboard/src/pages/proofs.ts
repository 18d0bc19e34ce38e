import { html, nothing, type TemplateResult } from 'lit';
import type { VerifiedExport } from '../../../../packages/node-sdk/src/ledger/export.ts';
import type { Checkpoint, LatestVerification, LedgerName } from '../../../../packages/node-sdk/src/types/api.ts';
import { download, saveFile } from '../download.ts';
import { viewHinted } from '../element.ts';
import { formatCount, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewCopyable } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { fetchPublicKey, fetchRotations, isLedgerFault, loadVerifier } from '../prove.ts';
import { ledgers } from '../sdk.ts';
import { session } from '../session.ts';

/**
 * Evidence for auditors that nothing was changed: the public key, signed checkpoints, exports and their verification.
 */
export class ProofsPage extends PageElement {
  static override properties = {
    publicKey: { state: true },
    verification: { state: true },
    result: { state: true },
    verified: { state: true },
  };

  declare publicKey: string | null;
  /** Latest verification by the server; undefined until it is loaded, or if the role may not read it. */
  declare verification: LatestVerification | undefined;
  /** Result of verifying an export in this browser. */
  declare result: VerifiedExport | null;
  /** How many entries of the export were verified so far. */
  declare verified: number;

  readonly #lists = (['consent', 'audit'] as const)
    .filter((ledger) => session.allows(ledger === 'audit' ? 'listAuditCheckpoints' : 'listConsentCheckpoints'))
    .map((ledger) => ({ ledger, view: viewCheckpoints(ledger) }));

  constructor() {
    super();
    this.publicKey = null;
    this.result = null;
    this.verified = 0;
  }

  protected override async load(): Promise<void> {
    const mayRead = session.allows('getLedgerVerification');
    const [publicKey, verification] = await Promise.all([
      fetchPublicKey(),
      mayRead ? ledgers.retrieveVerification() : undefined,
    ]);
    this.publicKey = publicKey;
    this.verification = verification;
  }

  protected override render(): TemplateResult {
    return html`<h1>${pageWords.proofs}</h1>
      <p>${pageWords.proofsHint} <a href="/docs/guides/proofs/" target="_blank">${pageWords.readDocs}</a></p>
      ${isLedgerFault(this.error) ? nothing : this.viewOutcome()}
      ${this.verification === undefined ? nothing : viewLatest(this.verification)}
      <section>
        <h2>${pageWords.publicKey}</h2>
        <p>${pageWords.publicKeyHint}</p>
        ${this.publicKey === null ? this.viewWaiting() : viewCopyable(this.publicKey.trim())}
      </section>
      ${this.publicKey === null ? nothing : this.#lists.map(({ ledger, view }) => this.#viewLedger(ledger, view))}
      ${this.#viewVerification()}`;
  }

  #viewLedger(ledger: LedgerName, view: ListView<Checkpoint>): TemplateResult {
    return html`<h2>${pageWords.ledgers[ledger]}</h2>
      ${
        maySign(ledger)
          ? html`<div class="actions">
              <button ?disabled=${this.isBusy} @click=${() => this.#sign(ledger)}>${pageWords.signCheckpoint}</button>
              <button ?disabled=${this.isBusy} @click=${() => this.#export(ledger)}>${pageWords.export}</button>
            </div>`
          : nothing
      }
      <svc-list id=${ledger} .view=${view}></svc-list>`;
  }

  #viewVerification(): TemplateResult {
    return html`<section aria-live="polite">
      <h2>${pageWords.verifyExport}</h2>
      <p>${pageWords.verifyExportHint}</p>
      <form @submit=${this.#verify}>
        <label class="field"
          ><span>${pageWords.exportFile}</span><input name="file" type="file" accept=".jsonl,application/jsonl" required
        /></label>
        ${viewHinted(
          pageWords.keptCheckpoint,
          html`<textarea name="checkpoint" rows="5" aria-describedby="kept-hint"></textarea>`,
          html`<span class="quiet" id="kept-hint">${pageWords.keptCheckpointHint}</span>`,
        )}
        <div class="actions">
          <button class="primary" ?disabled=${this.isBusy}>${pageWords.verify}</button>
        </div>
      </form>
      ${this.isBusy && this.verified > 0 ? html`<p role="status">${formatCount(this.verified)}</p>` : nothing}
      ${
        isLedgerFault(this.error)
          ? html`<div class="error" role="alert">
              <p><strong>${pageWords.notProven}</strong> ${this.error.message}</p>
            </div>`
          : nothing
      }
      ${this.result === null ? nothing : viewResult(this.result)}
    </section>`;
  }

  #sign(ledger: LedgerName): void {
    void this.run(async () => {
      await ledgers[ledger].checkpoints.create();
      await this.querySelector<List<Checkpoint>>(`#${ledger}`)?.reload();
    });
  }

  /** An export is of what a checkpoint covers, so one is signed first. */
  #export(ledger: LedgerName): void {
    void this.run(async () => {
      await ledgers[ledger].checkpoints.create();
      await download(`/v1/ledgers/${ledger}/export`);
      await this.querySelector<List<Checkpoint>>(`#${ledger}`)?.reload();
    });
  }

  readonly #verify = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const file = form.get('file') as File;
    const checkpoint = String(form.get('checkpoint') ?? '');
    this.result = null;
    this.verified = 0;
    void this.run(async () => {
      const { verifyExport } = await loadVerifier();
      const rotations = await Promise.all(this.#lists.map(({ ledger }) => fetchRotations(ledger)));
      this.result = await verifyExport(readChunks(file), {
        publicKey: this.publicKey ?? (await fetchPublicKey()),
        rotations: rotations.flat(),
        // A form sends CR LF, which no note has.
        checkpoint: checkpoint.trim() === '' ? undefined : `${checkpoint.replaceAll('\r\n', '\n').trim()}\n`,
        onProgress: (entries) => {
          this.verified = entries;
        },
      });
    });
  };
}

/** Signing leaves an event in the log of the tenant: staff, who only read, do it just to prove an entry that none covers. */
function maySign(ledger: LedgerName): boolean {
  if (session.allows('listPortfolio')) return false;
  return session.allows(ledger === 'audit' ? 'createAuditCheckpoint' : 'createConsentCheckpoint');
}

/** Some browsers cannot iterate over a stream. */
async function* readChunks(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function viewCheckpoints(ledger: LedgerName): ListView<Checkpoint> {
  return {
    label: pageWords.ledgers[ledger],
    columns: [
      [pageWords.time, ({ at }) => viewTime(at)],
      [pageWords.entries, ({ size }) => formatCount(size)],
      [pageWords.rootHash, ({ rootHash }) => html`<code>${rootHash}</code>`],
      [
        pageWords.actions,
        ({ note, size }) =>
          html`<button @click=${() => saveFile(`checkpoint-${ledger}-${size}.txt`, note, 'text/plain')}>
            ${pageWords.save}
          </button>`,
      ],
    ],
    load: () => ledgers[ledger].checkpoints.list(),
    empty: { text: pageWords.noCheckpoints, docs: 'guides/proofs' },
  };
}

/** When the server verified the ledgers at last, and what it found. */
function viewLatest({ latest }: LatestVerification): TemplateResult {
  if (latest === null) return html`<p>${pageWords.neverVerified}</p>`;
  return html`<p>${pageWords.lastVerified} ${viewTime(latest.finishedAt)} ${viewStatus(latest.status)}</p>
    ${latest.fault === null ? nothing : html`<p class="error" role="status">${latest.fault}</p>`}`;
}

function viewResult({ entries, checkpoint, isConsistent, newer, clockFalls }: VerifiedExport): TemplateResult {
  return html`<div class="notice">
    <p><strong>${pageWords.proven}</strong> ${formatCount(entries)} ${pageWords.entriesAsSigned}</p>
    <p>${pageWords.checkpoint}: ${formatCount(checkpoint.size)} (${checkpoint.origin})</p>
    <p>${isConsistent ? pageWords.grownFromKept : pageWords.noKept}</p>
    ${newer === 0 ? nothing : html`<p>${pageWords.newerEntries} ${formatCount(newer)}</p>`}
    ${clockFalls === 0 ? nothing : html`<p>${pageWords.clockFalls} ${formatCount(clockFalls)}</p>`}
  </div>`;
}

customElements.define('svc-proofs', ProofsPage);
