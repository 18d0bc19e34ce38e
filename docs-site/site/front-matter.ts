import { Mistake } from './mistake.ts';

/** The fields at the start of every page. */
export interface FrontMatter {
  readonly title: string;
  readonly description: string;
  /** The place within the section. */
  readonly order: number;
}

/** Splits a page into its front matter and its body. @throws {Mistake} for a missing or an unknown field. */
export function readFrontMatter(file: string, source: string): { readonly matter: FrontMatter; readonly body: string } {
  const [whole, head] = /^---\n([\s\S]*?)\n---\n/.exec(source) ?? [];
  if (whole === undefined || head === undefined)
    throw new Mistake(file, 'must begin with front matter between --- lines');
  const fields = new Map<string, string>();
  for (const line of head.split('\n')) {
    const [, name, value] = /^([a-z]+):\s+(.+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Mistake(file, `front matter cannot be read: ${line}`);
    if (!['title', 'description', 'order'].includes(name)) throw new Mistake(file, `front matter knows no ${name}`);
    fields.set(name, value.trim());
  }
  const title = fields.get('title') ?? '';
  const description = fields.get('description') ?? '';
  const order = Number(fields.get('order') ?? Number.NaN);
  if (title.length < 2 || title.length > 60) throw new Mistake(file, 'title must have 2 to 60 characters');
  if (description.length < 20 || description.length > 200)
    throw new Mistake(file, 'description must have 20 to 200 characters');
  if (!Number.isFinite(order)) throw new Mistake(file, 'order must be a number');
  return { matter: { title, description, order }, body: source.slice(whole.length) };
}
