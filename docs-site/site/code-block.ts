import { highlightCode, languages } from './highlight.ts';
import { html, type Markup, markUp } from './markup.ts';

/** A block of code with its language, and the name of its file or tab. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  readonly title?: string | undefined;
  /** The purpose of the block, if a page has several that look alike. */
  readonly purpose?: string | undefined;
}

/** Writes a block of code, colored. A script adds the button that copies it. */
export function writeCodeBlock({ language, code, title, purpose }: CodeBlock): Markup {
  const label = languages[language]?.label ?? language;
  const text = code.replace(/\n+$/, '');
  // It takes the focus because it may scroll sideways.
  return html`<figure class="code" data-language="${language}"><figcaption>${
    title === undefined ? null : html`<span class="code-title">${title}</span> `
  }<span class="code-language">${label}</span></figcaption><pre tabindex="0" role="group" aria-label="${[purpose, title, label].filter(Boolean).join(', ')}"><code>${markUp(highlightCode(text, language))}</code></pre></figure>
`;
}
