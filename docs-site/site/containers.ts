import type { MarkdownIt } from 'markdown-it';
import { escapeHtml } from './markup.ts';
import { Mistake } from './mistake.ts';

const callOuts: Readonly<Record<string, string>> = { note: 'Note', tip: 'Tip', warning: 'Warning' };
const kinds = new Set([...Object.keys(callOuts), 'steps', 'cards', 'tabs']);

/** Teaches markdown-it the containers: `::: kind Optional title`, text, `:::`. */
export function addContainers(markdown: MarkdownIt): void {
  markdown.block.ruler.before(
    'fence',
    'container',
    (state, startLine, endLine, silent) => {
      const read = (line: number) => state.src.slice(state.bMarks[line], state.eMarks[line]);
      const [whole, kind = '', title = ''] = /^:::\s*([a-z-]+)\s*(.*)$/.exec(read(startLine)) ?? [];
      if (whole === undefined) return false;
      if (silent) return true;
      const file = String(state.env.file);
      if (!kinds.has(kind)) throw new Mistake(file, `there is no container "${kind}"`);
      let line = startLine + 1;
      let inFence = false;
      for (; line < endLine; line += 1) {
        if (/^(```|~~~)/.test(read(line))) inFence = !inFence;
        if (!inFence && read(line).trim() === ':::') break;
      }
      if (line >= endLine) throw new Mistake(file, `the container "${whole}" does not end`);
      const open = state.push('container_open', 'div', 1);
      open.info = kind;
      open.content = title.trim();
      const { lineMax } = state;
      state.lineMax = line;
      state.md.block.tokenize(state, startLine + 1, line);
      state.lineMax = lineMax;
      state.push('container_close', 'div', -1).info = kind;
      state.line = line + 1;
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
  markdown.renderer.rules.container_open = (tokens, index) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    const label = callOuts[info];
    if (label === undefined) return `<div class="${info}">\n`;
    const title = content === '' ? label : content;
    return `<aside class="call-out ${info}" aria-label="${escapeHtml(title)}"><p class="call-out-title">${escapeHtml(title)}</p>\n`;
  };
  markdown.renderer.rules.container_close = (tokens, index) =>
    callOuts[tokens[index]?.info ?? ''] === undefined ? '</div>\n' : '</aside>\n';
}
