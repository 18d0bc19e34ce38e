import { html, nothing, type TemplateResult } from 'lit';
import type { Control, ControlDetail, Member } from '../../../../packages/node-sdk/src/types/api.ts';
import '../control-evidence.ts';
import '../control-status.ts';
import '../control-tests.ts';
import { nameOwner, readControl, viewDefinition, viewPlan } from '../control-form.ts';
import { nameValue, viewStatus, viewTerm, viewTime } from '../format.ts';
import { readMembers } from '../members.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { controls } from '../sdk.ts';
import { session } from '../session.ts';

/** One control: what it requires, its status, its evidence and its tests. */
export class ControlPage extends PageElement {
  static override properties = { controlId: {}, control: { state: true }, isMoving: { state: true } };

  declare controlId: string;
  declare control: ControlDetail | null;
  /** True while the status is being changed. */
  declare isMoving: boolean;
  #owners: readonly Member[] = [];

  constructor() {
    super();
    this.control = null;
    this.isMoving = false;
  }

  protected override async load(): Promise<void> {
    const [control, owners] = await Promise.all([controls.retrieve(this.controlId), readMembers()]);
    this.#owners = owners;
    this.control = control;
  }

  protected override render(): TemplateResult {
    const { control } = this;
    if (control === null) return this.viewPending(pageWords.control.one);
    return html`<h1>${control.code} <bdi>${control.title}</bdi></h1>
      ${this.viewOutcome()}
      ${session.allows('editControl') ? this.#viewActions(control) : nothing} ${this.#viewFacts(control)}
      <h2>${pageWords.description}</h2>
      <p class="text">${control.description}</p>
      ${control.guidance === null ? nothing : html`<p class="text">${control.guidance}</p>`}
      ${viewFrameworks(control)}
      <svc-control-evidence .control=${control} @changed=${this.reload}></svc-control-evidence>
      <svc-control-tests .control=${control} @changed=${this.reload}></svc-control-tests>
      ${
        this.isMoving
          ? html`<svc-control-status
              .controlId=${control.id}
              @changed=${this.#showChange}
              @closed=${() => this.#move(false)}
            ></svc-control-status>`
          : this.viewDialogs()
      }`;
  }

  #viewActions(control: ControlDetail): TemplateResult {
    return html`<div class="actions">
      <button class="primary" @click=${() => this.#move(true)}>${pageWords.control.changeStatus}</button>
      <button ?disabled=${this.isBusy} @click=${() => this.#edit(control)}>${pageWords.edit}</button>
      ${
        isOwn(control)
          ? html`<button class="danger" @click=${() => this.#askRetire(control)}>${pageWords.control.retire}</button>`
          : nothing
      }
    </div>`;
  }

  #viewFacts(control: ControlDetail): TemplateResult {
    const { reason, exceptionEndsAt, evidenceDueAt, reviewedAt, nextReviewAt, latestResultStatus } = control;
    return html`<dl>
      ${viewTerm(pageWords.status, viewStatus(control.status))}
      ${exceptionEndsAt === null ? nothing : viewTerm(pageWords.control.exceptionEnds, viewTime(exceptionEndsAt))}
      ${reason === null ? nothing : viewTerm(pageWords.reason, html`<span class="text">${reason}</span>`)}
      ${evidenceDueAt === null ? nothing : viewTerm(pageWords.control.evidenceDue, viewTime(evidenceDueAt))}
      ${viewTerm(pageWords.control.owner, nameOwner(this.#owners, control.ownerUserId))}
      ${viewTerm(pageWords.control.domain, control.domain)}
      ${viewTerm(pageWords.control.cadence, nameValue(control.cadence))}
      ${viewTerm(pageWords.control.evidence, viewStatus(control.evidenceFreshness))}
      ${latestResultStatus === null ? nothing : viewTerm(pageWords.control.latestResult, viewStatus(latestResultStatus))}
      ${reviewedAt === null ? nothing : viewTerm(pageWords.control.reviewed, viewTime(reviewedAt))}
      ${nextReviewAt === null ? nothing : viewTerm(pageWords.control.nextReview, viewTime(nextReviewAt))}
    </dl>`;
  }

  #move(isMoving: boolean): void {
    this.isMoving = isMoving;
  }

  readonly #showChange = ({ detail }: CustomEvent<ControlDetail>): void => {
    this.control = detail;
    this.isMoving = false;
  };

  #edit(control: ControlDetail): void {
    void this.runQuietly(async () => {
      const frameworks = isOwn(control) ? (await controls.frameworks.list()).items : [];
      this.formDialog = {
        title: `${pageWords.edit}: ${control.code}`,
        button: pageWords.save,
        fields: () => html`${isOwn(control) ? viewDefinition(frameworks, [], control) : nothing}
        ${viewPlan(this.#owners, control)}`,
        send: async (values) => {
          const { cadence, ownerUserId, ...definition } = readControl(values);
          this.control = await controls.update(this.controlId, {
            cadence,
            // An owner who left may stay, but not be set.
            ...(ownerUserId !== control.ownerUserId && { ownerUserId }),
            ...(isOwn(control) && definition),
          });
          this.notice = pageWords.saved;
        },
      };
    });
  }

  #askRetire({ code, title }: ControlDetail): void {
    this.confirmation = {
      title: pageWords.control.retire,
      text: `${code} ${title}: ${pageWords.control.retireHint}`,
      button: pageWords.control.retire,
      run: async () => {
        await controls.retire(this.controlId);
        this.goTo('controls');
      },
    };
  }
}

/** True if the tenant made the control: one of the catalogue has a separate id in each tenant. */
function isOwn({ id, controlId }: Control): boolean {
  return id === controlId;
}

function viewFrameworks({ mappedFrameworks }: Control): TemplateResult {
  return html`<h2>${pageWords.control.frameworks}</h2>
    ${
      mappedFrameworks.length === 0
        ? html`<p>${pageWords.control.notMapped}</p>`
        : html`<dl>
            ${mappedFrameworks.map(({ name, requirements }) => viewTerm(name, requirements.join(', ')))}
          </dl>`
    }`;
}

customElements.define('svc-control', ControlPage);
