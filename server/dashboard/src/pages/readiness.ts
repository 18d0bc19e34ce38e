import { html, nothing, type TemplateResult } from 'lit';
import type {
  ControlFramework,
  Readiness,
  ReadinessGroup,
  TestHealth,
} from '../../../../packages/node-sdk/src/types/api.ts';
import { viewShares, viewSwatch } from '../chart.ts';
import { saveCsv } from '../download.ts';
import { formatCount, formatPercent, viewControlLink, viewStatus, viewTable, viewTerm, viewTime } from '../format.ts';
import { PageElement, viewEmpty } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { controls } from '../sdk.ts';
import { session } from '../session.ts';

/** How far a tenant is, per framework and domain, and what is due. */
export class ReadinessPage extends PageElement {
  static override properties = {
    readiness: { state: true },
    health: { state: true },
    frameworks: { state: true },
  };

  declare readiness: Readiness | null;
  /** Null until it is loaded, which is after the readiness. */
  declare health: TestHealth | null;
  /** Of the catalogue. */
  declare frameworks: readonly ControlFramework[];

  constructor() {
    super();
    this.readiness = null;
    this.health = null;
    this.frameworks = [];
  }

  protected override async load(): Promise<void> {
    const [readiness, { items }] = await Promise.all([controls.retrieveReadiness(), controls.frameworks.list()]);
    this.frameworks = items;
    this.readiness = readiness;
    await this.updateComplete;
    this.health = await controls.retrieveTestHealth();
  }

  protected override render(): TemplateResult {
    const { readiness, health } = this;
    if (readiness === null) return this.viewPending(pageWords.readiness);
    const isEmpty = readiness.totalControls === 0 && Object.keys(readiness.frameworkReadiness).length === 0;
    return html`<div class="heading">
        <h1>${pageWords.readiness}</h1>
        ${
          session.allows('adoptFrameworks')
            ? html`<button class=${isEmpty ? 'primary' : ''} @click=${() => this.#adopt(readiness)}>
                ${pageWords.control.adopt}
              </button>`
            : nothing
        }
      </div>
      ${this.viewOutcome()}
      ${isEmpty ? viewEmpty({ text: pageWords.control.none, docs: 'guides/controls' }) : this.#viewReadiness(readiness, health)}
      ${this.viewDialogs()}`;
  }

  #viewReadiness(readiness: Readiness, health: TestHealth | null): TemplateResult {
    const { score, totalControls, acceptedControls, openEvidenceRequests, overdueEvidenceRequests } = readiness;
    return html`<dl>
        ${viewTerm(pageWords.control.score, html`<strong>${formatPercent(score)}</strong>`)}
        ${viewTerm(pageWords.control.accepted, `${formatCount(acceptedControls)} / ${formatCount(totalControls)}`)}
        ${viewTerm(pageWords.control.openRequests, formatCount(openEvidenceRequests))}
        ${viewTerm(pageWords.control.overdueRequests, formatCount(overdueEvidenceRequests))}
        ${viewTerm(pageWords.control.failing, health === null ? '–' : formatCount(health.summary.failing))}
      </dl>
      <p class="quiet">${pageWords.control.scoreHint}</p>
      <div class="actions"><button @click=${() => this.#save(readiness)}>${pageWords.control.saveCsv}</button></div>
      ${viewGroups(pageWords.control.byFramework, 'framework', this.#nameFrameworks(readiness))}
      ${viewGroups(pageWords.control.byDomain, 'domain', listDomains(readiness))}
      ${health === null ? this.viewWaiting() : [viewDueTests(health), viewStale(health)]}`;
  }

  #adopt({ frameworkReadiness }: Readiness): void {
    this.formDialog = {
      title: pageWords.control.adopt,
      button: pageWords.save,
      fields: () => html`<p>${pageWords.control.adoptHint}</p>
        ${this.frameworks.map((framework) => viewFramework(framework, Object.hasOwn(frameworkReadiness, framework.code)))}`,
      send: async (_, form) => {
        const frameworks = new FormData(form).getAll('frameworks') as string[];
        await controls.frameworks.adopt({ frameworks });
        await this.loadAgain();
        this.notice = pageWords.saved;
      },
    };
  }

  #nameFrameworks({ frameworkReadiness }: Readiness): readonly Group[] {
    return Object.entries(frameworkReadiness).map(([code, group]) => {
      return { key: code, name: this.frameworks.find((one) => one.code === code)?.name ?? code, ...group };
    });
  }

  #save(readiness: Readiness): void {
    const { control } = pageWords;
    const rows = [
      ...this.#nameFrameworks(readiness).map((group) => [control.framework, group] as const),
      ...listDomains(readiness).map((group) => [control.domain, group] as const),
    ].map(([kind, { name, score, accepted, submitted, open, overdue, total }]) => {
      return [kind, name, score, accepted, submitted, open, overdue, total];
    });
    saveCsv('readiness.csv', [
      [
        pageWords.kind,
        pageWords.name,
        control.score,
        control.accepted,
        control.submitted,
        control.openRequests,
        control.overdueRequests,
        control.total,
      ],
      ...rows,
    ]);
  }
}

function viewFramework(framework: ControlFramework, isAdopted: boolean): TemplateResult {
  const { code, name, jurisdiction, description, scopeSummary } = framework;
  return html`<label class="check"
      ><input type="checkbox" name="frameworks" value=${code} .checked=${isAdopted} /><strong>${name}</strong>
      ${jurisdiction === null ? nothing : html`<span class="quiet">${jurisdiction}</span>`}</label
    >
    <p class="quiet">${description} ${scopeSummary}</p>`;
}

/** A bar: a framework or a domain. */
interface Group extends ReadinessGroup {
  /** Value for the filter of the list. */
  readonly key: string;
  readonly name: string;
}

function listDomains({ domainReadiness }: Readiness): readonly Group[] {
  return Object.entries(domainReadiness)
    .map(([name, group]) => ({ key: name, name, ...group }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** A table whose first figure is also a bar. */
function viewGroups(title: string, filter: 'framework' | 'domain', groups: readonly Group[]): TemplateResult {
  const { control } = pageWords;
  const columns = [
    control[filter],
    control.score,
    html`${control.accepted} ${viewSwatch('accepted')}`,
    html`${control.submitted} ${viewSwatch('submitted')}`,
    control.openRequests,
    control.overdueRequests,
    control.total,
  ];
  const rows = groups.map(
    (group) =>
      html`<tr>
        <td><a href="/app/controls?${new URLSearchParams({ [filter]: group.key })}">${group.name}</a></td>
        <td class="bar-cell">${formatPercent(group.score)} ${viewBar(group)}</td>
        <td>${formatCount(group.accepted)}</td>
        <td>${formatCount(group.submitted)}</td>
        <td>${formatCount(group.open)}</td>
        <td>${formatCount(group.overdue)}</td>
        <td>${formatCount(group.total)}</td>
      </tr>`,
  );
  return html`<h2>${title}</h2>
    ${viewTable(title, columns, rows)}`;
}

/** Accepted, then submitted, of all. */
function viewBar({ accepted, submitted, total }: ReadinessGroup): TemplateResult {
  const percent = (count: number) => (total === 0 ? 0 : (100 * count) / total);
  return viewShares([
    ['accepted', percent(accepted)],
    ['submitted', percent(submitted)],
  ]);
}

function viewDueTests({ items, summary }: TestHealth): TemplateResult {
  const due = items.flatMap((control) =>
    control.scheduledRuns.filter(({ isDue }) => isDue).map((run) => ({ control, ...run })),
  );
  return html`<h2>${pageWords.control.dueTests} <span class="quiet">${formatCount(summary.dueTests)}</span></h2>
    ${
      due.length === 0
        ? html`<p>${pageWords.nothingDue}</p>`
        : html`<details ?open=${due.length <= 10}>
            <summary>${pageWords.control.showList}</summary>
            <ul class="plain">
              ${due.map(
                ({ control, title, nextRunAt, lastRunAt }) =>
                  html`<li>
                    ${viewControlLink(control)}
                    <span>${title}</span>
                    <span class="quiet"
                      >${lastRunAt === null ? pageWords.control.neverRun : html`${pageWords.due} ${viewTime(nextRunAt)}`}</span
                    >
                  </li>`,
              )}
            </ul>
          </details>`
    }`;
}

function viewStale({ items, summary }: TestHealth): TemplateResult {
  const old = items.filter(({ evidenceFreshness }) => evidenceFreshness === 'stale' || evidenceFreshness === 'expired');
  return html`<h2>${pageWords.control.oldEvidence} <span class="quiet">${formatCount(old.length)}</span></h2>
    ${
      old.length === 0
        ? html`<p>${pageWords.nothingDue}</p>`
        : html`<ul class="plain">
            ${old.map((control) => html`<li>${viewControlLink(control)} ${viewStatus(control.evidenceFreshness)}</li>`)}
          </ul>`
    }
    <p>
      <a href="/app/controls?freshness=missing">${pageWords.control.withoutEvidence}</a>
      ${formatCount(summary.missingEvidence)}
    </p>`;
}

customElements.define('svc-readiness', ReadinessPage);
