import type { ConsentPage } from '../page/consent-page.ts';
import { createButton } from './choices.ts';
import { createIcon } from './create.ts';
import { readDirection } from './read-direction.ts';

const SHIELD = 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4';

/** The floating button that opens the preferences again: withdrawing consent is as easy as giving it. */
export function createTrigger(page: ConsentPage): HTMLElement {
  const { texts, language = '' } = page.view.notice ?? {};
  const label = texts?.trigger ?? '';
  const button = createButton('layer trigger', '', () => page.open(), {
    part: 'trigger',
    popover: 'manual',
    'aria-haspopup': 'dialog',
    'aria-label': label,
    title: label,
    lang: language,
    dir: readDirection(language),
  });
  button.append(createIcon('0 0 24 24', { d: SHIELD }));
  return button;
}
