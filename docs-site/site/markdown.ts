import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { writeCodeBlock } from './code-block.ts';
import { addContainers } from './containers.ts';
import { readFenceInfo } from './fences.ts';
import { type ResolvedLink, resolveLink } from './links.ts';
import { Mistake } from './mistake.ts';
import type { Heading, Page } from './page.ts';
import { type PartialResult, writePartial } from './partials.ts';
import { readEntries, readText } from './search-text.ts';
import { slugify } from './slugify.ts';
import type { Sources } from './sources.ts';

type Content = Pick<Page, 'content' | 'headings' | 'links' | 'outerLinks' | 'entries' | 'extras' | 'widgets'>;

/** The source of a page, and its address. */
interface Place {
  readonly file: string;
  readonly address: string;
  readonly title: string;
  readonly description: string;
}

/** Renders the Markdown of a page. @throws {Mistake} for something that cannot be built. */
export function renderMarkdown(body: string, place: Place, sources: Sources): Content {
  const { file, address } = place;
  const links: ResolvedLink[] = [];
  const partials: PartialResult[] = [];
  const markdown = createMarkdown();
  markdown.renderer.rules.fence = (tokens, index) => {
    const { info, content } = tokens[index] as Token;
    const { language, title } = readFenceInfo(info, file);
    return String(writeCodeBlock({ language, code: content, title }));
  };
  markdown.renderer.rules.code_block = () => {
    throw new Mistake(file, 'code must be in a fence with its language');
  };
  markdown.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
  markdown.renderer.rules.link_open = (tokens, index, options, _env, renderer) => {
    const token = tokens[index] as Token;
    const link = resolveLink(decodeURI(String(token.attrGet('href'))), file, address, sources.reference);
    links.push(link);
    token.attrSet('href', link.href);
    if (link.inner === null) token.attrSet('rel', 'noopener');
    const isEmpty = tokens[index + 1]?.type === 'link_close';
    return (
      renderer.renderToken(tokens, index, options) +
      (isEmpty ? `<code>${markdown.utils.escapeHtml(link.name)}</code>` : '')
    );
  };
  markdown.renderer.rules.partial = (tokens, index) => {
    const { info, content } = tokens[index] as Token;
    const result = writePartial(info, content, { ...place, sources });
    partials.push(result);
    return String(result.content);
  };
  const tokens = markdown.parse(body, { file });
  const headings = readHeadings(tokens, file);
  const content = markdown.renderer.render(tokens, markdown.options, { file });
  return {
    content,
    headings: [...headings, ...partials.flatMap((partial) => partial.headings ?? [])].sort(
      (one, other) => content.indexOf(` id="${one.id}"`) - content.indexOf(` id="${other.id}"`),
    ),
    links: [...links.flatMap(({ inner }) => inner ?? []), ...partials.flatMap((partial) => partial.links ?? [])],
    outerLinks: links.filter(({ inner, href }) => inner === null && href.startsWith('https:')).map(({ href }) => href),
    entries: [
      ...readEntries(tokens, place.title, place.description),
      ...partials.flatMap((partial) => partial.entries ?? []),
    ],
    extras: partials.flatMap((partial) => partial.extras ?? []),
    widgets: partials.flatMap((partial) => partial.widgets ?? []),
  };
}

/** Markdown as pages are written in. */
export function createMarkdown(): MarkdownIt {
  const markdown = createMarkdownIt({ html: false, linkify: false, typographer: false });
  addContainers(markdown);
  markdown.block.ruler.before('paragraph', 'partial', (state, line, _end, silent) => {
    const text = state.src.slice(state.bMarks[line], state.eMarks[line]);
    const [whole, name = '', argument = ''] = /^\{\{\s*([a-z-]+)\s*(.*?)\s*\}\}$/.exec(text) ?? [];
    if (whole === undefined) return false;
    if (silent) return true;
    const token = state.push('partial', '', 0);
    token.info = name;
    token.content = argument;
    state.line = line + 1;
    return true;
  });
  // `## Title {#anchor}` names the anchor itself.
  markdown.core.ruler.after('inline', 'named-anchors', (state) => {
    for (const [index, token] of state.tokens.entries()) {
      const inline = state.tokens[index + 1];
      const last = token.type === 'heading_open' ? inline?.children?.at(-1) : undefined;
      const [, text, id] = /^(.*?)\s*\{#([a-z0-9-]+)\}$/.exec(last?.content ?? '') ?? [];
      if (last === undefined || text === undefined || id === undefined) continue;
      last.content = text;
      token.attrSet('id', id);
    }
  });
  // A column without a name has no heading cell, which would be an empty heading to a screen reader.
  markdown.core.ruler.push('unnamed-columns', (state) => {
    for (const [index, token] of state.tokens.entries()) {
      if (token.type !== 'th_open' || state.tokens[index + 1]?.content !== '') continue;
      token.tag = 'td';
      const close = state.tokens[index + 2];
      if (close !== undefined) close.tag = 'td';
    }
  });
  markdown.use(anchor, {
    slugify,
    tabIndex: false,
    permalink: anchor.permalink.headerLink({ class: 'anchor' }),
    // Equal anchors are a mistake of the author, and not numbered.
    uniqueSlugStartIndex: 2,
  });
  return markdown;
}

function readHeadings(tokens: readonly Token[], file: string): readonly Heading[] {
  const headings: Heading[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const heading = {
      level: Number(token.tag.slice(1)),
      id: String(token.attrGet('id')),
      text: readText(tokens[index + 1]),
    };
    const above = headings.at(-1)?.level ?? 1;
    if (heading.level === 1) throw new Mistake(file, 'the title is the only heading of the first level');
    if (heading.level > above + 1) throw new Mistake(file, `the heading "${heading.text}" skips a level`);
    if (
      /-\d+$/.test(heading.id) &&
      headings.some(({ id }) => heading.id.startsWith(`${id}-`) && headings.some(({ text }) => text === heading.text))
    )
      throw new Mistake(file, `two headings are called "${heading.text}"; name one: ${heading.text} {#another}`);
    headings.push(heading);
  }
  return headings;
}
