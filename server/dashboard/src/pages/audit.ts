import { html, type TemplateResult } from 'lit';
import type { AuditEvent } from '../../../../packages/node-sdk/src/types/api.ts';
import { actorTypeValues, auditModuleValues } from '../api-types.ts';
import { DashboardElement } from '../element.ts';
import { nameValue, nameValues, viewTime } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { pageWords, words } from '../preferences.ts';
import { audit } from '../sdk.ts';

/** The audit log: who did what and when. */
export class AuditPage extends DashboardElement {
  readonly #view: ListView<AuditEvent> = {
    label: pageWords.audit,
    columns: [
      [pageWords.action, ({ id, action }) => html`<a href="/app/audit/${id}">${action}</a>`],
      [pageWords.target, ({ targetRef, targetId }) => targetRef ?? targetId ?? ''],
      [pageWords.actor, viewActor],
      [pageWords.time, ({ at }) => viewTime(at)],
    ],
    filters: [
      { name: 'module', label: pageWords.module, options: auditModuleValues.map((value) => [value, value]) },
      { name: 'actor', label: pageWords.actor, options: nameValues(actorTypeValues) },
      { name: 'action', label: pageWords.action },
      { name: 'actorId', label: pageWords.actorId },
      { name: 'targetId', label: pageWords.targetId },
      { name: 'from', label: pageWords.from, type: 'date' },
      { name: 'to', label: pageWords.to, type: 'date' },
    ],
    load: (query) => audit.list(query),
    empty: { text: pageWords.noAudit, docs: 'guides/audit-log', action: ['/app/', words.toHome] },
  };

  protected override render(): TemplateResult {
    return html`<h1>${pageWords.audit}</h1>
      <p>${pageWords.auditHint} <a href="/app/proofs">${pageWords.exportAudit}</a></p>
      <svc-list .view=${this.#view}></svc-list>`;
  }
}

/** Name of the actor: the address of a user, else the kind of the actor. */
export function viewActor({ actorEmail, actorType }: Pick<AuditEvent, 'actorEmail' | 'actorType'>): string {
  return actorEmail ?? nameValue(actorType);
}

customElements.define('svc-audit', AuditPage);
