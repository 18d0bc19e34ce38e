import { html, nothing, type TemplateResult } from 'lit';
import type { NoticeContent } from '../../../packages/node-sdk/src/types/api.ts';
import { listMissingFacts } from '../../consent/receipt-facts.ts';
import { pageWords } from './preferences.ts';

/** Facts that receipts need and a notice lacks, closed at first; nothing for a notice that has them all. */
export function viewMissingFacts(content: NoticeContent): TemplateResult | typeof nothing {
  const { purposes, consentDuration } = content;
  // Purposes that cannot be refused have no receipt.
  const paths = purposes.filter(({ required }) => !required).flatMap((purpose) => listMissingFacts(content, purpose));
  if (paths.length === 0 && consentDuration !== undefined) return nothing;
  const missing = [...new Set(consentDuration === undefined ? [...paths, 'consentDuration'] : paths)];
  return html`<details>
    <summary>${pageWords.missingFacts} ${missing.length}</summary>
    <p class="quiet">${pageWords.missingFactsHint}</p>
    <ul>
      ${missing.map((path) => html`<li>${nameFact(path, content)}</li>`)}
    </ul>
  </details>`;
}

/** A field of a notice in the words of its editor, such as "Analytics: Recipients". */
export function nameFact(path: string, { purposes }: Pick<NoticeContent, 'purposes'>): string {
  const { facts } = pageWords;
  const names: Readonly<Record<string, string>> = {
    'controllerContact.address': facts.controllerAddress,
    'controllerContact.email': facts.controllerEmail,
    'links.withdrawal': facts.withdrawal,
    jurisdictions: facts.jurisdictions,
    rights: facts.rights,
    consentDuration: facts.consentDuration,
    purposes: facts.refusable,
    dataCategories: facts.data,
    'storage.locations': facts.locations,
    'storage.period': facts.period,
    recipients: facts.recipients,
    address: facts.address,
    email: facts.email,
  };
  const purpose = purposes.find(({ key }) => path.startsWith(`purposes.${key}.`));
  if (purpose === undefined) return names[path] ?? path;
  const field = path.slice(`purposes.${purpose.key}.`.length);
  const [, index, contact = ''] = /^recipients\.(\d+)\.(.+)$/.exec(field) ?? [];
  const parts = index === undefined ? [names[field]] : [purpose.recipients?.[Number(index)]?.name, names[contact]];
  return [purpose.label, ...parts].join(': ');
}
