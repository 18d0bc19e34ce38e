import type { ConsentPage } from '../page/consent-page.ts';
import { create } from './create.ts';
import { fillText } from './fill-text.ts';
import { writeMoment } from './write-moment.ts';

/** Adds to the first layer what most visitors do not need: since when the notice has changed, and no "more" without more. */
export function completeBanner(page: ConsentPage): void {
  let banner: Element | null | undefined;
  const observer = new ResizeObserver(([entry]) => {
    const text = entry?.target as HTMLElement;
    const button = text.nextElementSibling as HTMLElement;
    // A wide layout may have room for all of it.
    button.hidden = text.className !== '' && text.scrollHeight <= text.clientHeight;
  });
  page.subscribe(() => {
    const { root, stored, notice } = page.view;
    const found = root?.querySelector('.banner');
    if (found === banner) return;
    banner = found;
    observer.disconnect();
    const [title, text] = [found?.querySelector('#title'), found?.querySelector('.clamped')];
    if (text) observer.observe(text);
    if (!title || !stored || !notice || stored.noticeVersion >= notice.version) return;
    const date = writeMoment(stored.decidedAt, notice.language);
    title.after(create('p', { part: 'text' }, fillText(notice.texts.changed ?? '', { date })));
  });
}
