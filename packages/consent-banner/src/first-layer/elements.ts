import type { PageView } from '../page/consent-page.ts';

/** Creates an element. Attributes without a value are left out. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an icon. @param paths the attributes of each. */
export function createIcon(viewBox: string, ...paths: readonly Readonly<Record<string, string>>[]): Element {
  const shape = (name: string): Element => document.createElementNS('http://www.w3.org/2000/svg', name);
  const lines = paths.map((path) => fill(shape('path'), path));
  return fill(shape('svg'), { viewBox, 'aria-hidden': 'true' }, lines);
}

function fill<T extends Element>(
  element: T,
  attributes: Readonly<Record<string, string>>,
  children: readonly (Node | string)[] = [],
): T {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Both buttons share one class and one part, so that no style can favor either. */
export function createChoices(
  texts: Readonly<Record<string, string>>,
  reject: () => void,
  accept: () => void,
): HTMLElement {
  const button = (choice: string, choose: () => void): HTMLElement =>
    createButton('choice', texts[choice], choose, { part: 'choice', 'data-choice': choice });
  return create('div', { class: 'choices' }, button('reject', reject), button('accept', accept));
}

/** Adds styles to a tree once, as a constructable sheet, which every Content-Security-Policy allows. */
export function adoptStyles(root: DocumentOrShadowRoot, text: string): void {
  let sheet = sheets[text];
  if (!sheet) {
    sheet = sheets[text] = new CSSStyleSheet();
    sheet.replaceSync(text);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}

export function createButton(
  name: string,
  label = '',
  press: () => void,
  attributes: Readonly<Record<string, string>>,
): HTMLElement {
  const button = create('button', { class: name, ...attributes }, label);
  button.onclick = press;
  return button;
}

const sheets: Record<string, CSSStyleSheet> = {};

/** A setting of the theme: the element's attribute, or the notice's. */
export function readTheme({ element, notice }: PageView, name: 'scheme' | 'layout' | 'position'): string {
  return element?.getAttribute(name) || notice?.theme?.[name] || '';
}

/** Sets the color scheme and the accent of a box, which inherits the page's scheme otherwise. */
export function applyTheme(box: HTMLElement, view: PageView): void {
  box.dataset.scheme = readTheme(view, 'scheme');
  const accent = view.notice?.theme?.accent ?? '';
  box.style.setProperty('--_theme', /^#[0-9a-f]{6}$/i.test(accent) ? accent : null);
}

/** The direction of a language's usual script. */
export function readDirection(language: string): 'ltr' | 'rtl' {
  return /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b/.test(language) ? 'rtl' : 'ltr';
}
