import createMarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { markUp } from './markup.ts';
import { Mistake } from './mistake.ts';
import type { Heading } from './page.ts';
import type { PartialPlace, PartialResult } from './partials.ts';
import { slugify } from './slugify.ts';

/** Writes the changelog of the repository, without its title. */
export function writeChangelog({ sources, file }: PartialPlace): PartialResult {
  const markdown = createMarkdownIt();
  const headings: Heading[] = [];
  markdown.use(anchor, {
    slugify,
    tabIndex: false,
    permalink: anchor.permalink.headerLink({ class: 'anchor' }),
    callback: (token, { slug, title }) => headings.push({ level: Number(token.tag.slice(1)), id: slug, text: title }),
  });
  const body = sources.changelog.replace(/^# .*\n+[^#]*/, '');
  if (/\]\((?!https:)/.test(body)) throw new Mistake(file, 'the changelog has a link that leads nowhere from here');
  const content = markUp(markdown.render(body));
  const entries = headings.map(({ id, text }) => ({ anchor: id, title: text, text: 'Changelog' }));
  return { content, headings, entries };
}
