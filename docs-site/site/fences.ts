import { languages } from './highlight.ts';
import { Mistake } from './mistake.ts';

/** The text after the three backticks: the language, whether it is run, and a title. */
export interface FenceInfo {
  readonly language: string;
  readonly isRun: boolean;
  readonly title: string | undefined;
}

/** Reads the info of a fence. @throws {Mistake} for a language or a word that is not known. */
export function readFenceInfo(info: string, file: string): FenceInfo {
  const [, language = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(info.trim()) ?? [];
  if (languages[language] === undefined)
    throw new Mistake(file, `a fence has no language, or one that is not known: "${info}"`);
  const attributes = new Map(
    [...rest.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const words = rest
    .replace(/[a-z]+="[^"]*"/g, '')
    .split(/\s+/)
    .filter(Boolean);
  const unknown = [
    ...words.filter((word) => word !== 'no-run'),
    ...[...attributes.keys()].filter((name) => !['title', 'reason'].includes(name)),
  ];
  if (unknown.length > 0) throw new Mistake(file, `a fence knows no ${unknown.join(', ')}`);
  const isRun = !words.includes('no-run');
  if (!isRun && (attributes.get('reason') ?? '').length < 10)
    throw new Mistake(file, `a fence that is not run says why: no-run reason="…"`);
  return { language, isRun, title: attributes.get('title') };
}
