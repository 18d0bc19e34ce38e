/** The addresses that a document links to or loads. */
export function findLinks(text: string): readonly string[] {
  return [...text.matchAll(/ (?:href|src|data-root|data-index)="([^"]*)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );
}
