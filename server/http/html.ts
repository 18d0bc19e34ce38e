const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML, between tags or inside of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

/** Markup whose inserted values are escaped. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((markup, part, index) => markup + escapeHtml(String(values[index - 1])) + part);
}
