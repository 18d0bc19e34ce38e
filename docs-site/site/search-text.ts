import type { Token } from 'markdown-it';
import type { SearchEntry } from './page.ts';

/** Cuts a page into what a search finds: the part before the first heading, and one for each heading. */
export function readEntries(tokens: readonly Token[], title: string, description: string): readonly SearchEntry[] {
  const entries: { anchor: string; title: string; text: string; code: string }[] = [
    { anchor: '', title, text: description, code: '' },
  ];
  for (const [index, token] of tokens.entries()) {
    const last = entries.at(-1);
    if (last === undefined) break;
    if (token.type === 'heading_open') {
      const text = readText(tokens[index + 1]);
      entries.push({ anchor: String(token.attrGet('id')), title: text, text: '', code: '' });
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open')
      last.text += ` ${readText(token)}`;
    else if (token.type === 'fence') last.code += ` ${token.content}`;
  }
  return entries.map((entry) => ({ ...entry, text: entry.text.replace(/\s+/g, ' ').trim() }));
}

/** The plain text of an inline token. */
export function readText(token: Token | undefined): string {
  const parts = (token?.children ?? []).map(({ type, content }) =>
    type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : '',
  );
  return parts.join('');
}
