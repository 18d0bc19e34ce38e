import { html, nothing, type TemplateResult } from 'lit';
import type {
  ControlDetail,
  ControlTest,
  ControlTestInput,
  TestResult,
  TestResultInput,
} from '../../../packages/node-sdk/src/types/api.ts';
import { controlCadenceValues, testResultStatusValues } from './api-types.ts';
import { choice, field } from './element.ts';
import { formatCount, nameValue, nameValues, viewStatus, viewTime } from './format.ts';
import './list.ts';
import { type List, type ListView, onlyPage } from './list.ts';
import { PageElement, textField } from './page-element.ts';
import { pageWords } from './preferences.ts';
import { controls } from './sdk.ts';
import { session } from './session.ts';

/** The tests of a control, with their results. Emits `changed` when one was added, retired or run. */
export class ControlTests extends PageElement {
  static override properties = { control: { attribute: false }, history: { state: true }, hasRetired: { state: true } };

  declare control: ControlDetail;
  /** The results of the test whose history is open. */
  declare history: ListView<TestResult> | null;
  /** True if the retired tests are shown. */
  declare hasRetired: boolean;

  readonly #view = this.#list('in_use', pageWords.control.noTests);
  readonly #retired = this.#list('retired', pageWords.control.noRetiredTests);

  constructor() {
    super();
    this.history = null;
    this.hasRetired = false;
  }

  protected override render(): TemplateResult {
    return html`<div class="heading">
        <h2>${pageWords.control.tests}</h2>
        ${
          session.allows('addControlTest')
            ? html`<button @click=${this.#add}>${pageWords.control.addTest}</button>`
            : nothing
        }
      </div>
      ${this.viewOutcome()}
      <svc-list class="in-use" .view=${this.#view}></svc-list>
      <details @toggle=${this.#toggleRetired}>
        <summary>${pageWords.control.retiredTests}</summary>
        ${this.hasRetired ? html`<svc-list class="retired" .view=${this.#retired}></svc-list>` : nothing}
      </details>
      ${this.history === null ? this.viewDialogs() : this.#viewHistory(this.history)}`;
  }

  #list(status: 'in_use' | 'retired', empty: string): ListView<ControlTest> {
    return {
      label: status === 'retired' ? pageWords.control.retiredTests : pageWords.control.tests,
      columns: [
        [pageWords.title, viewTest],
        [pageWords.control.latestResult, ({ latestResult }) => viewLatest(latestResult)],
        [
          pageWords.control.nextRun,
          ({ nextRunAt, isDue }) => html`${viewTime(nextRunAt)} ${isDue ? viewStatus('due') : nothing}`,
        ],
        [pageWords.actions, (test) => this.#viewActions(test)],
      ],
      load: async () => onlyPage((await controls.tests.list(this.control.id, { status })).items),
      empty: { text: empty, docs: 'guides/controls' },
    };
  }

  #viewActions(test: ControlTest): TemplateResult {
    const { title, resultCount } = test;
    const button = (label: string, click: () => void) =>
      html`<button aria-label="${label}: ${title}" @click=${click}>${label}</button>`;
    return html`<div class="actions">
      ${
        test.retiredAt === null && session.allows('recordTestResult')
          ? html`${button(pageWords.control.recordResult, () => this.#record(test))}
            ${button(pageWords.control.retire, () => this.#askRetire(test))}`
          : nothing
      }
      ${
        resultCount === 0
          ? nothing
          : button(`${pageWords.control.history} (${formatCount(resultCount)})`, () => this.#openHistory(test))
      }
    </div>`;
  }

  #viewHistory(history: ListView<TestResult>): TemplateResult {
    const close = () => {
      this.history = null;
    };
    return this.viewDialog(
      history.label,
      html`<svc-list .view=${history}></svc-list>
        <div class="actions"><button @click=${close}>${pageWords.control.close}</button></div>`,
      close,
    );
  }

  #openHistory(test: ControlTest): void {
    this.history = {
      label: `${pageWords.control.history}: ${test.title}`,
      columns: [
        [pageWords.control.result, ({ status }) => viewStatus(status)],
        [pageWords.control.tested, ({ testedAt }) => viewTime(testedAt)],
        [pageWords.notes, viewNotes],
      ],
      load: () => controls.tests.listResults(this.control.id, test.id, { limit: 20 }),
      empty: { text: pageWords.control.noResults, docs: 'guides/controls' },
    };
  }

  readonly #toggleRetired = (event: Event): void => {
    this.hasRetired ||= (event.currentTarget as HTMLDetailsElement).open;
  };

  readonly #add = (): void => {
    this.formDialog = {
      title: pageWords.control.addTest,
      fields: () => html`${field(pageWords.title, 'title')}
      ${textField(pageWords.control.procedure, 'procedure', { isOptional: true })}
      ${choice(pageWords.control.cadence, 'cadence', [
        ['', `${pageWords.control.asControl} (${nameValue(this.control.cadence)})`] as const,
        ...nameValues(controlCadenceValues),
      ])}`,
      send: async ({ title = '', procedure = '', cadence }) => {
        await controls.tests.add(this.control.id, {
          title,
          cadence: cadence || null,
          ...(procedure.trim() !== '' && { procedure }),
        } as ControlTestInput);
        this.#finish();
      },
    };
  };

  #record({ id, title, procedure }: ControlTest): void {
    this.formDialog = {
      title: `${pageWords.control.recordResult}: ${title}`,
      button: pageWords.control.recordResult,
      fields: () => html`${procedure === null ? nothing : html`<p class="text">${procedure}</p>`}
      ${choice(pageWords.control.result, 'status', nameValues(testResultStatusValues), 'pass')}
      ${textField(pageWords.control.resultNotes, 'notes', { isOptional: true })}
      ${field(pageWords.control.link, 'url', { type: 'url', isOptional: true, hint: pageWords.control.resultLinkHint })}
      ${field(pageWords.control.testedAt, 'testedAt', { type: 'datetime-local', isOptional: true })}`,
      send: async ({ status, notes = '', url = '', testedAt = '' }) => {
        await controls.tests.recordResult(this.control.id, id, {
          status,
          ...(notes.trim() !== '' && { notes }),
          ...(url.trim() !== '' && { url }),
          ...(testedAt !== '' && { testedAt: new Date(testedAt) }),
        } as TestResultInput);
        this.#finish();
      },
    };
  }

  #askRetire({ id, title }: ControlTest): void {
    this.confirmation = {
      title: pageWords.control.retireTest,
      text: `${title}: ${pageWords.control.retireTestHint}`,
      button: pageWords.control.retire,
      run: async () => {
        await controls.tests.retire(this.control.id, id);
        this.#finish();
      },
    };
  }

  #finish(): void {
    this.notice = pageWords.saved;
    this.dispatchEvent(new Event('changed'));
    for (const list of this.querySelectorAll<List<ControlTest>>('svc-list')) void list.reload();
  }
}

function viewTest({ title, procedure, cadence }: ControlTest): TemplateResult {
  return html`${title} ${cadence === null ? nothing : html`<span class="quiet">${nameValue(cadence)}</span>`}
  ${procedure === null ? nothing : html`<p class="quiet text">${procedure}</p>`}`;
}

function viewLatest(result: ControlTest['latestResult']): TemplateResult | string {
  return result === null ? '–' : html`${viewStatus(result.status)} ${viewTime(result.testedAt)}`;
}

function viewNotes({ notes, url }: TestResult): TemplateResult {
  return html`<span class="text">${notes ?? '–'}</span>
    ${url === null ? nothing : html`<a href=${url} target="_blank" rel="noopener noreferrer">${url}</a>`}`;
}

customElements.define('svc-control-tests', ControlTests);
