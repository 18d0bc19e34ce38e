import { html, nothing, type TemplateResult } from 'lit';
import type { AuditEventDetail } from '../../../../packages/node-sdk/src/types/api.ts';
import type { Json } from '../../../../packages/node-sdk/src/types/values.ts';
import { viewTable, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import '../proof-view.ts';
import { proveEvent } from '../prove.ts';
import { audit } from '../sdk.ts';
import { viewActor } from './audit.ts';

/** One audit event with what changed, and its proof. */
export class AuditEventPage extends PageElement {
  static override properties = { eventId: {}, event: { state: true } };

  declare eventId: string;
  declare event: AuditEventDetail | null;

  constructor() {
    super();
    this.event = null;
  }

  protected override async load(): Promise<void> {
    this.event = await audit.retrieve(this.eventId);
  }

  protected override render(): TemplateResult {
    const { event } = this;
    if (event === null) return this.viewPending(pageWords.audit);
    return html`<h1>${event.action}</h1>
      <dl>
        ${viewTerm(pageWords.time, viewTime(event.at))} ${viewTerm(pageWords.actor, viewMore('actorId', event.actorId, viewActor(event)))}
        ${event.targetId === null ? nothing : viewTerm(pageWords.target, viewMore('targetId', event.targetId, event.targetRef ?? event.targetId))}
        ${viewTerm(pageWords.module, event.module)}
        ${event.reason === null ? nothing : viewTerm(pageWords.reason, event.reason)}
        ${viewTerm(pageWords.hash, html`<code>${event.hash}</code>`)}
      </dl>
      <h2>${pageWords.whatChanged}</h2>
      ${viewDiff(event.diff)}
      <svc-proof .prove=${() => proveEvent(event)}></svc-proof>`;
  }
}

/** A link to the other events of an actor or a target. */
function viewMore(filter: 'actorId' | 'targetId', id: string | null, text: string): TemplateResult | string {
  return id === null ? text : html`<a href="/app/audit?${new URLSearchParams({ [filter]: id })}">${text}</a>`;
}

/** The fields before and after a change, side by side; whatever else an event holds, as it is. */
function viewDiff(diff: Json | undefined): TemplateResult {
  const { before, after, states: _, ...rest } = readFields(diff);
  const [earlier, later] = [readFields(before), readFields(after)];
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(later)])];
  const hasRest = Object.keys(rest).length > 0;
  if (names.length === 0 && !hasRest) return html`<p>${pageWords.noDetails}</p>`;
  return html`${
    names.length === 0
      ? nothing
      : viewTable(
          pageWords.whatChanged,
          [pageWords.field, pageWords.before, pageWords.after],
          names.map(
            (name) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${viewValue(earlier[name])}</td>
                <td>${viewValue(later[name])}</td>
              </tr>`,
          ),
        )
  }
  ${hasRest ? html`<pre tabindex="0" aria-label=${pageWords.whatChanged}>${JSON.stringify(rest, null, 2)}</pre>` : nothing}`;
}

function viewValue(value: Json | undefined): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readFields(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}

customElements.define('svc-audit-event', AuditEventPage);
