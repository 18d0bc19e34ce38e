import type { Notice, Purpose } from '../../headless.ts';
import { fillText, setHidden, writeAttribute } from './fill-text.ts';
import { listSources } from './layer-problems.ts';
import { findAll, findRole, KEY } from './roles.ts';

export interface DrawnPurposes {
  readonly notice: Notice;
  /** Whether the switch of a purpose is on. */
  readonly isOn: (purpose: Purpose) => boolean;
  /** Whether the visitor was asked about it before; null where they were asked nothing yet. */
  readonly isKnown: ((key: string) => boolean) | null;
}

/** What was drawn from each template, by the key of the purpose, and the markup that it was drawn from. */
const drawn = new WeakMap<Element, { readonly source: string; readonly nodes: Map<string, readonly HTMLElement[]> }>();
let lastId = 0;

/**
 * Repeats a template for each purpose of the notice, behind it; what is there already is kept, with its focus, unless the
 * template says something else by now, such as the words of another language.
 * @returns all that stands for the purposes.
 */
export function drawPurposes(template: HTMLTemplateElement, content: DrawnPurposes): ReadonlySet<HTMLElement> {
  const source = listSources(template)
    .map(({ outerHTML }) => outerHTML)
    .join('');
  const before = drawn.get(template);
  const kept = before?.source === source ? before.nodes : undefined;
  const after = new Map(content.notice.purposes.map((one) => [one.key, kept?.get(one.key) ?? copy(template, one.key)]));
  drawn.set(template, { source, nodes: after });
  const nodes = new Set([...after.values()].flat());
  // Also those of an earlier page, which a client router kept with its markup.
  for (let next = template.nextElementSibling; next && Element.prototype.hasAttribute.call(next, KEY); ) {
    const { nextElementSibling } = next;
    if (!nodes.has(next as HTMLElement)) next.remove();
    next = nextElementSibling;
  }
  let last: Element = template;
  for (const node of nodes) {
    if (last.nextElementSibling !== node) last.after(node);
    last = node;
  }
  for (const purpose of content.notice.purposes) {
    for (const node of after.get(purpose.key) ?? []) fill(node, purpose, content);
  }
  return nodes;
}

function copy(template: HTMLTemplateElement, key: string): readonly HTMLElement[] {
  return listSources(template).map((source) => {
    const node = Document.prototype.importNode.call(document, source, true) as HTMLElement;
    node.setAttribute(KEY, key);
    return node;
  });
}

function fill(node: HTMLElement, purpose: Purpose, { notice, isOn, isKnown }: DrawnPurposes): void {
  const { key, label, description, required } = purpose;
  const names = findRole(node, 'purpose-name');
  const descriptions = findRole(node, 'purpose-description');
  for (const place of names) fillText(place, label, notice.language);
  for (const place of descriptions) fillText(place, description, notice.language);
  for (const input of findRole<HTMLInputElement>(node, 'purpose-switch')) {
    if (input.disabled !== required) input.disabled = required;
    input.defaultChecked = false;
    input.checked = required || isOn(purpose);
    nameSwitch(input, names[0], descriptions[0], label);
  }
  const holds: Readonly<Record<string, boolean>> = {
    required,
    optional: !required,
    new: isKnown !== null && !isKnown(key),
  };
  for (const part of findAll(node, '[data-svc-when]')) {
    const name = part.dataset.svcWhen ?? '';
    if (Object.hasOwn(holds, name)) setHidden(part, !holds[name]);
  }
}

/** By the words beside it, whatever the markup around them is; what the page wrote for it stays. */
function nameSwitch(
  input: HTMLElement,
  name: HTMLElement | undefined,
  about: HTMLElement | undefined,
  label: string,
): void {
  if (name) writeAttribute(input, 'aria-labelledby', takeId(name));
  else writeAttribute(input, 'aria-label', label);
  if (about && !input.hasAttribute('aria-describedby')) input.setAttribute('aria-describedby', takeId(about));
}

function takeId(element: HTMLElement): string {
  // What was copied has the id of the template's, or none.
  if (!element.id.startsWith('svc-purpose-')) element.id = `svc-purpose-${++lastId}`;
  return element.id;
}
