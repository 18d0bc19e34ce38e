import { createButton, createNode } from './create-node.ts';
import type { Finding } from './finding.ts';
import { nameKind, nameMoment, nameOwner, statusNames } from './write-report.ts';

/** What makes a finding the same one at the next look. */
export function nameFinding({ kind, initiator, name, status }: Finding): string {
  return `${kind} ${initiator} ${status === 'held'} ${name}`;
}

/** One finding as a row of the table. */
export function createRow(finding: Finding, copy: (text: string) => void): HTMLTableRowElement {
  const { name, status, purposes, proposal, writtenBy } = finding;
  const isAlert = /^(early|refused)$/.test(status);
  return createNode(
    'tr',
    {},
    createNode('th', { scope: 'row' }, createCode(name), createNode('small', {}, nameKind(finding))),
    createNode('td', {}, nameOwner(finding)),
    createNode(
      'td',
      {},
      createNode('span', { className: isAlert ? 'alert' : '' }, statusNames[status]),
      createNode('small', {}, nameMoment(finding)),
    ),
    createNode('td', {}, purposes.length ? createCode(purposes.join(' ')) : '-'),
    createNode('td', {}, writtenBy ? createCode(writtenBy) : '-'),
    createNode('td', { className: 'change' }, ...createChange(name, proposal, copy)),
  );
}

function createChange(name: string, proposal: string | null, copy: (text: string) => void): readonly (Node | string)[] {
  if (!proposal) return ['-'];
  return [createCode(proposal), createButton('Copy', () => copy(proposal), `Copy the change for ${name}`)];
}

/** A name may hold marks that turn the writing around: they end with it. */
function createCode(text: string): HTMLElement {
  return createNode('bdi', { dir: 'ltr' }, createNode('code', {}, text));
}
