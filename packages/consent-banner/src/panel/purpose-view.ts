import { html, nothing, type TemplateResult } from 'lit/html.js';
import { basisIn } from '../decision/region.ts';
import type { Purpose } from '../notice/notice.ts';
import { clampedView, type Folds } from './folds.ts';
import { fillText, type Messages } from './messages.ts';

interface PurposeRow {
  /** Unique in the panel. */
  readonly id: string;
  readonly messages: Messages;
  readonly language: string;
  readonly region: string | null;
  /** True if its switch is on at first. */
  readonly isOn: boolean;
  /** True if the visitor has decided on the notice before it had this purpose. */
  readonly isNew: boolean;
  readonly isFolded: boolean;
  readonly folds: Folds;
}

/** A purpose with its switch, what it is for, and what it stores on the device. */
export function purposeView(purpose: Purpose, row: PurposeRow): TemplateResult {
  const { key, label } = purpose;
  const { id, isOn, isFolded, messages } = row;
  const isLocked = basisIn(purpose, row.region) === 'exempt';
  const note = describeNote(purpose, row);
  const details = detailsView(purpose, row);
  return html`
    <li part="purpose">
      <div class="row">
        <label for="purpose-${id}">
          <span id="label-${id}" dir="auto">${label}</span>
          ${note ? html`<strong id="note-${id}">${note}</strong>` : nothing}
        </label>
        <input
          id="purpose-${id}"
          part="switch"
          type="checkbox"
          role="switch"
          value=${key}
          aria-labelledby="label-${id}"
          aria-describedby="note-${id} about-${id}"
          .checked=${isLocked || isOn}
          ?disabled=${isLocked}
        />
      </div>
      ${
        isFolded && details !== nothing
          ? html`<details class="fold">
              <summary aria-labelledby="details-${id} label-${id}"><span id="details-${id}">${messages.details}</span></summary>
              ${details}
            </details>`
          : details
      }
    </li>
  `;
}

function describeNote(purpose: Purpose, { region, isNew, messages }: PurposeRow): string {
  const basis = basisIn(purpose, region);
  if (basis === 'exempt') return messages.required;
  if (isNew) return messages.newPurpose;
  return basis === 'object' ? messages.objectable : '';
}

function detailsView(
  { description, trackers = [] }: Purpose,
  { id, messages, language, folds }: PurposeRow,
): TemplateResult | typeof nothing {
  if (!description && !trackers.length) return nothing;
  const count = String(trackers.length);
  return html`
    ${description ? clampedView({ id: `about-${id}`, text: description, about: `label-${id}` }, messages) : nothing}
    ${
      trackers.length
        ? html`<details class="fold" part="trackers" @toggle=${folds.open}>
            <summary aria-labelledby="trackers-${id} label-${id}">
              <span id="trackers-${id}">${fillText(messages.trackers, { count })}</span>
            </summary>
            ${folds.show(messages, ({ trackerTable }) => trackerTable(trackers, messages, language))}
          </details>`
        : nothing
    }
  `;
}
