import type { Notice } from '../notice/notice.ts';
import type { ConsentPage } from '../page/consent-page.ts';
import { createButton, createChoices } from './choices.ts';
import { create } from './create.ts';
import { readDirection } from './read-direction.ts';

/** Shorter texts have no more lines than a phone can show. */
const LONG = 160;

/**
 * The first layer: a named region above the page that neither blocks it nor takes the focus. To a visitor who is not asked, it
 * only says that the panel cannot be loaded.
 */
export function createBanner(page: ConsentPage, isMissing: boolean, isAsked: boolean): HTMLElement {
  const { notice, switchedOn } = page.view;
  const { texts = {}, language = 'en' } = notice ?? {};
  const open = createButton(
    'quiet',
    isMissing ? (texts.tryAgain ?? 'Try again') : texts.preferences,
    () => page.open(switchedOn),
    { part: 'preferences', 'aria-haspopup': 'dialog' },
  );
  // A button that it replaces may have the focus, which then moves to it.
  open.autofocus = !!page.view.root?.activeElement?.closest('.banner');
  const actions = create('div', { class: 'actions' });
  if (isMissing)
    actions.append(create('p', { id: 'failure', role: 'alert' }, texts.loadFailed ?? 'This could not be loaded.'));
  actions.append(
    isAsked
      ? createChoices(
          texts,
          () => page.decide(() => false, 'banner'),
          () => page.decide(() => true, 'banner'),
        )
      : createButton('quiet', texts.close ?? 'Close', () => page.close(), { part: 'close' }),
    open,
  );
  return create(
    'section',
    {
      class: 'layer banner',
      part: 'banner',
      popover: 'manual',
      'aria-labelledby': isAsked ? 'title' : 'failure',
      lang: language,
      dir: readDirection(language),
    },
    create('div', {}, ...(isAsked && notice ? describe(notice) : [])),
    actions,
  );
}

function describe(notice: Notice): readonly HTMLElement[] {
  const { title = '', intro = '', more, less } = notice.texts;
  const text = create('p', { part: 'text' }, intro);
  const shown: HTMLElement[] = [
    create('slot', { name: 'logo' }),
    create('h2', { id: 'title', part: 'title' }, title),
    text,
  ];
  // A long text shows its first lines, and the others after "more".
  if (intro.length > LONG && more) {
    text.className = 'clamped';
    const expand = createButton(
      'expand',
      more,
      () => {
        const isClamped = text.classList.toggle('clamped');
        expand.ariaExpanded = String(!isClamped);
        expand.textContent = (!isClamped && less) || more;
      },
      { 'aria-expanded': 'false' },
    );
    shown.push(expand);
  }
  return [...shown, createLinks(notice)];
}

/** The notice's links that have a text, and those of the page. */
export function createLinks({ links, texts }: Notice): HTMLElement {
  const box = create('div', { class: 'links' });
  for (const [name, href] of Object.entries(links ?? {})) {
    const text = texts[name];
    if (text && href.startsWith('https:')) box.append(create('a', { href, part: 'link' }, text));
  }
  box.append(create('slot', { name: 'more' }));
  return box;
}
