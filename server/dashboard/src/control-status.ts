import { html, nothing, type TemplateResult } from 'lit';
import type { ControlChange, ControlDetail, SettableControlStatus } from '../../../packages/node-sdk/src/types/api.ts';
import { choice, field, readForm } from './element.ts';
import { endOfDay, nameValue, nameValues } from './format.ts';
import { PageElement, textField } from './page-element.ts';
import { pageWords, words } from './preferences.ts';
import { controls } from './sdk.ts';

/**
 * The dialog that changes the status of a control, with the fields that the new status needs. Emits `changed` with the
 * control after it, and `closed`.
 */
export class ControlStatusDialog extends PageElement {
  static override properties = { controlId: {}, control: { state: true }, status: { state: true } };

  declare controlId: string;
  /** Loaded when the dialog opens: which statuses are allowed depends on the time, too. */
  declare control: ControlDetail | null;
  /** The chosen status. */
  declare status: SettableControlStatus | null;
  readonly #opener = document.activeElement;

  constructor() {
    super();
    this.control = null;
    this.status = null;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (document.activeElement === document.body && this.#opener instanceof HTMLElement) this.#opener.focus();
  }

  protected override async load(): Promise<void> {
    const control = await controls.retrieve(this.controlId);
    this.status = listChoices(control)[0] ?? null;
    this.control = control;
  }

  protected override render(): TemplateResult {
    const { control } = this;
    if (control === null)
      return this.viewDialog(
        pageWords.control.changeStatus,
        html`${this.viewOutcome()} ${this.viewWaiting()}
          <div class="actions"><button @click=${this.#close}>${words.cancel}</button></div>`,
        this.#close,
      );
    return this.viewFormDialog(
      `${pageWords.control.changeStatus}: ${control.code}`,
      html`<p>${pageWords.control.now}: ${nameValue(control.status)}</p>
        ${choice(pageWords.control.newStatus, 'status', nameValues(listChoices(control)), this.status ?? '', this.#choose)}
        ${this.#viewFields()}`,
      this.#save,
      this.#close,
      pageWords.save,
    );
  }

  #viewFields(): TemplateResult {
    const { status } = this;
    const needsReason = status === 'excepted' || status === 'not_applicable';
    return html`${
      status === 'excepted'
        ? field(pageWords.control.exceptionEnds, 'exceptionEndsAt', {
            type: 'date',
            hint: pageWords.control.exceptionHint,
          })
        : nothing
    }
    ${
      status === 'evidence_requested'
        ? field(pageWords.control.evidenceDue, 'evidenceDueAt', {
            type: 'date',
            isOptional: true,
            hint: pageWords.control.evidenceDueHint,
          })
        : nothing
    }
    ${textField(needsReason ? pageWords.reason : pageWords.reasonForLog, 'reason', { isOptional: !needsReason })}`;
  }

  readonly #choose = (event: Event): void => {
    this.status = (event.currentTarget as HTMLSelectElement).value as SettableControlStatus;
  };

  readonly #close = (): void => {
    this.dispatchEvent(new Event('closed'));
  };

  readonly #save = (event: SubmitEvent): void => {
    const { status, reason = '', exceptionEndsAt = '', evidenceDueAt = '' } = readForm(event);
    const change: ControlChange = {
      status: status as SettableControlStatus,
      ...(reason.trim() !== '' && { reason }),
      ...(exceptionEndsAt !== '' && { exceptionEndsAt: endOfDay(exceptionEndsAt) }),
      ...(evidenceDueAt !== '' && { evidenceDueAt: endOfDay(evidenceDueAt) }),
    };
    void this.run(async () => {
      const control = await controls.update(this.controlId, change);
      this.dispatchEvent(new CustomEvent('changed', { detail: control }));
    });
  };
}

/** Lists the statuses that a user can set: `implemented` or `accepted` again confirms it in a review. */
function listChoices({ status, allowedStatuses }: ControlDetail): readonly SettableControlStatus[] {
  return status === 'implemented' || status === 'accepted' ? [...allowedStatuses, status] : allowedStatuses;
}

customElements.define('svc-control-status', ControlStatusDialog);
