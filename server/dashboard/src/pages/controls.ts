import { html, nothing, type TemplateResult } from 'lit';
import type { Control, ControlStatus, Member } from '../../../../packages/node-sdk/src/types/api.ts';
import { controlStatusValues, evidenceFreshnessValues } from '../api-types.ts';
import '../control-status.ts';
import { nameOwner, readControl, viewDefinition, viewPlan } from '../control-form.ts';
import { saveCsv } from '../download.ts';
import { field } from '../element.ts';
import { formatCount, nameValue, nameValues, viewControlLink, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import { type List, type ListView, onlyPage } from '../list.ts';
import { readMembers } from '../members.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { controls } from '../sdk.ts';
import { session } from '../session.ts';
import { setParameter } from '../whereabouts.ts';

/** All controls of a tenant, as a table or as a board. They come in one answer, so the filters work in the browser. */
export class ControlList extends PageElement {
  static override properties = {
    items: { state: true },
    changing: { state: true },
    isBoard: { state: true },
  };

  declare items: readonly Control[] | null;
  /** The control whose status is being changed. */
  declare changing: string | null;
  declare isBoard: boolean;
  #owners: readonly Member[] = [];
  #view: ListView<Control> | null = null;

  constructor() {
    super();
    this.items = null;
    this.changing = null;
    this.isBoard = new URLSearchParams(location.search).get('view') === 'board';
  }

  protected override async load(): Promise<void> {
    const [{ items }, owners] = await Promise.all([controls.list(), readMembers()]);
    this.#owners = owners;
    this.#show(items);
  }

  protected override render(): TemplateResult {
    const { items } = this;
    if (items === null) return this.viewPending(pageWords.controls);
    return html`<div class="heading">
        <h1>${pageWords.controls}</h1>
        ${
          session.allows('createControl')
            ? html`<button class="primary" ?disabled=${this.isBusy} @click=${() => this.#create(items)}>
                ${pageWords.control.create}
              </button>`
            : nothing
        }
      </div>
      ${this.viewOutcome()}
      <div class="actions">
        <div role="group" aria-label=${pageWords.control.view} class="switch">
          <button aria-pressed=${!this.isBoard} @click=${() => this.#switch(false)}>${pageWords.control.table}</button>
          <button aria-pressed=${this.isBoard} @click=${() => this.#switch(true)}>${pageWords.control.board}</button>
        </div>
        <button ?disabled=${items.length === 0} @click=${this.#save}>${pageWords.control.saveCsv}</button>
      </div>
      <svc-list .view=${this.#view}></svc-list>
      ${this.viewDialogs()}
      ${
        this.changing === null
          ? nothing
          : html`<svc-control-status
              .controlId=${this.changing}
              @changed=${this.#showChange}
              @closed=${this.#stopChange}
            ></svc-control-status>`
      }`;
  }

  /** Everything that the list shows follows from the items. */
  #show(items: readonly Control[]): void {
    this.items = items;
    const frameworks = new Map(
      items.flatMap(({ mappedFrameworks }) => mappedFrameworks.map(({ code, name }) => [code, name] as const)),
    );
    const owners = [...new Set(items.map(({ ownerUserId }) => ownerUserId))].filter((id) => id !== null);
    this.#view = {
      label: pageWords.controls,
      columns: [
        [pageWords.control.one, viewControlLink],
        [pageWords.control.domain, ({ domain }) => domain],
        [pageWords.status, ({ status }) => viewStatus(status)],
        [pageWords.control.owner, ({ ownerUserId }) => nameOwner(this.#owners, ownerUserId)],
        [pageWords.control.evidence, ({ evidenceFreshness }) => viewStatus(evidenceFreshness)],
        [
          pageWords.control.latestResult,
          ({ latestResultStatus }) => (latestResultStatus === null ? '–' : viewStatus(latestResultStatus)),
        ],
        [pageWords.control.nextReview, ({ nextReviewAt }) => viewTime(nextReviewAt)],
      ],
      filters: [
        { name: 'search', label: pageWords.control.search },
        { name: 'framework', label: pageWords.control.framework, options: [...frameworks] },
        {
          name: 'domain',
          label: pageWords.control.domain,
          options: listDomains(items).map((domain) => [domain, domain]),
        },
        { name: 'status', label: pageWords.status, options: nameValues(controlStatusValues) },
        {
          name: 'owner',
          label: pageWords.control.owner,
          options: [
            ['none', pageWords.control.noOwner],
            ...owners.map((id) => [id, nameOwner(this.#owners, id)] as const),
          ],
        },
        { name: 'freshness', label: pageWords.control.evidence, options: nameValues(evidenceFreshnessValues) },
      ],
      load: async (query) => onlyPage(items.filter((item) => matches(item, query))),
      empty: {
        text: pageWords.control.none,
        docs: 'guides/controls',
        action: ['/app/readiness', pageWords.control.adopt],
      },
      layout: this.isBoard ? this.#viewBoard : undefined,
    };
  }

  readonly #viewBoard = (items: readonly Control[]): TemplateResult => {
    const columns = Map.groupBy(items, ({ status }) => status);
    return html`<div class="scroll board" role="region" aria-label=${pageWords.control.board} tabindex="0">
      ${controlStatusValues
        .filter((status) => columns.has(status))
        .map((status) => this.#viewColumn(status, columns.get(status) ?? []))}
    </div>`;
  };

  #viewColumn(status: ControlStatus, items: readonly Control[]): TemplateResult {
    return html`<div>
      <h2>${nameValue(status)} <span class="quiet">${formatCount(items.length)}</span></h2>
      <ul class="plain">
        ${items.map(
          (item) =>
            html`<li class="card">
              <p>${viewControlLink(item)}</p>
              <p class="quiet"><bdi>${item.domain}</bdi> · <bdi>${nameOwner(this.#owners, item.ownerUserId)}</bdi></p>
              <p>
                ${viewStatus(item.evidenceFreshness)}
                ${item.latestResultStatus === null ? nothing : viewStatus(item.latestResultStatus)}
              </p>
              ${
                session.allows('editControl')
                  ? html`<button
                      aria-label="${pageWords.control.changeStatus}: ${item.code}"
                      @click=${() => this.#startChange(item.id)}
                    >
                      ${pageWords.control.changeStatus}
                    </button>`
                  : nothing
              }
            </li>`,
        )}
      </ul>
    </div>`;
  }

  #switch(isBoard: boolean): void {
    this.isBoard = isBoard;
    setParameter('view', isBoard ? 'board' : '');
    this.#show(this.items ?? []);
  }

  #startChange(id: string): void {
    this.changing = id;
  }

  readonly #stopChange = (): void => {
    this.changing = null;
  };

  /** A change of one control moves only that one, but its dates may have moved others meanwhile. */
  readonly #showChange = ({ detail }: CustomEvent<Control>): void => {
    this.changing = null;
    void this.run(async () => {
      this.#show((await controls.list()).items);
      await this.updateComplete;
      await this.#list?.reload();
      await this.#list?.updateComplete;
      // The card is in another column now.
      this.querySelector<HTMLElement>(`a[href="/app/controls/${detail.id}"]`)?.focus();
    });
  };

  get #list(): List<Control> | null {
    return this.querySelector<List<Control>>('svc-list');
  }

  #create(items: readonly Control[]): void {
    void this.runQuietly(async () => {
      const frameworks = (await controls.frameworks.list()).items;
      this.formDialog = {
        title: pageWords.control.create,
        fields: () => html`${field(pageWords.control.code, 'code', { hint: pageWords.control.codeHint })}
        ${viewDefinition(frameworks, listDomains(items), null)} ${viewPlan(this.#owners, null)}`,
        send: async (values) => {
          const { id } = await controls.create({ code: values.code ?? '', ...readControl(values) });
          this.goTo(`controls/${id}`);
        },
      };
    });
  }

  /** The rows that the filters show. */
  readonly #save = (): void => {
    const rows = (this.#list?.items ?? []).map((item) => [
      item.code,
      item.title,
      item.domain,
      nameValue(item.status),
      item.ownerUserId === null ? '' : nameOwner(this.#owners, item.ownerUserId),
      nameValue(item.cadence),
      nameValue(item.evidenceFreshness),
      item.latestResultStatus === null ? '' : nameValue(item.latestResultStatus),
      item.lastTestedAt ?? '',
      item.nextReviewAt ?? '',
      item.mappedFrameworks.map(({ name, requirements }) => `${name}: ${requirements.join(', ')}`).join('; '),
    ]);
    const { control } = pageWords;
    saveCsv('controls.csv', [
      [
        control.code,
        pageWords.title,
        control.domain,
        pageWords.status,
        control.owner,
        control.cadence,
        control.evidence,
        control.latestResult,
        control.lastTested,
        control.nextReview,
        control.frameworks,
      ],
      ...rows,
    ]);
  };
}

function listDomains(items: readonly Control[]): readonly string[] {
  return [...new Set(items.map(({ domain }) => domain))].sort((one, other) => one.localeCompare(other));
}

/** True if a control matches the filters of the address. */
function matches(item: Control, query: Readonly<Record<string, string>>): boolean {
  const { search = '', framework, domain, status, owner, freshness } = query;
  const text = `${item.code} ${item.title} ${item.description}`.toLowerCase();
  return (
    text.includes(search.trim().toLowerCase()) &&
    (framework === undefined || item.mappedFrameworks.some(({ code }) => code === framework)) &&
    (domain === undefined || item.domain === domain) &&
    (status === undefined || item.status === status) &&
    (owner === undefined || (item.ownerUserId ?? 'none') === owner) &&
    (freshness === undefined || item.evidenceFreshness === freshness)
  );
}

customElements.define('svc-controls', ControlList);
