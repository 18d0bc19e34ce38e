import { attempt } from '../../stub/attempt.ts';
import { currentScript } from '../../stub/current-script.ts';
import { holdBelow } from './held-below.ts';
import type { HeldForm } from './held-form.ts';
import { namesHeldHost } from './name-hosts.ts';
import { replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';
import { addressNames } from './tag-addresses.ts';

const REST = `\\b(?:[^>"']|"[^"]*"|'[^']*')*>`;
/** The content of these is text to the parser. */
const TEXT = 'script|style|textarea|title|noscript|iframe|xmp|noembed|noframes';
/** A comment, an element of text up to its end, or another start tag that may wait. */
const PIECE = new RegExp(
  `<!--[^]*?(?:-->|$)|(<(${TEXT})${REST})([^]*?)(?:(?=</\\2\\b)|($))|<(?:${[...addressNames.keys()].join('|')})${REST}`,
  'gi',
);

/**
 * Holds the tags that scripts write while the page is parsed. Only start tags change: what is written may begin and end
 * anywhere.
 */
export function holdWrite(gate: RequestGate, form: HeldForm, parseInert: (markup: string) => Element): readonly Undo[] {
  /** The element of text in which what a script has written ended, so that its next call goes on there. */
  let open = '';
  let writer: Element | null = null;

  const holdStart = (tag: string): string => {
    const holder = attempt(() => parseInert(tag));
    return holder && holdBelow(form, holder).length > 0 ? holder.innerHTML.replace(/<\/\w+>$/, '') : tag;
  };

  const rewrite = (text: string): readonly [text: string, open: string] => {
    const before = open && writer === currentScript() ? open : '';
    const end = before ? text.search(new RegExp(`</${before}\\b`, 'i')) : 0;
    if (end < 0) return [text, before];
    let last = '';
    const rest = text.slice(end).replace(PIECE, (piece, start, name, content, isOpen) => {
      if (isOpen === '') last = name;
      return start ? holdStart(start) + content : /^<!/.test(piece) ? piece : holdStart(piece);
    });
    return [text.slice(0, end) + rest, last];
  };

  return (['write', 'writeln'] as const).map((name) =>
    replaceMethod(
      Document.prototype,
      name,
      (native) =>
        ({
          write(this: Document, ...texts: unknown[]) {
            const text = texts.join('');
            const isText = texts.every((one) => typeof one === 'string');
            if (gate.isOpen || !isText || !(open || /<\w/.test(text))) return native.apply(this, texts);
            const [written, end] = rewrite(text);
            const script = currentScript();
            open = ''; // For the scripts that run as they are written.
            native.apply(this, written === text || !namesHeldHost(gate, text) ? texts : [written]);
            open = end;
            writer = script;
          },
        }).write,
    ),
  );
}
