import { Mistake } from './mistake.ts';
import type { Page } from './page.ts';

/** Finds links that lead to no page, or to an anchor that its page does not have. */
export function checkLinks(pages: readonly Page[]): readonly Mistake[] {
  const anchors = new Map(pages.map(({ address, content }) => [address, readAnchors(content)]));
  return pages.flatMap(({ file, links }) =>
    links.flatMap(({ address, anchor }) => {
      const there = anchors.get(address);
      if (there === undefined) return [new Mistake(file, `there is no page ${address}`)];
      return anchor === '' || there.has(anchor) ? [] : [new Mistake(file, `${address} has no anchor ${anchor}`)];
    }),
  );
}

/** Finds anchors that a page has twice. */
export function checkAnchors(pages: readonly Page[]): readonly Mistake[] {
  return pages.flatMap(({ file, address, content }) => {
    const all = [...content.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
    const twice = new Set(all.filter((id, index) => all.indexOf(id) < index));
    return [...twice].map((id) => new Mistake(file, `${address || 'the home page'} has the anchor ${id} twice`));
  });
}

function readAnchors(content: string): ReadonlySet<string> {
  return new Set([...content.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id));
}
