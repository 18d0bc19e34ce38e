const sheets: Record<string, CSSStyleSheet> = {};

/** Adds styles to a shadow root once, as a constructable sheet, which every Content-Security-Policy allows. */
export function adoptStyles(root: ShadowRoot, text: string): void {
  let sheet = sheets[text];
  if (!sheet) {
    sheet = sheets[text] = new CSSStyleSheet();
    sheet.replaceSync(text);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
