import { html, nothing, type TemplateResult } from 'lit';
import { call, transport } from '../api.ts';
import type { SystemStatus, VerificationRun } from '../api-types.ts';
import { formatCount, formatSize, nameValue, viewStatus, viewTable, viewTerm, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement } from '../page-element.ts';
import { Polling } from '../polling.ts';
import { pageWords } from '../preferences.ts';
import { session } from '../session.ts';

/** The state of the server, for its administrator. */
export class SystemPage extends PageElement {
  static override properties = { status: { state: true }, latest: { state: true } };

  declare status: SystemStatus | null;
  /** The latest verification; null before the first one. */
  declare latest: VerificationRun | null;
  /** The verifications that were loaded with the page, for the list. */
  #loaded: ReturnType<typeof listRuns> | null = null;
  readonly #runs = viewRuns(() => {
    const loaded = this.#loaded ?? listRuns();
    this.#loaded = null;
    return loaded;
  });
  readonly #polling = new Polling(this, () => this.#look());

  constructor() {
    super();
    this.status = null;
    this.latest = null;
  }

  protected override async load(): Promise<void> {
    const loaded = listRuns();
    const [status, { items }] = await Promise.all([call('getSystem', 'GET', '/v1/system'), loaded]);
    this.status = status;
    this.latest = items[0] ?? null;
    this.#loaded = loaded;
    void this.querySelector<List<VerificationRun>>('svc-list')?.reload();
  }

  /** Shows how far a verification is. */
  #follow(run: VerificationRun | null): void {
    const hasChanged = this.latest?.id !== run?.id || this.latest?.status !== run?.status;
    this.latest = run;
    if (hasChanged) void this.querySelector<List<VerificationRun>>('svc-list')?.reload();
  }

  /** An outage of the server ends nothing: the next look may reach it. */
  async #look(): Promise<void> {
    if (this.latest?.status === 'running') this.#follow(await readLatest().catch(() => this.latest));
  }

  readonly #verify = (): void => {
    void this.run(async () => this.#follow(await call('startVerification', 'POST', '/v1/system/verifications')));
  };

  protected override render(): TemplateResult {
    const { status } = this;
    if (status === null) return this.viewPending(pageWords.system.title);
    const { database, disk, deliveries } = status;
    const isLow = disk.freeBytes < Math.max(disk.totalBytes * 0.1, database.bytes);
    return html`<div class="heading">
        <h1>${pageWords.system.title}</h1>
        <button @click=${this.reload}>${pageWords.refresh}</button>
      </div>
      <p class="quiet">
        <a href="/docs/hosting/administration/" target="_blank">${pageWords.readDocs}</a>
      </p>
      ${this.viewOutcome()}
      ${isLow ? html`<p class="error" role="status">${pageWords.system.diskLow}</p>` : nothing}
      <dl>
        ${viewTerm(pageWords.version, status.version)} ${viewTerm(pageWords.system.schema, status.schemaVersion)}
        ${viewTerm('Node.js', status.nodeVersion)} ${viewTerm(pageWords.system.started, viewTime(status.startedAt))}
        ${viewTerm(pageWords.system.database, `${nameValue(database.kind)}, ${formatSize(database.bytes)}`)}
        ${
          database.searchedBytes === null
            ? nothing
            : viewTerm(
                pageWords.system.remains,
                `${formatSize(database.searchedBytes)} / ${formatSize(database.bytes)}`,
              )
        }
        ${viewTerm(pageWords.system.disk, `${formatSize(disk.freeBytes)} / ${formatSize(disk.totalBytes)}`)}
        ${viewTerm(pageWords.tenants, formatCount(status.tenants))}
        ${viewTerm(pageWords.records, formatCount(status.records))}
        ${viewTerm(pageWords.system.auditEvents, formatCount(status.auditEvents))}
        ${viewTerm(pageWords.system.pending, formatCount(deliveries.pending))}
        ${viewTerm(pageWords.system.oldestPending, viewTime(deliveries.oldestPendingAt))}
        ${viewTerm(pageWords.system.dead, formatCount(deliveries.dead))}
      </dl>
      ${viewBackups(status.backups)} ${viewLog(status.log)} ${viewTransfers(status.transfers)} ${this.#viewVerification()}`;
  }

  #viewVerification(): TemplateResult {
    const { latest } = this;
    const isRunning = latest?.status === 'running';
    return html`<section>
      <h2>${pageWords.system.verification}</h2>
      <p>${pageWords.system.verificationHint}</p>
      ${
        session.allows('startVerification')
          ? html`<div class="actions">
              <button ?disabled=${this.isBusy || isRunning} @click=${this.#verify}>${pageWords.system.verifyNow}</button>
            </div>`
          : nothing
      }
      <p role="status">${isRunning ? viewProgress(latest) : nothing}</p>
      ${isRunning ? this.#polling.view() : nothing}
      <svc-list .view=${this.#runs}></svc-list>
    </section>`;
  }
}

/** The latest backup, copy of erasures.log and rehearsal of a restore. */
function viewBackups({ target, isEncrypted, tasks }: SystemStatus['backups']): TemplateResult {
  const words = pageWords.system;
  const kind = isEncrypted ? words.backupEncrypted : words.backupClear;
  return html`<section>
    <h2>${words.backups}</h2>
    ${
      target === null
        ? html`<p>${words.noBackups}</p>`
        : html`<dl>${viewTerm(words.backupTarget, html`<code>${target}</code>, ${kind}`)}</dl>`
    }
    ${target !== null && tasks.length === 0 ? html`<p>${words.noBackupYet}</p>` : nothing}
    ${
      tasks.length === 0
        ? nothing
        : viewTable(
            words.backups,
            [pageWords.kind, pageWords.status, words.lastSuccess, words.backupSize, words.latestFault],
            tasks.map(
              ({ task, status, completedAt, bytes, fault }) => html`<tr>
                <td>${words[task]}</td>
                <td>${viewStatus(status)}</td>
                <td>${viewTime(completedAt)}</td>
                <td>${bytes === null ? '–' : formatSize(bytes)}</td>
                <td>${fault === null ? '–' : html`<span lang="en">${fault}</span>`}</td>
              </tr>`,
            ),
          )
    }
  </section>`;
}

/** The log of the installation, with the latest confirmations of its authority and witnesses. */
function viewLog({ size, at, sources }: SystemStatus['log']): TemplateResult {
  const words = pageWords.system;
  return html`<section>
    <h2>${words.outside}</h2>
    <p>${words.outsideHint}</p>
    <dl>
      ${viewTerm(words.logSize, formatCount(size))} ${viewTerm(words.newestState, viewTime(at))}
    </dl>
    ${sources.length === 0 ? html`<p>${words.outsideNone}</p>` : nothing}
    ${sources.map(
      ({ kind, name, latestAt, isCurrent, fault }) => html`<h3>${words[kind]}: ${name}</h3>
        <dl>
          ${viewTerm(words.newestState, isCurrent ? words.confirmed : words.missing)}
          ${viewTerm(words.latestStatement, viewTime(latestAt))}
          ${fault === null ? nothing : viewTerm(words.latestFault, html`<span lang="en">${fault}</span>`)}
        </dl>`,
    )}
  </section>`;
}

/** A count that may be unknown. */
function viewCount(count: number | null): string {
  return count === null ? '–' : formatCount(count);
}

/** The history of `svc move` and `svc import`. */
function viewTransfers(transfers: SystemStatus['transfers']): TemplateResult {
  const words = pageWords.system;
  return html`<section>
    <h2>${words.transfers}</h2>
    ${
      transfers.length === 0
        ? html`<p>${words.noTransfers}</p>`
        : viewTable(
            words.transfers,
            [pageWords.kind, pageWords.time, pageWords.status, words.transferSource, words.transferRows],
            transfers.map(
              ({ kind, at, status, source, rowCount, totalCount }) => html`<tr>
                <td>${nameValue(kind)}</td>
                <td>${viewTime(at)}</td>
                <td>${viewStatus(status)}</td>
                <td><code>${source}</code></td>
                <td>${[rowCount, ...(status === 'incomplete' ? [totalCount] : [])].map(viewCount).join(' / ')}</td>
              </tr>`,
            ),
          )
    }
  </section>`;
}

/** How many tenants are verified of all; nothing before they are counted. */
function viewProgress({ verifiedTenants, tenants }: VerificationRun): string {
  const counts = `${formatCount(verifiedTenants)} / ${formatCount(tenants)}`;
  return tenants === 0 ? nameValue('running') : `${pageWords.system.verifiedTenants}: ${counts}`;
}

const listing = { id: 'listVerifications', method: 'GET', path: '/v1/system/verifications', page: 'items' } as const;

async function readLatest(): Promise<VerificationRun | null> {
  const { items } = await transport.list<VerificationRun>({ ...listing, query: { limit: 1 } });
  return items[0] ?? null;
}

const listRuns = () => transport.list<VerificationRun>({ ...listing, query: { limit: 10 } });

const viewRuns = (load: ListView<VerificationRun>['load']): ListView<VerificationRun> => ({
  label: pageWords.system.verification,
  columns: [
    [pageWords.system.started, ({ startedAt }) => viewTime(startedAt)],
    [pageWords.status, ({ status }) => viewStatus(status)],
    [pageWords.system.verifiedTenants, ({ verifiedTenants }) => formatCount(verifiedTenants)],
    [pageWords.entries, ({ entries }) => formatCount(entries)],
    [pageWords.system.checkedRows, ({ checkedRows }) => formatCount(checkedRows)],
    [pageWords.system.findings, ({ findings }) => formatCount(findings)],
    [pageWords.system.finding, ({ fault }) => fault ?? '–'],
  ],
  load,
  empty: { text: pageWords.system.noVerifications, docs: 'guides/proofs' },
});

customElements.define('svc-system', SystemPage);
