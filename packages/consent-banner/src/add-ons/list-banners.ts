/**
 * The banner's elements on the page; a live list. By the document's own method, for an image of the name
 * `getElementsByTagName` would take its place on `document`.
 */
export function listBanners(): HTMLCollectionOf<HTMLElement> {
  return Document.prototype.getElementsByTagName.call(document, 'svc-consent') as HTMLCollectionOf<HTMLElement>;
}
