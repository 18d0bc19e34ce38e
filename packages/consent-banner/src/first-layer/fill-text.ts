/** Fills the placeholders of a text in one pass, so that a name cannot contain a placeholder. */
export function fillText(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (gap, name: string) => {
    // Isolates the writing direction of a name from the sentence around it (Unicode isolates).
    return Object.hasOwn(names, name) ? `\u2068${names[name]}\u2069` : gap;
  });
}
