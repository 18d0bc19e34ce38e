const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text escaped for HTML, between tags or inside of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

/** Markup that `html` made: the only text that `html` does not escape. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type { Markup };

/** Removes characters that change the text direction: a title has no markup that would isolate them. */
export function withoutDirections(text: string): string {
  return text.replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');
}

/** A value that may be inserted into markup: null is nothing, a list one after the other. */
export type Insertable = string | number | Markup | null | readonly Insertable[];

/** Markup whose inserted values are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly Insertable[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + write(values[index - 1] ?? null) + part));
}

function write(value: Insertable): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map(write).join('');
}
