import { create } from './create.ts';

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
