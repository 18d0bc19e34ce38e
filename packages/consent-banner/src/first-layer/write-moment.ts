/** Formats a time in the language, or in the browser's if it does not know the language. */
export function writeMoment(time: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(time));
}
