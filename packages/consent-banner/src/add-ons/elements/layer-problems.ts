import { buttonRoles, findAll, findLayer, findRole, type Role } from './roles.ts';

/**
 * What is missing or too much in a layer: it is then not shown, because visitors could not refuse there, or nothing would happen.
 * @returns each in words for who writes the page.
 */
export function listLayerProblems(layer: HTMLElement): readonly string[] {
  const problems: string[] = [];
  const { svc } = layer.dataset;
  const isDialog = layer instanceof HTMLDialogElement;
  if (svc === 'preferences' && !isDialog) problems.push('must be a <dialog>');
  if (svc === 'banner' && isDialog) problems.push('must not be a <dialog>: nobody has to answer it. Write a <section>');
  for (const role of buttonRoles) {
    for (const { localName } of findRole(layer, role).filter((one) => !(one instanceof HTMLButtonElement)))
      problems.push(`has <${localName} data-svc="${role}">, which must be a <button>`);
  }
  if (layer.parentElement && findLayer(layer.parentElement))
    problems.push('is within another layer. Move it out of there');
  if (layer.dataset.svcWhen !== undefined)
    problems.push('has data-svc-when: when it is shown is seen to. Take that away');
  // Those of a layer within this one are not its own.
  if (!findRole(layer, 'reject').some((one) => findLayer(one) === layer))
    problems.push('has no <button data-svc="reject">: refusing must be as easy as accepting');
  if (findRole(layer, 'purpose').some(({ localName }) => localName !== 'template'))
    problems.push('has data-svc="purpose" on what is no <template>');
  return [...problems, ...listSwitchProblems(layer)];
}

function listSwitchProblems(layer: HTMLElement): readonly string[] {
  const switches = findRole<HTMLTemplateElement>(layer, 'purpose').flatMap((template) =>
    listSources(template).flatMap((source) => findRole<HTMLInputElement>(source, 'purpose-switch')),
  );
  const hasSave = findRole(layer, 'save').length > 0;
  if (hasSave && switches.length === 0)
    return [
      'has a save button and no <template data-svc="purpose"> with an <input type="checkbox" data-svc="purpose-switch">',
    ];
  if (!hasSave && switches.length > 0) return ['has switches and no <button data-svc="save">'];
  if (switches.some((one) => !(one instanceof HTMLInputElement && one.type === 'checkbox')))
    return ['has a data-svc="purpose-switch" that is no <input type="checkbox">'];
  return [];
}

/** What a template repeats. A framework that makes its elements one by one puts them into the template itself. */
export function listSources(template: HTMLTemplateElement): readonly Element[] {
  return [...(template.content?.children.length ? template.content.children : template.children)];
}

/** What does not hide a layer, but should be fixed. */
export function listLesserProblems(layer: HTMLElement): readonly string[] {
  const problems: string[] = [];
  if (!readLayerName(layer))
    problems.push('has no name. Write aria-labelledby with the id of its heading, or aria-label');
  // What fades out is to be seen for a moment.
  const isFading = layer.getAnimations().length > 0;
  if (!isOpen(layer) && !isFading && layer.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }))
    problems.push(
      'is to be seen although it is hidden: your CSS sets "display". Add the rule [hidden], dialog:not([open]) { display: none }',
    );
  for (const template of findRole<HTMLTemplateElement>(layer, 'purpose')) {
    const has = (role: Role): boolean => listSources(template).some((source) => findRole(source, role).length > 0);
    if (!has('purpose-name')) problems.push('has a <template data-svc="purpose"> without data-svc="purpose-name"');
    const isOn = (source: Element): boolean => findAll(source, '[data-svc="purpose-switch"][checked]').length > 0;
    if (listSources(template).some(isOn))
      problems.push(
        'has a switch that is checked beforehand. It is off until the visitor turns it on: take "checked" away',
      );
  }
  return problems;
}

/** Whether a layer may be shown. */
export function isWhole(layer: HTMLElement): boolean {
  // Of a page that is still being read the rest is to come.
  const isRead = Reflect.get(Document.prototype, 'readyState', document) !== 'loading';
  return isRead && listLayerProblems(layer).length === 0;
}

/** Whether a layer is shown by us. */
export function isOpen(layer: HTMLElement): boolean {
  return layer instanceof HTMLDialogElement ? layer.open : !layer.hidden;
}

function readLayerName(layer: HTMLElement): string {
  const ids = layer.getAttribute('aria-labelledby')?.match(/\S+/g) ?? [];
  const root = layer.getRootNode() as Document | ShadowRoot;
  const owner = root instanceof Document ? Document.prototype : root;
  const named = ids.map((id) => owner.getElementById.call(root, id)?.textContent ?? '');
  return [layer.getAttribute('aria-label') ?? '', ...named].join('').trim();
}
