import createMarkdownIt from 'markdown-it';
import { type Markup, markUp } from '../site/markup.ts';

const markdown = createMarkdownIt({ html: false });

/** Writes a description out of the document, which is Markdown (OpenAPI 3.1). */
export function writeProse(text: string): Markup {
  return markUp(markdown.render(text).trim());
}

/** The same for one line, without a paragraph around it. */
export function writeLine(text: string): Markup {
  return markUp(markdown.renderInline(text));
}
