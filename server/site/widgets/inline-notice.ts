/** How a notice gets into the HTML of a page. The dashboard writes it in the browser: no Node in here. */

/**
 * The banner's element with the notice inside, so that nothing is fetched before it is visible.
 * @param element as `/widgets/index.json` has it.
 * @param text the bytes of the public notice. They have no `<`, so nothing in them ends the script or starts a comment.
 * @param language BCP 47, for an element that stays in the language of the notice whatever that of the page is.
 */
export function inlineNotice(element: string, text: string, language?: string): string {
  if (text.includes('<')) throw new RangeError('The text of a published notice has no "<".');
  const attribute = language === undefined ? '' : ` language="${Intl.getCanonicalLocales(language)}"`;
  // A function: `$` has a meaning in a replacement.
  return element.replace(
    '></svc-consent>',
    () => `${attribute}><script type="application/json">${text}</script></svc-consent>`,
  );
}
